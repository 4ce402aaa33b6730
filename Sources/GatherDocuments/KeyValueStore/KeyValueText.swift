// The text of values in a store's file.
// SPDX-License-Identifier: Apache-2.0

internal import Metadata
internal import Varlink

/// The text of values, which has one form for each value.
///
/// | value | text |
/// |---|---|
/// | string | `"…"`: `\"` and `\\` for these two, `\xHH` for ASCII control characters |
/// | integer | `i-12` |
/// | double | `d0.1`: the shortest decimal that reads back exactly |
/// | boolean | `t` or `f` |
/// | date | `@1700000000000000000`: nanoseconds since 1970 |
/// | data | `b` and base64 with padding (RFC 4648) |
/// | array | `[VALUE,VALUE]` |
/// | dictionary | `{"KEY":VALUE,"KEY":VALUE}`, by the bytes of the keys |
enum KeyValueText {
    /// Returns the text of a value. Complexity: O(size).
    static func bytes(_ value: KeyValue) -> [UInt8] {
        var bytes: [UInt8] = []
        append(value, to: &bytes)
        return bytes
    }

    /// Appends the text of a value.
    static func append(_ value: KeyValue, to bytes: inout [UInt8]) {
        switch value {
        case .string(let text): append(text, to: &bytes)
        case .integer(let number): bytes += "i\(number)".utf8
        case .double(let number): bytes += "d\(number)".utf8
        case .boolean(let flag): bytes.append(flag ? UInt8(ascii: "t") : UInt8(ascii: "f"))
        case .date(let time): bytes += "@\(time.nanoseconds)".utf8
        case .data(let data):
            bytes.append(UInt8(ascii: "b"))
            Base64.append(data, to: &bytes)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                append(element, to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .dictionary(let elements):
            bytes.append(UInt8(ascii: "{"))
            let sorted = elements.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            for (index, element) in sorted.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                append(element.key, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                append(element.value, to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    /// Appends a quoted text.
    static func append(_ text: String, to bytes: inout [UInt8]) {
        let digits = Array("0123456789abcdef".utf8)
        bytes.append(quote)
        for byte in text.utf8 {
            switch byte {
            case quote, backslash: bytes += [backslash, byte]
            case 0..<0x20, 0x7F:
                bytes += [backslash, UInt8(ascii: "x"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            default: bytes.append(byte)
            }
        }
        bytes.append(quote)
    }

    static let quote = UInt8(ascii: "\"")
    static let backslash = UInt8(ascii: "\\")
}
