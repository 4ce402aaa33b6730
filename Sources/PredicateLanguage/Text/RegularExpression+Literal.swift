// The plain text that every match of a regular expression has.
// SPDX-License-Identifier: Apache-2.0

extension RegularExpression {
    /// The longest run of plain ASCII characters that every match has, outside groups and not optional. It is nil where
    /// there is none, or where the expression has syntax that this function does not read.
    static func requiredLiteral(of text: String) -> RequiredLiteral? {
        let bytes = Array(text.utf8)
        // Alternatives, comments and settings can change the meaning of every other part. The search is by bytes: Swift
        // takes a bar with a combining mark behind it for another character.
        for (place, byte) in bytes.enumerated() {
            if byte == UInt8(ascii: "|") { return nil }
            if byte == UInt8(ascii: "("), place + 1 < bytes.count, "?*".utf8.contains(bytes[place + 1]) { return nil }
        }
        var longest: [UInt8] = []
        var run: [UInt8] = []
        var depth = 0
        func settle() {
            if run.count > longest.count { longest = run }
            run = []
        }
        var at = 0
        while at < bytes.count {
            let byte = bytes[at]
            at += 1
            switch Unicode.Scalar(byte) {
            case "\\":
                guard at < bytes.count else { return nil }
                let escaped = bytes[at]
                at += 1
                // After a backslash, a letter or digit is a class, a quotation, a reference or a code.
                let isPlain = escaped < 0x80 && !isWord(escaped)
                if !isPlain {
                    guard "dDwWsS".utf8.contains(escaped) else { return nil }
                    settle()
                } else if depth == 0 {
                    run.append(escaped)
                }
            case "(":
                settle()
                depth += 1
            case ")":
                settle()
                depth -= 1
                if depth < 0 { return nil }
            case "[":
                settle()
                // A bracket right after the first belongs to the class. Classes within classes are not read.
                if at < bytes.count, bytes[at] == UInt8(ascii: "^") { at += 1 }
                if at < bytes.count, bytes[at] == UInt8(ascii: "]") { at += 1 }
                while at < bytes.count, bytes[at] != UInt8(ascii: "]") {
                    if bytes[at] == UInt8(ascii: "[") { return nil }
                    if bytes[at] == UInt8(ascii: "\\") {
                        // `\c` takes the next character, also a bracket.
                        guard at + 1 < bytes.count, !"QEc".utf8.contains(bytes[at + 1]) else { return nil }
                        at += 1
                    }
                    at += 1
                }
                at += 1
            case "{":
                // A brace without numbers is plain, and so is the text behind it.
                let end = bytes[at...].firstIndex { !"0123456789, \t".utf8.contains($0) } ?? bytes.count
                guard end < bytes.count, bytes[end] == UInt8(ascii: "}") else {
                    settle()
                    continue
                }
                if !run.isEmpty { run.removeLast() }
                settle()
                at = end + 1
            case "*", "?", "+":
                // The text before it may be missing or repeated.
                if !run.isEmpty { run.removeLast() }
                settle()
            case ".", "^", "$", "]", "}": settle()
            default:
                if byte >= 0x80 || depth > 0 { settle() } else { run.append(byte) }
            }
        }
        settle()
        return longest.isEmpty ? nil : RequiredLiteral(.infix, longest, isSufficient: false)
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}
