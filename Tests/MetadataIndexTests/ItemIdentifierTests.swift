// The text of identifiers.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import MetadataIndex

@Suite struct ItemIdentifierTests {
    @Test func textsAreReadBack() {
        var generator = SeededGenerator(seed: 1)
        let numbers: [UInt32] = [0, 1, 15, 16, 255, 4_096, 0x1000_0000, .max - 1, generator.next(), generator.next()]
        for epoch in [0, 1, 0x1234, .max, generator.next()] as [UInt64] {
            for row in numbers {
                for generation in numbers + [.max] {
                    let identifier = ItemIdentifier(row: Row(row), generation: generation)
                    let text = identifier.text(epoch: epoch)
                    let expected = [epoch, UInt64(row), UInt64(generation)].map { String($0, radix: 16) }
                    #expect(text == expected.joined(separator: "-"))
                    let parsed = ItemIdentifier.parse(text.utf8)
                    #expect(parsed?.epoch == epoch && parsed?.identifier == identifier)
                }
            }
        }
    }

    @Test(arguments: [
        "", "-", "--", "1", "1-2", "1-2-", "-2-3", "1--3", "1-2-3-", "1-2-3-4", "1-2-g", "1-2-A", "01-2-3", "1-02-3",
        "1-2-00",
        "1-100000000-0", "1-0-100000000", "10000000000000000-1-1", "1-ffffffff-0", " 1-2-3", "1-2-3 ", "1-+2-3",
        "1-2-\u{661}",
    ])
    func othersAreRefused(text: String) {
        #expect(ItemIdentifier.parse(text.utf8) == nil)
    }
}
