// How a name begins and ends, in a byte each.
// SPDX-License-Identifier: Apache-2.0

/// How a name begins and ends, in a byte each: a scan for a prefix, a suffix or a whole name reads these, and of the names
/// themselves only those that look right. All names of a million rows are 22 MB, and their scan was bound by memory.
///
/// A literal of fewer than ``bytes`` bytes tells nothing, as the bytes behind it are mixed in.
enum NameMark {
    /// How many bytes at each end are looked at; of a shorter name, all.
    static let bytes = 2

    /// The mark of the first two bytes.
    @inline(__always)
    static func head(_ name: UnsafeRawBufferPointer) -> UInt8 {
        guard name.count >= 2 else { return name.count == 1 ? mix(name[0], 0) : 0 }
        return mix(name[0], name[1])
    }

    /// The mark of the last two bytes.
    @inline(__always)
    static func tail(_ name: UnsafeRawBufferPointer) -> UInt8 {
        guard name.count >= 2 else { return name.count == 1 ? mix(name[0], 0) : 0 }
        return mix(name[name.count - 2], name[name.count - 1])
    }

    /// Multiplication carries differences to the top (Knuth, 6.4).
    @inline(__always)
    private static func mix(_ a: UInt8, _ b: UInt8) -> UInt8 {
        UInt8(truncatingIfNeeded: ((UInt16(a) << 8 | UInt16(b)) &* 0x9E37) >> 8)
    }
}

extension BlockBitmap {
    /// Keeps the places that have this byte, eight at once.
    mutating func keep(_ column: UnsafePointer<UInt8>, equal byte: UInt8) {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let low: UInt64 = 0x7F7F_7F7F_7F7F_7F7F
        let wanted = UInt64(byte) &* ones
        let bytes = UnsafeRawPointer(column)
        for word in 0..<64 where words[word] != 0 {
            var found: UInt64 = 0
            for part in 0..<8 {
                // Every place of a block may be read; those that were never written are masked out.
                let eight = UInt64(
                    littleEndian: bytes.loadUnaligned(fromByteOffset: word << 6 | part << 3, as: UInt64.self))
                let difference = eight ^ wanted
                // The top bit of each byte that is zero, exactly; then these bits next to each other.
                let equal = ~((difference & low) &+ low | difference | low)
                found |= (((equal >> 7) &* 0x0102_0408_1020_4080) >> 56) << UInt64(part << 3)
            }
            words[word] &= found
        }
    }
}
