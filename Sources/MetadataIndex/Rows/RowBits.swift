// A bit for each row of an index.
// SPDX-License-Identifier: Apache-2.0

/// A bit for each row of an index: 64 words a block, 128 KiB for a million rows, so it stays in the cache where the rows
/// do not.
struct RowBits: Sendable {
    private(set) var words: [UInt64]

    init(blocks: Int) { words = [UInt64](repeating: 0, count: blocks * Block.words) }

    @inline(__always)
    func contains(_ row: UInt32) -> Bool { words[Int(row >> 6)] >> UInt64(row & 63) & 1 != 0 }

    @inline(__always)
    mutating func insert(_ row: UInt32) { words[Int(row >> 6)] |= 1 << UInt64(row & 63) }

    @inline(__always)
    mutating func remove(_ row: UInt32) { words[Int(row >> 6)] &= ~(1 << UInt64(row & 63)) }

    @inline(__always)
    mutating func insert(_ bits: UInt64, atWord word: Int) { words[word] |= bits }

    /// How many rows are in it.
    var count: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }

    /// Calls `body` for each row in it, ascending.
    @inline(__always)
    func forEach(_ body: (UInt32) -> Void) {
        for word in words.indices {
            var bits = words[word]
            while bits != 0 {
                body(UInt32(truncatingIfNeeded: word << 6 | bits.trailingZeroBitCount))
                bits &= bits &- 1
            }
        }
    }
}
