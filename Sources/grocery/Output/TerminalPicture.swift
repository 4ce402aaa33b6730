// Pictures in terminals that can show them.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Varlink

/// The protocols by which terminals show pictures.
enum TerminalPicture {
    /// `OSC 1337` of iTerm2, which WezTerm and others understand, for every format.
    case inlineFile
    /// The graphics protocol of kitty, for PNG.
    case kitty

    /// The protocol of this terminal; nil for none.
    static var supported: TerminalPicture? {
        guard Output.isTerminal else { return nil }
        func variable(_ name: String) -> String { getenv(name).map { String(cString: $0) } ?? "" }
        if variable("TERM") == "xterm-kitty" { return .kitty }
        if ["iTerm.app", "WezTerm"].contains(variable("TERM_PROGRAM")) { return .inlineFile }
        return nil
    }

    /// The most bytes of a part of the kitty protocol.
    private static let partBytes = 4_096

    /// Returns the escape sequence that shows a picture; empty for a format that the terminal does not know.
    func text(_ bytes: [UInt8]) -> String {
        var digits: [UInt8] = []
        Base64.append(bytes, to: &digits)
        let data = String(decoding: digits, as: UTF8.self)
        switch self {
        case .inlineFile: return "\u{1B}]1337;File=inline=1;size=\(bytes.count);height=12:\(data)\u{7}\n"
        case .kitty:
            guard bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) else { return "" }
            var (text, rest) = ("", Substring(data))
            while !rest.isEmpty {
                let part = rest.prefix(TerminalPicture.partBytes)
                rest = rest.dropFirst(TerminalPicture.partBytes)
                let keys = text.isEmpty ? "a=T,f=100,r=12," : ""
                text += "\u{1B}_G\(keys)m=\(rest.isEmpty ? 0 : 1);\(part)\u{1B}\\"
            }
            return text + "\n"
        }
    }
}
