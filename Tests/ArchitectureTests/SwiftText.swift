// The types of a Swift file and their stored properties, read from its text.
// SPDX-License-Identifier: Apache-2.0

/// A Swift file without its comments and the contents of its strings. Declarations are found by their first words. That is
/// enough for text that swift-format has laid out: a declaration begins a line, and its brace ends one.
struct SwiftText {
    /// A type with its stored properties.
    struct DeclaredType: Equatable {
        /// The name, with the names of the types around it.
        let name: String
        let storedProperties: Int
    }

    private let code: [UInt8]

    init(_ text: String) { code = SwiftText.withoutComments(Array(text.utf8)) }

    /// The structures, classes, actors and enumerations that are declared here. An extension has no stored properties.
    var types: [DeclaredType] {
        var types: [DeclaredType] = []
        var scopes: [(name: String?, isType: Bool, body: [UInt8])] = [(nil, true, [])]
        for byte in code {
            switch byte {
            case UInt8(ascii: "{"):
                let (keyword, name) = SwiftText.typeDeclared(at: scopes[scopes.count - 1].body)
                let outer = scopes.reversed().first { $0.name != nil }?.name
                let isType = keyword != nil && keyword != "extension" && keyword != "protocol"
                scopes.append((keyword == nil ? nil : (outer.map { $0 + "." } ?? "") + name, isType, []))
            case UInt8(ascii: "}"):
                guard scopes.count > 1, let inner = scopes.popLast() else { break }
                if let name = inner.name, inner.isType {
                    types.append(DeclaredType(name: name, storedProperties: SwiftText.storedProperties(inner.body)))
                }
                let isObserved = inner.body.drop { $0 <= UInt8(ascii: " ") }.starts(with: "didSet".utf8)
                scopes[scopes.count - 1].body += (isObserved ? "{observed}" : "{}").utf8
            default: scopes[scopes.count - 1].body.append(byte)
            }
        }
        return types
    }

    /// Returns the keyword and the name of the declaration whose brace comes next; nil for a function and the like.
    private static func typeDeclared(at text: [UInt8]) -> (keyword: Substring?, name: String) {
        // The declaration comes after the brace that ended another one.
        let start = text.lastIndex(of: UInt8(ascii: "}")).map { $0 + 1 } ?? 0
        for line in text[start...].split(separator: UInt8(ascii: "\n")).reversed() {
            guard let declaration = Declaration(line) else { continue }
            guard ["struct", "class", "actor", "enum", "extension", "protocol"].contains(declaration.keyword) else {
                break
            }
            let name = declaration.rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
            return (declaration.keyword, String(name))
        }
        return (nil, "")
    }

    /// Counts the stored properties in the body of a type, whose inner braces are empty.
    private static func storedProperties(_ body: [UInt8]) -> Int {
        var count = 0
        for line in body.split(separator: UInt8(ascii: "\n")) {
            guard let declaration = Declaration(line), ["let", "var"].contains(declaration.keyword),
                !declaration.modifiers.contains("static"), !declaration.modifiers.contains("class")
            else { continue }
            let rest = declaration.rest
            if let brace = rest.firstIndex(of: "{"), !rest[..<brace].contains("="),
                !rest[brace...].hasPrefix("{observed}")
            {
                continue
            }
            count += names(in: String(rest))
        }
        return count
    }

    /// The first words of a line that declares something: modifiers, the keyword, and the rest.
    private struct Declaration {
        let modifiers: [Substring]
        let keyword: Substring
        let rest: Substring

        init?(_ line: ArraySlice<UInt8>) {
            let text = String(decoding: line, as: UTF8.self)
            var words = text.split(separator: " ")[...]
            var modifiers: [Substring] = []
            while let word = words.first {
                let isDeclared = SwiftText.keywords.contains(word)
                // `class` before another keyword is a modifier.
                if isDeclared, word != "class" || !words.dropFirst().contains(where: SwiftText.keywords.contains) {
                    guard words.count > 1 else { return nil }
                    (self.modifiers, keyword) = (modifiers, word)
                    rest = text[words[words.startIndex + 1].startIndex...]
                    return
                }
                guard word.allSatisfy({ $0.isLetter || $0.isNumber || "@_().".contains($0) }) else { return nil }
                modifiers.append(word)
                words.removeFirst()
            }
            return nil
        }
    }

    private static let keywords: Set<Substring> = [
        "struct", "class", "actor", "enum", "extension", "protocol", "func", "init", "var", "let", "subscript", "case",
    ]

    /// Counts the names of a declaration: `a: Int, b: Int` and `(a, b): (Int, Int)` have two.
    private static func names(in text: String) -> Int {
        if text.hasPrefix("(") { return text.prefix { $0 != ")" }.count { $0 == "," } + 1 }
        var (depth, count, hasValue) = (0, 1, false)
        for character in text {
            if "([<{".contains(character) { depth += 1 }
            if ")]>}".contains(character) { depth -= 1 }
            if character == "=" { hasValue = true }
            if character == ",", depth == 0, !hasValue { count += 1 }
        }
        return count
    }

    /// Returns text with blanks in place of comments and of what strings contain.
    private static func withoutComments(_ text: [UInt8]) -> [UInt8] {
        var code: [UInt8] = []
        code.reserveCapacity(text.count)
        let (quote, hash, slash, newline) = (
            UInt8(ascii: "\""), UInt8(ascii: "#"), UInt8(ascii: "/"), UInt8(ascii: "\n")
        )
        var index = 0
        func has(_ word: [UInt8], at place: Int) -> Bool {
            place < text.count && text[place] == word[0] && text[place...].starts(with: word)
        }
        /// Skips a string, with the code in it, which has no declarations.
        func skipString() {
            var hashes: [UInt8] = []
            while index < text.count, text[index] == hash { (hashes, index) = (hashes + [hash], index + 1) }
            let quotes: [UInt8] = has([quote, quote, quote], at: index) ? [quote, quote, quote] : [quote]
            let (end, escape) = (quotes + hashes, [UInt8(ascii: "\\")] + hashes)
            let interpolation = escape + [UInt8(ascii: "(")]
            index += quotes.count
            while index < text.count, !has(end, at: index) {
                if has(interpolation, at: index) {
                    index += interpolation.count
                    var depth = 1
                    while index < text.count, depth > 0 {
                        if text[index] == quote {
                            skipString()
                            continue
                        }
                        if text[index] == UInt8(ascii: "(") { depth += 1 }
                        if text[index] == UInt8(ascii: ")") { depth -= 1 }
                        index += 1
                    }
                } else if has(escape, at: index) {
                    index += escape.count + 1
                } else {
                    index += 1
                }
            }
            index += end.count
        }
        while index < text.count {
            if has([slash, slash], at: index) {
                while index < text.count, text[index] != newline { index += 1 }
            } else if has([slash, UInt8(ascii: "*")], at: index) {
                while index < text.count, !has([UInt8(ascii: "*"), slash], at: index) { index += 1 }
                index += 2
            } else if text[index] == quote || has([hash, quote], at: index) || has([hash, hash, quote], at: index) {
                skipString()
                code += [quote, quote]
            } else if text[index] == slash, let last = code.last(where: { $0 != UInt8(ascii: " ") }),
                "(,=:[".utf8.contains(last),
                let end = text[(index + 1)...].firstIndex(where: { $0 == slash || $0 == newline }),
                text[end] == slash
            {
                // A regular expression.
                index = end + 1
            } else {
                code.append(text[index])
                index += 1
            }
        }
        return code
    }
}
