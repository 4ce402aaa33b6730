// Finding an item by the text that a user types.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit

extension GroceryItem {
    /// Whether a text is the whole name or identifier, in upper or lower case.
    package func hasName(_ text: String) -> Bool { hasName(key: ItemText.caseless(text)) }

    fileprivate func hasName(key: String) -> Bool { ItemText.caseless(name) == key || id.text.lowercased() == key }
}

extension [GroceryItem] {
    /// Returns the items sorted by name (``NameOrder``), then by identifier.
    package func sortedByName() -> [GroceryItem] {
        // Places are moved in place of items, which are large.
        let keys = map { NameOrder($0.name) }
        return indices.sorted { keys[$0] == keys[$1] ? self[$0].id < self[$1].id : keys[$0] < keys[$1] }
            .map { self[$0] }
    }

    /// Returns the one item that `text` names, in upper or lower case. The text is a whole name or identifier, or the
    /// beginning of a name, or at least ``GroceryLimits/shortestBeginning`` characters of the beginning of an
    /// identifier.
    ///
    /// Text in the middle of a name matches no item, since `remove` must not take an item that the user did not think
    /// of.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - isBought: Whether the item is meant that is bought, or the one that is not, of two with the same name; nil for neither.
    package func named(_ text: String, isBought: Bool? = nil) throws(GroceryError) -> GroceryItem {
        let key = ItemText.caseless(text)
        guard !key.isEmpty else { throw GroceryError(.invalid, "an item needs a name that is not empty") }
        var found = filter { $0.hasName(key: key) }
        if found.isEmpty {
            let mayBeIdentifier = key.count >= GroceryLimits.shortestBeginning
            found = filter {
                ItemText.caseless($0.name).hasPrefix(key) || mayBeIdentifier && $0.id.text.lowercased().hasPrefix(key)
            }
        }
        if let isBought, Set(found.map { ItemText.caseless($0.name) }).count == 1 {
            let meant = found.filter { $0.isBought == isBought }
            if meant.count == 1 { found = meant }
        }
        switch found.count {
        case 1: return found[0]
        case 0:
            throw GroceryError(
                .notFound, "no item is named '\(DisplayText.escaped(text))' or begins with it; see: grocery list")
        default:
            let shown = found.sortedByName().prefix(10).map { "  \($0.id.short)  \(DisplayText.escaped($0.name))" }
            let more = found.count > 10 ? ["  … and \(found.count - 10) more"] : []
            throw GroceryError(
                .ambiguous,
                """
                '\(DisplayText.escaped(text))' matches \(found.count) items; use more of the name, or the identifier:
                \((shown + more).joined(separator: "\n"))
                """)
        }
    }
}
