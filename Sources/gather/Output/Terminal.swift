// Properties of the terminal, if there is one.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit
internal import Glibc

enum Terminal {
    static func isTerminal(_ descriptor: Int32 = STDOUT_FILENO) -> Bool { isatty(descriptor) == 1 }

    /// How many columns standard output has; no limit if it is no terminal.
    static var width: Int { isTerminal() ? RawTerminal.columns(STDOUT_FILENO) : .max }

    /// Whether the locale is one of UTF-8.
    static var isUnicode: Bool {
        for name in ["LC_ALL", "LC_CTYPE", "LANG"] {
            guard let value = getenv(name), value.pointee != 0 else { continue }
            let text = String(cString: value).lowercased()
            return text.hasSuffix("utf-8") || text.hasSuffix("utf8")
        }
        return false
    }

    /// Whether to use colour: the terminal understands it, and `NO_COLOR` is not set (no-color.org).
    static func hasColor(_ descriptor: Int32 = STDOUT_FILENO) -> Bool {
        guard isTerminal(descriptor) else { return false }
        if let value = getenv("NO_COLOR"), value.pointee != 0 { return false }
        guard let type = getenv("TERM") else { return false }
        return strcmp(type, "dumb") != 0
    }
}

/// The colours in use, from the basic sixteen, which every theme of a terminal defines.
enum Color: String {
    case bold = "1"
    case dim = "2"
    case red = "31"
    case green = "32"
    case yellow = "33"
    case blue = "34"
    case cyan = "36"

    func paint(_ text: String, if wanted: Bool) -> String {
        wanted ? "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" : text
    }
}
