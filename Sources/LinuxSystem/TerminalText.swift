// Text that is safe on a terminal.
// SPDX-License-Identifier: Apache-2.0

/// Makes text safe on a terminal. Whatever a program shows passes through it: names of files, arguments, and the texts of
/// daemons and other machines may have control sequences, which would move the cursor, change the title or type commands.
package enum TerminalText {
    /// Returns `bytes` as text in one line. Control characters, bidirectional controls and invalid UTF-8 bytes are escaped:
    /// `\n`, `\t`, `\r`, `\e`, `\u{202e}`, `\xff`.
    package static func escaped(_ bytes: some Collection<UInt8>) -> String { text(bytes, keepsLines: false) }

    /// Returns text in one line.
    package static func escaped(_ text: String) -> String {
        text.utf8.allSatisfy(isPlain) ? text : escaped(Array(text.utf8))
    }

    /// Returns lines of text. Their line ends and tabs stay.
    package static func shown(_ bytes: some Collection<UInt8>) -> String { text(bytes, keepsLines: true) }

    /// Returns lines of text. Their line ends and tabs stay.
    package static func shown(_ message: String) -> String {
        message.utf8.allSatisfy(isPlain) ? message : shown(Array(message.utf8))
    }

    /// Returns lines of output, whose line ends, tabs and colours (`ESC [ NUMBERS m`) stay. Other control sequences are escaped,
    /// so a program escapes what it colours.
    package static func shown(coloured lines: String) -> String {
        lines.utf8.allSatisfy(isPlain) ? lines : text(Array(lines.utf8), keepsLines: true, keepsColours: true)
    }

    /// Whether a byte stands for itself. Almost all text has such bytes only.
    private static func isPlain(_ byte: UInt8) -> Bool { byte >= 0x20 && byte < 0x7F }

    private static func text<Bytes: Collection<UInt8>>(
        _ bytes: Bytes, keepsLines: Bool, keepsColours: Bool = false
    ) -> String {
        if bytes.allSatisfy(isPlain) { return String(decoding: bytes, as: UTF8.self) }
        var text = ""
        var index = bytes.startIndex
        while true {
            let start = index
            switch decodeOne(bytes, from: &index) {
            case .scalar("\n") where keepsLines: text += "\n"
            case .scalar("\t") where keepsLines: text += "\t"
            case .scalar("\u{1B}") where keepsColours:
                if let end = endOfColour(bytes, from: index) {
                    text += String(decoding: bytes[start..<end], as: UTF8.self)
                    index = end
                } else {
                    append("\u{1B}", to: &text)
                }
            case .scalar(let scalar): append(scalar, to: &text)
            case .invalid:
                for byte in bytes[start..<index] { text += "\\x" + hexadecimal(UInt32(byte), digits: 2) }
            case .end: return text
            }
        }
    }

    /// The end of `[ NUMBERS m`, which begins here; nil if something else does.
    private static func endOfColour<Bytes: Collection<UInt8>>(_ bytes: Bytes, from start: Bytes.Index) -> Bytes.Index? {
        guard start < bytes.endIndex, bytes[start] == UInt8(ascii: "[") else { return nil }
        var index = bytes.index(after: start)
        while index < bytes.endIndex {
            switch bytes[index] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: ";"): index = bytes.index(after: index)
            case UInt8(ascii: "m"): return bytes.index(after: index)
            default: return nil
            }
        }
        return nil
    }

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
