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

    /// Reads such a text. Unknown fields are skipped, and names that cannot be are an error.
    package static func items(_ text: [UInt8]) throws(GroceryError) -> [ExportedItem] {
        var items: [ExportedItem]
        do throws(JSONError) {
            items = try JSONBytes(text).read { (reader: inout JSONReader) throws(JSONError) in
                try reader.readArray { (reader: inout JSONReader) throws(JSONError) in try item(&reader) }
            }
        } catch {
            throw GroceryError(.invalid, "the file is not a JSON array of items: \(error)")
        }
        for index in items.indices {
            let name = try ItemText.name(items[index].contents.name)
            items[index].contents.name = name
            items[index].contents.tags = items[index].contents.tags.withoutRepetition
            // The picture is not a part of the file.
            items[index].contents.picture = nil
            try items[index].contents.check()
        }
        return items
    }

    private static func item(_ reader: inout JSONReader) throws(JSONError) -> ExportedItem {
        var item = ExportedItem(id: nil, contents: ItemContents(name: ""))
        try reader.beginObject()
        while try reader.nextKey() {
            switch reader.key {
            case "id": item.id = ItemIdentifier(text: try reader.readString())
            case "name": item.contents.name = try reader.readString()
            case "quantity": item.contents.quantity = try reader.readString()
            case "bought": item.contents.isBought = try reader.readBool()
            case "note": item.contents.note = try reader.readString()
            case "tags": item.contents.tags = try strings(&reader)
            case "others": item.contents.otherLines = try strings(&reader)
            default: try reader.skipValue()
            }
        }
        return item
    }

    private static func strings(_ reader: inout JSONReader) throws(JSONError) -> [String] {
        try reader.readArray { (reader: inout JSONReader) throws(JSONError) in try reader.readString() }
    }
}
