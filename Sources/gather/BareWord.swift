// Words that were given where a predicate belongs.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit
internal import PredicateLanguage

/// A word such as `report` or `Item_*` that was given in place of a predicate, as `find -name` and `fd` take it.
enum BareWord {
    /// Returns the word without quotes around it; nil for a predicate, and for a text with signs of one: a comparison, a quoted
    /// literal, a keyword in capitals beside other words, or a function of an attribute. Those are predicates with a mistake.
    static func word(in text: String) -> String? {
        let word = unquoted(text)
        guard !word.isEmpty, !hasSigns(word), (try? Predicate(parsing: word, mode: .metadata)) == nil else {
            return nil
        }
        return word
    }

    private static func hasSigns(_ text: String) -> Bool {
        if operators.contains(where: text.contains) { return true }
        let parts = text.split(whereSeparator: { " (){},!".contains($0) })
        if parts.contains(where: { $0.hasPrefix("'") || $0.hasPrefix("\"") }) { return true }
        // In lower case these are words of titles.
        let isKeywordInCapitals = { (part: Substring) in
            isKeyword(part) && !part.prefix { $0 != "[" }.contains(where: \.isLowercase)
        }
        if parts.count > 1, parts.contains(where: isKeywordInCapitals) { return true }
        return text.split(separator: "(").dropFirst().contains { argument in
            Attribute(name: String(argument.prefix { $0.isLetter })) != nil
        }
    }

    /// Returns the word of a text that stands alone. A text that begins with the name of an attribute is a predicate with a
    /// mistake, which the error explains, and a path is for `--in`.
    static func name(in text: String) -> String? {
        guard !isPath(text), let word = word(in: text) else { return nil }
        let names = word.split { " ()!".contains($0) }.drop { isKeyword($0) }
        if let first = names.first, Attribute(name: String(first)) != nil { return nil }
        return word
    }

    /// Returns the predicate that was probably meant; nil if the text is no word.
    static func predicate(meantBy text: String) -> String? {
        guard let word = name(in: text) else { return nil }
        let isPattern = word.contains("*") || word.contains("?")
        return (isPattern ? "name LIKE " : "name CONTAINS[c] ") + PredicateText.literal(word)
    }

    /// Whether the text is a path in place of a predicate, as `find` takes it.
    static func isPath(_ text: String) -> Bool {
        text == "." || text == ".." || text == "~" || ["/", "./", "../", "~/"].contains { text.hasPrefix($0) }
    }

    /// Whether a word is a keyword, also one with options such as `LIKE[c]`.
    static func isKeyword(_ word: some StringProtocol) -> Bool {
        keywords.contains(word.prefix { $0 != "[" }.uppercased())
    }

    private static let operators = ["=", "<", ">", "&&", "||"]

    static func unquoted(_ text: String) -> String {
        for quote in ["'", "\""] where text.count > 2 && text.hasPrefix(quote) && text.hasSuffix(quote) {
            return String(text.dropFirst().dropLast())
        }
        return text
    }

    private static let keywords: Set<String> = [
        "LIKE", "BEGINSWITH", "ENDSWITH", "CONTAINS", "MATCHES", "IN", "BETWEEN", "ANY", "SOME", "ALL", "NONE", "AND",
        "OR", "NOT", "TRUEPREDICATE", "FALSEPREDICATE", "UTI-CONFORMS-TO", "UTI-EQUALS",
    ]
}
