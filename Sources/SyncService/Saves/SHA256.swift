// SHA-256 (FIPS 180-4).
// SPDX-License-Identifier: Apache-2.0

/// SHA-256, in pieces. Devices exchange these hashes, so two versions must never have one: 64 bits would not withstand a person
/// who looks for equal ones. No library of the package has it, and the helper's sandbox forbids the kernel's (`AF_ALG`).
struct SHA256 {
    static let byteCount = 32
    private static let blockBytes = 64

    private var state: [UInt32] = [
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
    ]
    /// The bytes that do not fill a block yet.
    private var rest: [UInt8] = []
    private var length: UInt64 = 0

    /// Returns the hash of some bytes.
    static func hash(_ bytes: [UInt8]) -> [UInt8] {
        var hash = SHA256()
        bytes.withUnsafeBytes { hash.update($0) }
        return hash.finish()
    }

    /// Adds bytes to what is hashed.
    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        length &+= UInt64(bytes.count)
        var bytes = bytes[...]
        if !rest.isEmpty {
            let head = bytes.prefix(SHA256.blockBytes - rest.count)
            rest += head
            bytes = bytes.dropFirst(head.count)
            guard rest.count == SHA256.blockBytes else { return }
            let block = rest
            block.withUnsafeBytes { compress($0) }
            rest = []
        }
        while bytes.count >= SHA256.blockBytes {
            compress(UnsafeRawBufferPointer(rebasing: bytes.prefix(SHA256.blockBytes)))
            bytes = bytes.dropFirst(SHA256.blockBytes)
        }
        rest += bytes
    }

    /// Returns the hash of all bytes, ``byteCount`` of them. The value must not be used any more.
    mutating func finish() -> [UInt8] {
        let bits = length &* 8
        // A one and zeros up to the length, which ends the last block.
        let zeros = (SHA256.blockBytes * 2 - 9 - rest.count) % SHA256.blockBytes
        var end: [UInt8] = [0x80] + [UInt8](repeating: 0, count: zeros)
        for shift in stride(from: 56, through: 0, by: -8) {
            end.append(UInt8(truncatingIfNeeded: bits >> UInt64(shift)))
        }
        end.withUnsafeBytes { update($0) }
        return state.flatMap { word in
            stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt32($0)) }
        }
    }

    private mutating func compress(_ block: UnsafeRawBufferPointer) {
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: SHA256.constants.count) { words in
            for index in 0..<16 {
                words[index] = UInt32(bigEndian: block.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self))
            }
            for index in 16..<words.count {
                let (early, late) = (words[index - 15], words[index - 2])
                let first = SHA256.turned(early, 7) ^ SHA256.turned(early, 18) ^ early >> 3
                let second = SHA256.turned(late, 17) ^ SHA256.turned(late, 19) ^ late >> 10
                words[index] = words[index - 16] &+ first &+ words[index - 7] &+ second
            }
            var (a, b, c, d) = (state[0], state[1], state[2], state[3])
            var (e, f, g, h) = (state[4], state[5], state[6], state[7])
            SHA256.constants.withUnsafeBufferPointer { constants in
                for index in 0..<words.count {
                    let first = SHA256.turned(e, 6) ^ SHA256.turned(e, 11) ^ SHA256.turned(e, 25)
                    let one = h &+ first &+ (e & f ^ ~e & g) &+ constants[index] &+ words[index]
                    let second = SHA256.turned(a, 2) ^ SHA256.turned(a, 13) ^ SHA256.turned(a, 22)
                    let two = second &+ (a & b ^ a & c ^ b & c)
                    (h, g, f, e, d, c, b, a) = (g, f, e, d &+ one, c, b, a, one &+ two)
                }
            }
            for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
        }
    }

    @inline(__always) private static func turned(_ word: UInt32, _ count: UInt32) -> UInt32 {
        word >> count | word << (32 - count)
    }

    private static let constants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
        0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
        0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
        0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
        0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
    ]
}
