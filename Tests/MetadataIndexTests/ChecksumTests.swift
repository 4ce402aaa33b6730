// The checksum against the vectors of its specification and its other implementations.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import MetadataIndex

@Suite struct ChecksumTests {
    private func sum(_ text: String, seed: UInt64 = 0) -> UInt64 {
        Array(text.utf8).withUnsafeBytes { Checksum.of($0, seed: seed) }
    }

    @Test func `XXH64's known vectors`() {
        #expect(sum("") == 0xEF46_DB37_51D8_E999)
        #expect(sum("a") == 0xD24E_C4F1_A98C_6E5B)
        #expect(sum("abc") == 0x44BC_2CF5_AD77_0999)
        #expect(sum("Nobody inspects the spammish repetition") == 0xFBCE_A83C_8A37_8BF1)
        #expect(sum("", seed: 0x9E37_79B1) == 0xAC75_FDA2_929B_17EF)
    }

    @Test func `Each bit counts, at each length`() {
        for count in [1, 3, 4, 7, 8, 15, 31, 32, 33, 63, 64, 100] {
            var bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37) }
            var seen: Set<UInt64> = [bytes.withUnsafeBytes { Checksum.of($0) }]
            for bit in 0..<count * 8 {
                bytes[bit / 8] ^= 1 << UInt8(bit % 8)
                #expect(seen.insert(bytes.withUnsafeBytes { Checksum.of($0) }).inserted, "bit \(bit) of \(count)")
                bytes[bit / 8] ^= 1 << UInt8(bit % 8)
            }
        }
    }
}
