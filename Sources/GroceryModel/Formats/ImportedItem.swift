// An item of a file that is imported.
// SPDX-License-Identifier: Apache-2.0

/// An item of a file that is imported.
package struct ImportedItem: Sendable, Hashable {
    /// The identifier in the file; nil for one without, or with one of another program.
    package var id: ItemIdentifier?
    package var contents: ItemContents
    /// The fields that the file tells of. An item on the list with the same values in them is this item.
    package var fields: Set<ItemField>
    /// The place in the file, such as `line 3`.
    package var place: String

    package init(
        id: ItemIdentifier? = nil, contents: ItemContents, fields: Set<ItemField>, place: String
    ) {
        self.id = id
        self.contents = contents
        self.fields = fields
        self.place = place
    }

    /// Makes sure that the item can be saved, and gives its fields the form in which a file of an item is read.
    mutating func normalize() throws(GroceryError) {
        do throws(GroceryError) {
            try ItemText.requireName(contents.name)
            try contents.check()
        } catch {
            throw GroceryError(error.code, "\(place): \(error.message)")
        }
        contents = ItemContents(text: contents.text)
    }

    /// Whether an item on the list has all that the file tells. Other lines may be more there.
    func isEqual(_ other: ItemContents) -> Bool {
        fields.allSatisfy { field in
            switch field {
            // A name that is imported has no blanks around it.
            case .name: ItemText.trimmed(contents.name) == ItemText.trimmed(other.name)
            case .quantity: contents.quantity == other.quantity
            case .bought: contents.isBought == other.isBought
            case .tags: Set(contents.tags.map(ItemText.tagKey)) == Set(other.tags.map(ItemText.tagKey))
            case .note: contents.note == other.note
            // The files have no pictures.
            case .picture: true
            case .others: contents.otherLines == other.otherLines
            }
        } && contents.otherLines.allSatisfy(other.otherLines.contains)
    }
}
