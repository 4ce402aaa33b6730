// Sort keys as bytes whose plain order is the order asked for: the daemon and its clients sort alike.
// SPDX-License-Identifier: Apache-2.0

/// What an item is sorted by as bytes, so that one comparison of bytes decides between two items whatever the keys are.
/// Each key begins with whether there is a value, and no key's bytes begin with all bytes of another's; so keys can stand
/// one behind the other, and a descending one has all its bits inverted.
///
/// Text goes in natural order: digits count as numbers (`a2` before `a10`), case does not count (ASCII's; other letters go
/// by code point); texts that are equal so go by their bytes. What has no value comes first.
package struct SortKeyBytes {
    package private(set) var bytes: [UInt8] = []

    private static let missing: UInt8 = 0
    private static let present: UInt8 = 1

    package init() {}

    /// Begins another item's key.
    package mutating func reset() { bytes.removeAll(keepingCapacity: true) }

    /// Makes the key that was written from a place on the exact reverse.
    package mutating func invert(from start: Int) {
        for index in start..<bytes.count { bytes[index] = ~bytes[index] }
    }

    package mutating func appendMissing() { bytes.append(Self.missing) }

    package mutating func append(_ flag: Bool) { bytes.append(flag ? 1 : 0) }

    package mutating func append(_ number: Int64?) {
        guard let number else { return appendMissing() }
        append(bits: UInt64(bitPattern: number) ^ 1 << 63)
    }

    package mutating func append(_ number: Double) {
        // Negative numbers have the order of their bits reversed, and -0 is 0.
        let bits = (number == 0 ? 0 : number).bitPattern
        append(bits: bits >> 63 == 0 ? bits | 1 << 63 : ~bits)
    }

    private mutating func append(bits: UInt64) {
        bytes.append(Self.present)
        for shift in stride(from: 56, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt64(shift)))
        }
    }

    /// Appends text: in natural order, then as it is.
    package mutating func append(text: [UInt8]) {
        bytes.append(Self.present)
        NaturalOrder.append(text, to: &bytes)
        if text.contains(where: { $0 <= 1 }) {
            for byte in text { NaturalOrder.append(escaping: byte, to: &bytes) }
        } else {
            bytes.append(contentsOf: text)
        }
        bytes.append(NaturalOrder.end)
    }

    /// Appends several texts, of which the first that differs decides.
    package mutating func append(texts: [String]) {
        for text in texts { append(text: Array(text.utf8)) }
        appendMissing()
    }
}
