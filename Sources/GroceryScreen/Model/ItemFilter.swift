// The filter that a person types.
// SPDX-License-Identifier: Apache-2.0

internal import GroceryModel

/// Words that an item has in its name, quantity or tags, in any case. `#` before a word means tags only. A text with a comparison is
/// a predicate of the query language, which the daemon answers.
struct ItemFilter: Sendable {
    private let words: [String]
    /// The items that match a predicate; nil for words.
    private let matching: Set<ItemIdentifier>?

    /// Makes a filter.
    ///
    /// - Parameter answer: The last answer to a predicate. While a person goes on typing, it belongs to an earlier text.
    init(_ text: String, answer: Set<ItemIdentifier>? = nil) {
        let isPredicate = ItemFilter.isPredicate(text)
        matching = isPredicate ? answer : nil
        words =
            isPredicate
            ? [] : text.lowercased().split(whereSeparator: \.isWhitespace).map(String.init).filter { $0 != "#" }
    }

    /// The operators of predicates that are words.
    private static let operators: Set<Substring> = [
        "LIKE", "CONTAINS", "BEGINSWITH", "ENDSWITH", "MATCHES", "IN", "BETWEEN",
    ]

    /// Whether a text is a predicate: it has a sign of comparison, or an operator in upper case behind a word.
    static func isPredicate(_ text: String) -> Bool {
        text.contains { $0 == "=" || $0 == "<" || $0 == ">" }
            || text.split(whereSeparator: \.isWhitespace).dropFirst().contains { word in
                operators.contains(word.prefix { $0 != "[" })
            }
    }

    func matches(_ item: GroceryItem) -> Bool {
        if let matching { return matching.contains(item.id) }
        return words.allSatisfy { word in
            if word.hasPrefix("#") { return item.tags.contains { $0.lowercased().hasPrefix(word.dropFirst()) } }
            return item.name.lowercased().contains(word) || item.quantity.lowercased().contains(word)
                || item.tags.contains { $0.lowercased().contains(word) }
        }
    }
}
