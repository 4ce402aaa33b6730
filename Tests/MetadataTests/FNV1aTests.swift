// The hash FNV-1a against known vectors.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Metadata

struct FNV1aTests {
    // The vectors are those of draft-eastlake-fnv.
    @Test(arguments: [
        ("", 0xCBF2_9CE4_8422_2325 as UInt64), ("a", 0xAF63_DC4C_8601_EC8C), ("foobar", 0x8594_4171_F739_67E8),
    ])
    func hashesAreThoseOfTheDraft(_ text: String, _ hash: UInt64) {
        #expect(FNV1a.value(of: text.utf8) == hash)
        var pieces = FNV1a()
        for byte in text.utf8 { pieces.combine(byte) }
        #expect(pieces.value == hash)
    }

    @Test func aWordIsCombinedInOneStep() {
        var hash = FNV1a()
        hash.combine(word: 0x1122_3344_5566_7788)
        #expect(hash.value == 0x14EF_1B43_971B_E1F7)
    }
}
