// Base64 as RFC 4648, section 4, has it: how bytes that are no text travel in JSON.
// SPDX-License-Identifier: Apache-2.0

/// Base64 with padding, strict both ways.
package enum Base64 {
    @inline(__always)
    static func digit(_ value: UInt32) -> UInt8 {
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
