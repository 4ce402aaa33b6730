// One line of text that a person edits.
// SPDX-License-Identifier: Apache-2.0

/// A line with a cursor between two characters. A combining mark joins the character before the cursor.
struct LineEditor: Sendable, Hashable {
    /// A longer text takes no more characters.
    static let longest = 4096

    private(set) var before: String
    private(set) var after = ""

    init(_ text: String = "") { before = LineEditor.oneLine(text) }

    var text: String { before + after }
    var isEmpty: Bool { before.isEmpty && after.isEmpty }

    /// Applies a key to the text, and returns whether it was a key for the text.
    mutating func press(_ key: Key) -> Bool {
        switch key {
        case .character(let scalar): insert(scalar)
        case .backspace: if !before.isEmpty { before.removeLast() }
        case .delete, .control("d"): if !after.isEmpty { after.removeFirst() }
        case .left, .control("b"): if let last = before.popLast() { after = String(last) + after }
        case .right, .control("f"): if !after.isEmpty { before.append(after.removeFirst()) }
        case .home, .control("a"): (before, after) = ("", text)
        case .end, .control("e"): (before, after) = (text, "")
        case .control("u"): before = ""
        case .control("k"): after = ""
        case .control("w"):
            while before.last == " " { before.removeLast() }
            while let last = before.last, last != " " { before.removeLast() }
        default: return false
        }
        return true
    }

    mutating func insert(_ scalar: Unicode.Scalar) {
        guard before.utf8.count + after.utf8.count < LineEditor.longest else { return }
        before.unicodeScalars.append(LineEditor.isLineEnd(scalar) ? " " : scalar)
    }

    private static func oneLine(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { result.append(isLineEnd(scalar) ? " " : scalar) }
        return String(result)
    }

    private static func isLineEnd(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .control || scalar == "\u{2028}" || scalar == "\u{2029}"
    }
}
