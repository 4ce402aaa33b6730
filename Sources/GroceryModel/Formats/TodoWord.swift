// The words of a line of todo.txt.
// SPDX-License-Identifier: Apache-2.0

/// A word of a line of todo.txt.
///
/// A name may have words that look like tags or fields, and several blanks in a row. A backslash comes before those, and stands for
/// an empty word between two blanks. It means nothing before other words, so that names of other programs stay as they are.
enum TodoWord {
    /// A word of the name, without the backslash that kept it from being another kind.
    case name(String)
    case tag(String)
    case quantity(String)
    case detail(TodoDetail)

    /// The word after which the name begins, whatever it looks like.
    static let beginning = "\\"

    init(_ word: String) {
        if let special = TodoWord(special: word) {
            self = special
        } else if word.utf8.first == UInt8(ascii: "\\"), TodoWord.isSpecial(word) {
            self = .name(String(Substring(word.utf8.dropFirst())))
        } else {
            self = .name(word)
        }
    }

    /// Returns the words of a name, with backslashes where they are needed.
    static func words(ofName name: String) -> [String] {
        name.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false).map {
            let word = String(Substring($0))
            return isSpecial(word) ? "\\" + word : word
        }
    }

    /// Returns a tag or a quantity as one word.
    static func joined(_ text: String) -> String {
        var word = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case " ": word += "_"
            case "_", "\\": word += "\\\(scalar)"
            default: word.unicodeScalars.append(scalar)
            }
        }
        return word
    }

    /// Reads a word that ``joined(_:)`` made, or another program.
    private static func separated(_ word: Substring.UTF8View) -> String {
        var (bytes, rest) = ([UInt8](), word)
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\\"), let next = rest.first,
                [UInt8(ascii: "_"), UInt8(ascii: "\\")].contains(next)
            {
                bytes.append(next)
                rest.removeFirst()
            } else {
                bytes.append(byte == UInt8(ascii: "_") ? UInt8(ascii: " ") : byte)
            }
        }
        return ItemText.trimmed(String(decoding: bytes, as: UTF8.self))
    }

    /// Whether a word needs a backslash in a name: without those that it begins with, it is empty or no part of a name. Other programs
    /// take `@_` and `+1,5` for a context and a project, so these get one, too.
    private static func isSpecial(_ word: String) -> Bool {
        let rest = String(Substring(word.utf8.drop { $0 == UInt8(ascii: "\\") }))
        guard let first = rest.utf8.first else { return true }
        return "@+".utf8.contains(first) && rest.utf8.count > 1 || TodoWord(special: rest) != nil
    }

    /// Makes a tag or a field; nil for a word of a name.
    private init?(special word: String) {
        let bytes = Substring(word).utf8
        switch bytes.first {
        case UInt8(ascii: "@"), UInt8(ascii: "+"):
            let tag = TodoWord.separated(bytes.dropFirst())
            // No tag has a comma, so `+1,5` is none.
            guard !tag.isEmpty, !tag.utf8.contains(UInt8(ascii: ",")) else { return nil }
            self = .tag(tag)
        case UInt8(ascii: "q") where bytes.starts(with: "qty:".utf8):
            let quantity = TodoWord.separated(bytes.dropFirst(4))
            guard !quantity.isEmpty else { return nil }
            self = .quantity(quantity)
        default:
            guard let detail = TodoDetail(word: word) else { return nil }
            self = .detail(detail)
        }
    }
}
