// The attribute table: names and aliases lead back to their attribute, and none is given twice.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import Testing

@Suite struct AttributeTests {
    @Test func namesAndAliasesAreUnique() {
        let names = Attribute.allCases.flatMap { [$0.name] + $0.aliases }
        #expect(Set(names).count == names.count)
        for attribute in Attribute.allCases {
            #expect(Attribute(name: attribute.name) == attribute)
            for alias in attribute.aliases { #expect(Attribute(name: alias) == attribute) }
            #expect(!attribute.description.isEmpty)
        }
        #expect(Attribute(name: "Name") == nil)
    }

    @Test func kindsHaveNames() {
        for kind in FileKind.allCases { #expect(FileKind(name: kind.name.description) == kind) }
        #expect(FileKind(name: "folder") == nil)
    }

    @Test func `Names are those of the cases`() {
        for attribute in Attribute.allCases { #expect(attribute.name == "\(attribute)") }
    }
}
