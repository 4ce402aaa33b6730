// A bit for each row of a block.
// SPDX-License-Identifier: Apache-2.0

/// A bit for each of the 4,096 rows of a block.
package struct BlockBitmap: Sendable {
    /// The bits, 64 a word; row `i` of the block is bit `i & 63` of word `i >> 6`.
    package var words: InlineArray<64, UInt64>

    /// No rows.
    @inlinable
    package init() { words = InlineArray(repeating: 0) }

    /// All rows or none.
    @inlinable
    package init(all: Bool) { words = InlineArray(repeating: all ? .max : 0) }

    /// Whether no row is in it.
    @inlinable
    package var isEmpty: Bool {
        var any: UInt64 = 0
        for word in 0..<64 { any |= words[word] }
        return any == 0
    }

    /// How many rows are in it.
    @inlinable
    package var count: Int {
        var count = 0
        for word in 0..<64 { count += words[word].nonzeroBitCount }
        return count
    }

    /// Whether a row is in it.
    @inlinable
    package subscript(place: Int) -> Bool {
        get { words[place >> 6] >> UInt64(place & 63) & 1 != 0 }
        set {
            let bit = UInt64(1) << UInt64(place & 63)
            if newValue { words[place >> 6] |= bit } else { words[place >> 6] &= ~bit }
        }
    }

    /// Keeps the rows that are in both bitmaps.
    @inlinable
    package mutating func formIntersection(_ other: borrowing BlockBitmap) {
        for word in 0..<64 { words[word] &= other.words[word] }
    }

    /// Adds the rows of the other bitmap.
    @inlinable
    package mutating func formUnion(_ other: borrowing BlockBitmap) {
        for word in 0..<64 { words[word] |= other.words[word] }
    }

    /// Removes the rows of the other bitmap.
    @inlinable
    package mutating func subtract(_ other: borrowing BlockBitmap) {
        for word in 0..<64 { words[word] &= ~other.words[word] }
    }

    /// Calls `body` with the place of each row in it, ascending.
    @inlinable
    package func forEach<E: Error>(_ body: (Int) throws(E) -> Void) throws(E) {
        for word in 0..<64 {
            var bits = words[word]
            while bits != 0 {
                try body(word << 6 | bits.trailingZeroBitCount)
                bits &= bits &- 1
            }
        }
    }

    /// Keeps the rows for which `body` holds.
    @inlinable
    package mutating func filter<E: Error>(_ body: (Int) throws(E) -> Bool) throws(E) {
        for word in 0..<64 {
            var bits = words[word]
            var kept = bits
            while bits != 0 {
                let bit = bits & (0 &- bits)
                if try !body(word << 6 | bits.trailingZeroBitCount) { kept &= ~bit }
                bits &= bits &- 1
            }
            words[word] = kept
        }
    }
}
