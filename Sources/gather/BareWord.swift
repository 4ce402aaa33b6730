// Words that were given where a predicate belongs.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit
internal import PredicateLanguage

/// A word such as `report` or `Item_*` that was given in place of a predicate, as `find -name` and `fd` take it.
enum BareWord {
    /// Returns the word without quotes around it; nil if the text has an operator or a keyword of the language.
    static func word(in text: String) -> String? {
        let word = unquoted(text)
        guard !word.isEmpty, !word.unicodeScalars.contains(where: comparisons.contains) else { return nil }
        let parts = word.split(separator: " ")
        let isUnclear =
            word.unicodeScalars.contains(where: brackets.contains) || parts.contains(where: { isKeyword($0) })
        guard isUnclear else { return word }
        // One word with brackets, or with the letters of a keyword, is a name if it is no predicate.
        return parts.count == 1 && !word.contains(",") && (try? Predicate(parsing: word, mode: .metadata)) == nil
            ? word : nil
    }

    /// Returns the word of a text that stands alone. A text that begins with the name of an attribute is a predicate with a
    /// mistake, which the error explains, and a path is for `--in`.
    static func name(in text: String) -> String? {
        guard !isPath(text), let word = word(in: text), let first = word.split(separator: " ").first,
            Attribute(name: String(first)) == nil
        else { return nil }
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

    private static let comparisons = Set("=<>!&".unicodeScalars)
    private static let brackets = Set("|(){}$".unicodeScalars)

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
