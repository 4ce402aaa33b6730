// Words that were given where a predicate belongs.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit

/// A word such as `Item_*` that was given where a predicate belongs, as `find -name` and `fd` take it.
enum BareWord {
    /// Returns the word without quotes around it; nil if the text has an operator or a keyword of the language.
    static func word(in text: String) -> String? {
        let word = unquoted(text)
        let operators = Set("=<>!&|(){}$".unicodeScalars)
        guard !word.isEmpty, !word.unicodeScalars.contains(where: operators.contains),
            !word.split(separator: " ").contains(where: { isKeyword($0) })
        else { return nil }
        return word
    }

    /// Returns the predicate that was probably meant; nil if the text is no bare word. A text that begins with the name of
    /// an attribute is a predicate with a mistake, which the error explains.
    static func predicate(meantBy text: String) -> String? {
        guard let word = word(in: text), let first = word.split(separator: " ").first,
            Attribute(name: String(first)) == nil
        else { return nil }
        let isPattern = word.contains("*") || word.contains("?")
        return (isPattern ? "name LIKE " : "name CONTAINS[c] ") + PredicateText.literal(word)
    }

    /// Whether the text is a path in place of a predicate, as `find` takes it.
    static func isPath(_ text: String) -> Bool {
        text == "." || text == ".." || text == "~" || ["/", "./", "../", "~/"].contains { text.hasPrefix($0) }
    }

    static func isKeyword(_ word: some StringProtocol) -> Bool { keywords.contains(word.uppercased()) }

    private static func unquoted(_ text: String) -> String {
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
