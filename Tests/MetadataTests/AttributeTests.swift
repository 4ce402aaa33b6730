// The attribute table: names and aliases lead back to their attribute, and none is given twice.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import Testing

@Suite struct AttributeTests {
    @Test func namesAndAliasesAreUnique() {
        let names = Attribute.fixed.flatMap { [$0.name] + $0.aliases }
        #expect(Set(names).count == names.count)
        for attribute in Attribute.fixed {
            #expect(Attribute(name: attribute.name) == attribute)
            for alias in attribute.aliases { #expect(Attribute(name: alias) == attribute) }
            #expect(!attribute.description.isEmpty)
        }
        #expect(Attribute(name: "Name") == nil)
    }

    @Test func `Each has its ordinal`() {
        for (place, attribute) in Attribute.fixed.enumerated() { #expect(attribute.ordinal == place) }
    }

    @Test func `Names of extended attributes are bytes that the kernel would take`() throws {
        for text in ["", "a\0b", String(repeating: "x", count: 251), String(repeating: "\u{E9}", count: 126)] {
            #expect(ExtendedAttributeName(text) == nil)
        }
        #expect(ExtendedAttributeName(String(repeating: "\u{E9}", count: 125))?.text.utf8.count == 250)
        let (composed, decomposed) = (ExtendedAttributeName("\u{E9}"), ExtendedAttributeName("e\u{301}"))
        #expect(composed != decomposed && Set([composed, decomposed]).count == 2)
        let name = try #require(ExtendedAttributeName("mime_type"))
        #expect(Attribute.extended(name).name == "xattr.mime_type" && Attribute.extended(name).ordinal == nil)
    }

    @Test func kindsHaveNames() {
        for kind in FileKind.allCases { #expect(FileKind(name: kind.name.description) == kind) }
        #expect(FileKind(name: "folder") == nil)
    }

    @Test func `Names are those of the cases`() {
        for attribute in Attribute.fixed { #expect(attribute.name == "\(attribute)") }
    }
}
