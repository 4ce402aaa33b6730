// File names as text that is safe to print.
// SPDX-License-Identifier: Apache-2.0

/// Makes names safe to print. A file name may have any byte but NUL and `/`. It may have line ends, control sequences
/// of terminals, and bytes that are not UTF-8.
public enum DisplayText {
    /// Returns `bytes` as text for a terminal. Control characters, bidirectional controls and invalid UTF-8 bytes are
    /// escaped: `\n`, `\t`, `\r`, `\e`, `\u{202e}`, `\xff`.
    public static func escaped(_ bytes: some Collection<UInt8>) -> String {
        if bytes.allSatisfy(isPlain) { return String(decoding: bytes, as: UTF8.self) }
        var text = ""
        var index = bytes.startIndex
        while true {
            let start = index
            switch decodeOne(bytes, from: &index) {
            case .scalar(let scalar): append(scalar, to: &text)
            case .invalid:
                for byte in bytes[start..<index] { text += "\\x" + hexadecimal(UInt32(byte), digits: 2) }
            case .end: return text
            }
        }
    }

    /// Returns `text` with the escapes of ``escaped(_:)-swift.type.method``.
    public static func escaped(_ text: String) -> String {
        text.utf8.allSatisfy(isPlain) ? text : escaped(Array(text.utf8))
    }

    /// Whether a byte stands for itself. Almost all names have such bytes only.
    private static func isPlain(_ byte: UInt8) -> Bool { byte >= 0x20 && byte < 0x7F }

    private enum Decoded {
        case scalar(Unicode.Scalar)
        case invalid
        case end
    }

    private static func decodeOne<Bytes: Collection<UInt8>>(
        _ bytes: Bytes, from index: inout Bytes.Index
    ) -> Decoded {
        guard index < bytes.endIndex else { return .end }
        let first = bytes[index]
        let length = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
        let sequence = bytes[index...].prefix(length)
        // The standard library decides which sequences are well formed.
        if let text = String(validating: sequence, as: UTF8.self), let scalar = text.unicodeScalars.first,
            text.unicodeScalars.count == 1
        {
            index = bytes.index(index, offsetBy: sequence.count)
            return .scalar(scalar)
        }
        index = bytes.index(after: index)
        return .invalid
    }

    private static func append(_ scalar: Unicode.Scalar, to text: inout String) {
        switch scalar {
        case "\n": text += "\\n"
        case "\t": text += "\\t"
        case "\r": text += "\\r"
        case "\u{1B}": text += "\\e"
        default:
            switch scalar.properties.generalCategory {
            case .control where scalar.value < 0x80: text += "\\x" + hexadecimal(scalar.value, digits: 2)
            case .control, .lineSeparator, .paragraphSeparator:
                text += "\\u{" + hexadecimal(scalar.value, digits: 1) + "}"
            case .format where turnsDirection(scalar): text += "\\u{" + hexadecimal(scalar.value, digits: 1) + "}"
            default: text.unicodeScalars.append(scalar)
            }
        }
    }

    /// The embeddings, overrides and isolates of Unicode's bidirectional algorithm. Other format characters are
    /// harmless, such as the joiner inside an emoji.
    private static func turnsDirection(_ scalar: Unicode.Scalar) -> Bool {
        (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
    }

    private static func hexadecimal(_ value: UInt32, digits: Int) -> String {
        let text = String(value, radix: 16)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
