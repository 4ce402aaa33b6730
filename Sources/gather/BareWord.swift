// What a person means who gives a name where a predicate belongs.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit

/// A word such as `Item_*` where a predicate belongs, as `find -name` and the shell would take it.
enum BareWord {
    /// The predicate that was probably meant, where `text` says nothing that only a predicate says.
    static func predicate(meantBy text: String) -> String? {
        let word = unquoted(text)
        let operators = Set("=<>!&|(){}$".unicodeScalars)
        guard !word.isEmpty, !word.unicodeScalars.contains(where: operators.contains),
            !word.split(separator: " ").contains(where: { keywords.contains($0.uppercased()) })
        else { return nil }
        let literal = "'\(word.flatMap { $0 == "'" || $0 == "\\" ? ["\\", $0] : [$0] }.map(String.init).joined())'"
        let isPattern = word.contains("*") || word.contains("?")
        return isPattern ? "name LIKE \(literal)" : "name CONTAINS[c] \(literal)"
    }

    private static func unquoted(_ text: String) -> String {
        for quote in ["'", "\""] where text.count > 2 && text.hasPrefix(quote) && text.hasSuffix(quote) {
            return String(text.dropFirst().dropLast())
        }
        return text
    }

    private static let keywords: Set<String> = [
        "LIKE", "BEGINSWITH", "ENDSWITH", "CONTAINS", "MATCHES", "IN", "BETWEEN", "ANY", "SOME", "ALL", "NONE", "AND",
        "OR", "NOT", "TRUEPREDICATE", "FALSEPREDICATE",
    ]
}
