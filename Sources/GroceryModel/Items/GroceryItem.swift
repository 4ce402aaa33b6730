// An item as a list shows it.
// SPDX-License-Identifier: Apache-2.0

package import GatherDocuments

/// An item as a list shows it. Its note is in its file only.
package struct GroceryItem: Sendable, Hashable, Identifiable {
    /// The name that is shown for an item whose file has none.
    package static let unnamed = "(no name)"

    package let id: ItemIdentifier
    /// The path of its file.
    package let path: String
    package var name: String
    package var quantity: String
    package var isBought: Bool
    package var tags: [String]
    /// The time of the last change.
    package var modified: Timestamp?
    /// The owner of the file.
    package var owner: String?
    /// The number of versions in conflict with this one.
    package var conflictVersions: Int

    package init(
        id: ItemIdentifier, path: String, summary: ItemSummary, modified: Timestamp? = nil, owner: String? = nil,
        conflictVersions: Int = 0
    ) {
        self.id = id
        self.path = path
        name = ItemText.isBlank(summary.name) ? GroceryItem.unnamed : summary.name
        quantity = summary.quantity
        isBought = summary.isBought
        tags = summary.tags
        self.modified = modified
        self.owner = owner
        self.conflictVersions = conflictVersions
    }

    /// Whether other versions are in conflict with this one.
    package var isInConflict: Bool { conflictVersions > 0 }

    /// The name, the quantity and the tags in one line. Control characters are escaped, since every member of the group may write
    /// names.
    package var line: String {
        var line = DisplayText.escaped(name)
        if !quantity.isEmpty { line += ", " + DisplayText.escaped(quantity) }
        if !tags.isEmpty { line += "  [\(tags.map { DisplayText.escaped($0) }.joined(separator: ", "))]" }
        return line
    }
}
