// Sets of attributes against the standard library's.
// SPDX-License-Identifier: Apache-2.0

import LiveQueries
import Metadata
import TestSupport
import Testing

@Suite struct AttributeSetTests {
    @Test func itIsASetOfAttributes() {
        var generator = SeededGenerator(seed: 1)
        let all =
            Attribute.fixed
            + ["comment", "a", "zz", "\u{E9}", "e\u{301}"].compactMap { ExtendedAttributeName($0) }
            .map { .extended($0) }
        #expect(all.count == Attribute.fixed.count + 5)
        var set = AttributeSet()
        var expected: Set<Attribute> = []
        #expect(set.isEmpty)
        for _ in 0..<500 {
            let attribute = generator.pick(all)
            if generator.chance(2) {
                set.insert(attribute)
                expected.insert(attribute)
            } else {
                set.remove(attribute)
                expected.remove(attribute)
            }
            #expect(Set(set.attributes) == expected && set.count == expected.count)
            #expect(all.allSatisfy { set.contains($0) == expected.contains($0) })
            #expect(set.isEmpty == expected.isEmpty && set == AttributeSet(expected))
            #expect(set.followFromPlace == expected.contains { $0.followsFromPlace && $0 != .inPackage })
        }
        #expect(set.union(AttributeSet(all)) == AttributeSet(all.reversed()))
        #expect(([.name, .path] as AttributeSet).union([.path, .size]) == [.name, .path, .size])
    }
}
