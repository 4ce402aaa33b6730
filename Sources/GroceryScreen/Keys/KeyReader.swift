// The bytes and key codes of a terminal as keys.
// SPDX-License-Identifier: Apache-2.0

internal import CNcurses

/// Puts bytes together to characters. Terminals send UTF-8 whatever the locale of the process is.
struct KeyReader {
    private var bytes: [UInt8] = []
    private var missing = 0

    /// Returns the keys that a code completes: none inside of a character, and a replacement character before a key that cuts
    /// one off.
    mutating func keys(code: Int32, mouse: () -> (column: Int, line: Int) = { (0, 0) }) -> [Key] {
        if let byte = UInt8(exactly: code) { return keys(byte: byte) }
        var found = interrupted()
        if let key = KeyReader.special(code, mouse: mouse) { found.append(key) }
        return found
    }

    private mutating func keys(byte: UInt8) -> [Key] {
        if missing > 0 {
            guard byte & 0xC0 == 0x80 else { return interrupted() + keys(byte: byte) }
            bytes.append(byte)
            missing -= 1
            guard missing == 0 else { return [] }
            defer { bytes = [] }
            let text = String(validating: bytes, as: UTF8.self)
            return [.character(text?.unicodeScalars.first ?? "\u{FFFD}")]
        }
        switch byte {
        case 0x09: return [.tab]
        case 0x0A, 0x0D: return [.enter]
        case 0x08, 0x7F: return [.backspace]
        case 0x1B: return [.escape]
        case 0x01...0x1A: return [.control(Unicode.Scalar(byte + 0x60))]
        case 0x00...0x1F: return []
        case 0x20...0x7E: return [.character(Unicode.Scalar(byte))]
        case 0xC2...0xDF: missing = 1
        case 0xE0...0xEF: missing = 2
        case 0xF0...0xF4: missing = 3
        default: return [.character("\u{FFFD}")]
        }
        bytes = [byte]
        return []
    }

    private mutating func interrupted() -> [Key] {
        guard missing > 0 else { return [] }
        missing = 0
        bytes = []
        return [.character("\u{FFFD}")]
    }

    private static func special(_ code: Int32, mouse: () -> (column: Int, line: Int)) -> Key? {
        switch Int(code) {
        case Int(CNCURSES_UP): .up
        case Int(CNCURSES_DOWN): .down
        case Int(CNCURSES_LEFT): .left
        case Int(CNCURSES_RIGHT): .right
        case Int(CNCURSES_PAGE_UP): .pageUp
        case Int(CNCURSES_PAGE_DOWN): .pageDown
        case Int(CNCURSES_HOME): .home
        case Int(CNCURSES_END): .end
        case Int(CNCURSES_DELETE): .delete
        case Int(CNCURSES_BACKSPACE): .backspace
        case Int(CNCURSES_ENTER): .enter
        case Int(CNCURSES_HELP): .help
        case Int(CNCURSES_PASTE_BEGIN): .pasteBegin
        case Int(CNCURSES_PASTE_END): .pasteEnd
        case Int(CNCURSES_WHEEL_UP): .wheelUp
        case Int(CNCURSES_WHEEL_DOWN): .wheelDown
        case Int(CNCURSES_CLICK):
            {
                let (column, line) = mouse()
                return .click(column: column, line: line)
            }()
        default: nil
        }
    }
}
