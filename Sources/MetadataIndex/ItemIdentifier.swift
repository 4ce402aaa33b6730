// The identity of an item: a row and which of its occupants, and its text.
// SPDX-License-Identifier: Apache-2.0

/// The identity of an item within one index: its row, and which of the row's occupants it is. None is given twice.
package struct ItemIdentifier: Hashable, Sendable {
    /// The row that holds the item.
    package let row: Row
    /// Counts the occupants of the row.
    package let generation: UInt32

    /// The identifier of the occupant `generation` of `row`.
    @inlinable
    package init(row: Row, generation: UInt32) {
        self.row = row
        self.generation = generation
    }
}

extension ItemIdentifier {
    /// Appends the text known outside: the epoch of the index, the row and the generation in lower-case hexadecimal
    /// without leading zeros, joined by hyphens (`9f86d081884c7d65-1f4-0`).
    package func appendText(epoch: UInt64, to bytes: inout [UInt8]) {
        ItemIdentifier.append(epoch, to: &bytes)
        bytes.append(UInt8(ascii: "-"))
        ItemIdentifier.append(UInt64(row.number), to: &bytes)
        bytes.append(UInt8(ascii: "-"))
        ItemIdentifier.append(UInt64(generation), to: &bytes)
    }

    /// The text known outside; see ``appendText(epoch:to:)``.
    package func text(epoch: UInt64) -> String {
        var bytes: [UInt8] = []
        appendText(epoch: epoch, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads the text back, with the epoch of the index that it belongs to. Nil for anything that
    /// ``appendText(epoch:to:)`` does not write (leading zeros and capitals included), so each item has one text.
    package static func parse(_ text: some Sequence<UInt8>) -> (epoch: UInt64, identifier: ItemIdentifier)? {
        var numbers: (UInt64, UInt64, UInt64) = (0, 0, 0)
        var part = 0
        var digits = 0
        var value: UInt64 = 0
        func close() -> Bool {
            guard digits > 0 else { return false }
            switch part {
            case 0: numbers.0 = value
            case 1: numbers.1 = value
            default: numbers.2 = value
            }
            return true
        }
        for byte in text {
            let digit: UInt64
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = UInt64(byte - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = UInt64(byte - UInt8(ascii: "a") + 10)
            case UInt8(ascii: "-"):
                guard close(), part < 2 else { return nil }
                part += 1
                digits = 0
                value = 0
                continue
            default: return nil
            }
            guard digits < 16, digits == 0 || value != 0 else { return nil }
            value = value << 4 | digit
            digits += 1
        }
        guard part == 2, close(), let row = UInt32(exactly: numbers.1), let generation = UInt32(exactly: numbers.2),
            row != Row.none
        else { return nil }
        return (numbers.0, ItemIdentifier(row: Row(row), generation: generation))
    }

    private static func append(_ value: UInt64, to bytes: inout [UInt8]) {
        var shift = max(0, 60 - value.leadingZeroBitCount / 4 * 4)
        while true {
            let digit = UInt8(truncatingIfNeeded: value >> UInt64(shift) & 15)
            bytes.append(digit < 10 ? digit + UInt8(ascii: "0") : digit - 10 + UInt8(ascii: "a"))
            if shift == 0 { return }
            shift -= 4
        }
    }
}
