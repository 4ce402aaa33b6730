// The lines of the list.
// SPDX-License-Identifier: Apache-2.0

internal import GroceryModel

/// A line of the list.
enum ListRow: Sendable, Hashable {
    case heading(String)
    case item(GroceryItem)

    var id: ItemIdentifier? { if case .item(let item) = self { item.id } else { nil } }

    /// The lines of arranged items. Tags and bought items have headings, and the items without tags below others.
    static func rows(_ groups: [ItemGroup]) -> [ListRow] {
        var rows: [ListRow] = []
        for group in groups where !group.items.isEmpty {
            if group.isBought {
                rows.append(.heading("Bought"))
            } else if let tag = group.tag {
                rows.append(.heading("#" + tag))
            } else if !rows.isEmpty {
                rows.append(.heading("Without a tag"))
            }
            rows += group.items.map(ListRow.item)
        }
        return rows
    }
}
