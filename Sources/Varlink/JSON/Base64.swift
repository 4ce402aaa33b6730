// Base64 as RFC 4648, section 4, has it: how bytes that are no text travel in JSON.
// SPDX-License-Identifier: Apache-2.0

/// Base64 with padding, strict both ways.
package enum Base64 {
    @inline(__always)
    private static func digit(_ value: UInt32) -> UInt8 {
        let value = UInt8(truncatingIfNeeded: value)
        switch value {
        case 0..<26: return UInt8(ascii: "A") &+ value
        case 26..<52: return UInt8(ascii: "a") &+ (value &- 26)
        case 52..<62: return UInt8(ascii: "0") &+ (value &- 52)
        case 62: return UInt8(ascii: "+")
        default: return UInt8(ascii: "/")
        }
    }

    private static func value(_ digit: UInt8) -> UInt32? {
        switch digit {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(digit - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }

    /// Returns whether a byte is a digit or padding.
    package static func isDigit(_ byte: UInt8) -> Bool { value(byte) != nil || byte == UInt8(ascii: "=") }

    /// Appends the text of these bytes.
    package static func append(_ data: [UInt8], to text: inout [UInt8]) {
        text.reserveCapacity(text.count + (data.count + 2) / 3 * 4)
        data.withUnsafeBytes { forEachDigit(of: $0) { text.append($0) } }
    }

    /// Calls with each digit of the text of these bytes, and with the padding.
    @inline(__always)
    static func forEachDigit(of bytes: UnsafeRawBufferPointer, _ body: (UInt8) -> Void) {
        var index = 0
        while index < bytes.count {
            let left = bytes.count - index
            let bits =
                UInt32(bytes[index]) << 16 | (left > 1 ? UInt32(bytes[index + 1]) << 8 : 0)
                | (left > 2 ? UInt32(bytes[index + 2]) : 0)
            body(digit(bits >> 18))
            body(digit(bits >> 12 & 63))
            body(left > 1 ? digit(bits >> 6 & 63) : UInt8(ascii: "="))
            body(left > 2 ? digit(bits & 63) : UInt8(ascii: "="))
            index += 3
        }
    }

    /// The bytes that `text` stands for, or nil where it is not Base64: wrong digits, wrong padding, bits left over.
    package static func decode(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
        guard text.count % 4 == 0 else { return nil }
        guard !text.isEmpty else { return [] }
        let padding = text[text.count - 1] != UInt8(ascii: "=") ? 0 : text[text.count - 2] != UInt8(ascii: "=") ? 1 : 2
        let digits = text.count - padding
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3)
        var bits: UInt32 = 0
        var pending = 0
        for digit in text[..<digits] {
            guard let value = value(digit) else { return nil }
            bits = bits << 6 | value
            pending += 6
            if pending >= 8 {
                pending -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> pending))
                bits &= (1 << pending) - 1
            }
        }
        return bits == 0 ? bytes : nil
    }
}
