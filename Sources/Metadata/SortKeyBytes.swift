// Sort keys whose byte order is the requested order. The daemon and its clients use the same ones.
// SPDX-License-Identifier: Apache-2.0

/// The sort keys of an item as bytes, so that one byte comparison orders two items for any keys. Each key begins with a
/// marker for the presence of a value, and no key is a prefix of another. So keys can be concatenated, and a descending
/// key has all its bits inverted.
///
/// Text is in natural order: digits compare as numbers (`a2` before `a10`) and ASCII case is ignored; other letters
/// compare by code point. Texts that are equal so compare by their bytes. A missing value comes first.
package struct SortKeyBytes {
    package private(set) var bytes: [UInt8] = []

    private static let missing: UInt8 = 0
    private static let present: UInt8 = 1
    /// The marker of a number beyond `Int64.max`, which sorts behind all others.
    private static let beyond: UInt8 = 2

    package init() {}

    /// Starts the key of another item.
    package mutating func reset() { bytes.removeAll(keepingCapacity: true) }

    /// Inverts the key that was written from a position on, for a descending order.
    package mutating func invert(from start: Int) {
        for index in start..<bytes.count { bytes[index] = ~bytes[index] }
    }

    package mutating func appendMissing() { bytes.append(Self.missing) }

    package mutating func append(_ flag: Bool) { bytes.append(flag ? 1 : 0) }

    package mutating func append(_ number: Int64?) {
        guard let number else { return appendMissing() }
        append(bits: UInt64(bitPattern: number) ^ 1 << 63)
    }

    package mutating func append(_ number: UInt64) {
        if let number = Int64(exactly: number) { return append(number) }
        append(bits: number, marker: Self.beyond)
    }

    package mutating func append(_ number: Double) {
        // The bits of negative numbers are inverted, and -0 counts as 0.
        let bits = (number == 0 ? 0 : number).bitPattern
        append(bits: bits >> 63 == 0 ? bits | 1 << 63 : ~bits)
    }

    private mutating func append(bits: UInt64, marker: UInt8 = SortKeyBytes.present) {
        bytes.append(marker)
        for shift in stride(from: 56, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt64(shift)))
        }
    }

    /// Appends text: in natural order, then unchanged.
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

    /// Appends several texts. The first difference decides.
    package mutating func append(texts: [String]) {
        for text in texts { append(text: Array(text.utf8)) }
        appendMissing()
    }
}
