// The checksum of saved data: XXH64.
// SPDX-License-Identifier: Apache-2.0

/// XXH64 (the xxHash specification, version 0.1.1), which reads memory at its speed: each damaged word of a lane leads to
/// another sum, since every step of a lane can be turned back.
enum Checksum {
    private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
    private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
    private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
    private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
    private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

    @inline(__always)
    private static func rotate(_ value: UInt64, _ bits: UInt64) -> UInt64 { value &<< bits | value &>> (64 &- bits) }

    @inline(__always)
    private static func round(_ lane: UInt64, _ input: UInt64) -> UInt64 {
        rotate(lane &+ input &* prime2, 31) &* prime1
    }

    @inline(__always)
    private static func word(_ bytes: UnsafeRawPointer, _ offset: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// The checksum of bytes. Complexity: O(n), some 10 GB/s.
    static func of(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
        var hash = seed &+ prime5
        var at = 0
        if let base = bytes.baseAddress {
            if bytes.count >= 32 {
                var (a, b, c, d) = (seed &+ prime1 &+ prime2, seed &+ prime2, seed, seed &- prime1)
                while at &+ 32 <= bytes.count {
                    a = round(a, word(base, at))
                    b = round(b, word(base, at &+ 8))
                    c = round(c, word(base, at &+ 16))
                    d = round(d, word(base, at &+ 24))
                    at &+= 32
                }
                hash = rotate(a, 1) &+ rotate(b, 7) &+ rotate(c, 12) &+ rotate(d, 18)
                for lane in [a, b, c, d] { hash = (hash ^ round(0, lane)) &* prime1 &+ prime4 }
            }
            hash &+= UInt64(bytes.count)
            while at &+ 8 <= bytes.count {
                hash = rotate(hash ^ round(0, word(base, at)), 27) &* prime1 &+ prime4
                at &+= 8
            }
            if at &+ 4 <= bytes.count {
                let half = UInt32(littleEndian: base.loadUnaligned(fromByteOffset: at, as: UInt32.self))
                hash = rotate(hash ^ UInt64(half) &* prime1, 23) &* prime2 &+ prime3
                at &+= 4
            }
            while at < bytes.count {
                hash = rotate(hash ^ UInt64(bytes[at]) &* prime5, 11) &* prime1
                at &+= 1
            }
        }
        hash = (hash ^ hash &>> 33) &* prime2
        hash = (hash ^ hash &>> 29) &* prime3
        return hash ^ hash &>> 32
    }
}
