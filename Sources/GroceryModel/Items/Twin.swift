// An item that is added, and the one of its name that is on the list.
// SPDX-License-Identifier: Apache-2.0

internal import GatherDocuments

/// An item that is added, and the one of its name that is on the list.
package struct Twin: Sendable, Hashable {
    /// The item on the list. Where there are several, one that is not bought.
    package let item: GroceryItem
    /// The item that is added.
    package let typed: ItemContents

    /// Finds the item on a list; nil if none has this name, in upper or lower case.
    ///
    /// - Parameters:
    ///   - typed: The item that is added.
    ///   - items: The items on the list.
    package init?(_ typed: ItemContents, on items: some Sequence<GroceryItem>) {
        let key = ItemText.caseless(typed.name)
        func rank(_ item: GroceryItem) -> (Int, Int64, ItemIdentifier) {
            // If several are bought, the last is meant.
            (item.isBought ? 1 : 0, -(item.modified?.nanoseconds ?? 0), item.id)
        }
        guard let found = items.filter({ ItemText.caseless($0.name) == key }).min(by: { rank($0) < rank($1) }) else {
            return nil
        }
        item = found
        self.typed = typed
    }

    /// The quantity of the item if both are one: the sum, or the typed quantity for an item that comes back.
    package var quantity: String {
        guard item.isBought else { return QuantitySum.text(item.quantity, typed.quantity) }
        return typed.quantity.isEmpty ? item.quantity : typed.quantity
    }

    /// Makes the contents of the item those of both: not bought any more, with the tags and the note of both.
    ///
    /// - Parameters:
    ///   - contents: The contents of the item.
    ///   - quantity: The quantity afterwards.
    package func join(_ contents: inout ItemContents, quantity: String) {
        (contents.quantity, contents.isBought) = (quantity, false)
        contents.tags = (contents.tags + typed.tags).tagsWithoutRepetition
        if contents.note.isEmpty {
            contents.note = typed.note
        } else if !typed.note.isEmpty, typed.note != contents.note {
            contents.note += "\n" + typed.note
        }
    }

    /// The fact for a person, such as `Milk is on the list: 2 l`.
    package var fact: String {
        "\(DisplayText.escaped(item.name)) is on the list"
            + (item.quantity.isEmpty ? "" : ": \(DisplayText.escaped(item.quantity))")
    }
}

extension GroceryList {
    /// Makes an item that is added and the one of its name on the list one: that is not bought any more, has the quantity, and the
    /// tags and the note of both.
    ///
    /// - Parameters:
    ///   - twin: Both.
    ///   - quantity: The quantity afterwards.
    /// - Returns: The outcome of the save. If another program has changed the quantity since, both versions are kept.
    package func join(_ twin: Twin, quantity: String) async throws -> PutOutcome {
        var base = try await contents(of: twin.item.id)
        (base.quantity, base.isBought) = (twin.item.quantity, twin.item.isBought)
        var mine = base
        twin.join(&mine, quantity: quantity)
        return try await put(mine, base: base, for: twin.item.id)
    }
}
