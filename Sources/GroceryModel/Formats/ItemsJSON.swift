// Items as JSON.
// SPDX-License-Identifier: Apache-2.0

internal import Varlink

/// An item with the identifier of its file, as files of other programs hold it.
package struct ExportedItem: Sendable, Hashable {
    package var id: ItemIdentifier?
    package var contents: ItemContents
    /// The number of versions in conflict with it.
    package var conflictVersions = 0

    package init(id: ItemIdentifier?, contents: ItemContents, conflictVersions: Int = 0) {
        self.id = id
        self.contents = contents
        self.conflictVersions = conflictVersions
    }
}

/// Items as JSON: an array with an object for each item.
package enum ItemsJSON {
    /// Returns the text, with an item in each line.
    package static func text(_ items: [ExportedItem]) -> String {
        guard !items.isEmpty else { return "[]\n" }
        let lines = items.map { item in
            var writer = JSONWriter()
            writer.beginObject()
            if let id = item.id { writer.field("id", id.text) }
            writer.field("name", item.contents.name)
            if !item.contents.quantity.isEmpty { writer.field("quantity", item.contents.quantity) }
            writer.field("bought", item.contents.isBought)
            writer.field("tags", item.contents.tags)
            if let picture = item.contents.picture { writer.field("picture", picture) }
            if !item.contents.note.isEmpty { writer.field("note", item.contents.note) }
            if !item.contents.otherLines.isEmpty { writer.field("others", item.contents.otherLines) }
            if item.conflictVersions > 0 { writer.field("conflictVersions", Int64(item.conflictVersions)) }
            writer.endObject()
            return writer.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        }
        return "[\n" + lines.joined(separator: ",\n") + "\n]\n"
    }
}
