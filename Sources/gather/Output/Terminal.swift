// What is known of the terminal, if there is one.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit
internal import Glibc

enum Terminal {
    static func isTerminal(_ descriptor: Int32 = STDOUT_FILENO) -> Bool { isatty(descriptor) == 1 }

    /// Whether more than ASCII is shown, as the locale says.
    static var isUnicode: Bool {
        for name in ["LC_ALL", "LC_CTYPE", "LANG"] {
            guard let value = getenv(name), value.pointee != 0 else { continue }
            let text = String(cString: value).lowercased()
            return text.hasSuffix("utf-8") || text.hasSuffix("utf8")
        }
        return false
    }

    /// Whether colour is welcome: a terminal that understands it, and nobody has asked for none (no-color.org).
    static func hasColor(_ descriptor: Int32 = STDOUT_FILENO) -> Bool {
        guard isTerminal(descriptor) else { return false }
        if let value = getenv("NO_COLOR"), value.pointee != 0 { return false }
        guard let type = getenv("TERM") else { return false }
        return strcmp(type, "dumb") != 0
    }
}

/// The few colours that are used, as the basic sixteen that every theme has chosen well.
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
