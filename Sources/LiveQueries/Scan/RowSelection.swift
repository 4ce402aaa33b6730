// A set of rows that a scan found.
// SPDX-License-Identifier: Apache-2.0

package import MetadataIndex

/// A set of rows of one index, with a bit for each row of the index: 125 KB for a million.
package struct RowSelection: Sendable {
    /// 64 words for each block.
    private(set) var words: [UInt64]
    /// How many rows are in it.
    package private(set) var count = 0

    /// No rows.
    package init() { words = [] }

    init(blockCount: Int) {
        words = [UInt64](repeating: 0, count: blockCount * 64)
    }

    /// Whether there are none.
    package var isEmpty: Bool { count == 0 }

    mutating func set(block: Int, _ bits: borrowing BlockBitmap) {
        for word in 0..<64 where bits.words[word] != 0 {
            words[block * 64 + word] = bits.words[word]
            count += bits.words[word].nonzeroBitCount
        }
    }

    /// Whether a row is in it.
    package func contains(_ row: Row) -> Bool {
        let word = Int(row.number >> 6)
        return word < words.count && words[word] >> UInt64(row.number & 63) & 1 != 0
    }

    /// Adds a row.
    mutating func insert(_ row: Row) {
        if contains(row) { return }
        let word = Int(row.number >> 6)
        if word >= words.count { words += [UInt64](repeating: 0, count: (word / 64 + 1) * 64 - words.count) }
        words[word] |= 1 << UInt64(row.number & 63)
        count += 1
    }

    /// Removes a row; false if it was not in the set.
    @discardableResult
    package mutating func remove(_ row: Row) -> Bool {
        guard contains(row) else { return false }
        words[Int(row.number >> 6)] &= ~(1 << UInt64(row.number & 63))
        count -= 1
        return true
    }

    /// The rows in exactly one of the two sets, ascending.
    func symmetricDifference(_ other: RowSelection) -> RowSelection {
        var result = words.count >= other.words.count ? self : other
        let shorter = words.count >= other.words.count ? other : self
        for word in shorter.words.indices { result.words[word] ^= shorter.words[word] }
        result.count = result.words.reduce(0) { $0 + $1.nonzeroBitCount }
        return result
    }

    /// Calls `body` with each row, ascending.
    package func forEach<E: Error>(_ body: (Row) throws(E) -> Void) throws(E) {
        for word in words.indices {
            var bits = words[word]
            while bits != 0 {
                try body(Row(UInt32(truncatingIfNeeded: word << 6 | bits.trailingZeroBitCount)))
                bits &= bits &- 1
            }
        }
    }
}

extension RowSelection: Sequence {
    /// Iterates over the rows in ascending order.
    package struct Iterator: IteratorProtocol, Sendable {
        private let words: [UInt64]
        private var word = -1
        private var bits: UInt64 = 0

        fileprivate init(_ words: [UInt64]) { self.words = words }

        package mutating func next() -> Row? {
            while bits == 0 {
                word += 1
                if word >= words.count {
                    word = words.count
                    return nil
                }
                bits = words[word]
            }
            defer { bits &= bits &- 1 }
            return Row(UInt32(truncatingIfNeeded: word << 6 | bits.trailingZeroBitCount))
        }
    }

    package func makeIterator() -> Iterator { Iterator(words) }
    package var underestimatedCount: Int { count }
}
