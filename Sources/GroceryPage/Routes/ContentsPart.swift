// Some fields of an item, as the page sends them.
// SPDX-License-Identifier: Apache-2.0

internal import GroceryModel
internal import Varlink

/// Some fields of an item. The page sends the fields that it knows, and a list does not show the note.
struct ContentsPart: Sendable, Hashable {
    var name: String?
    var quantity: String?
    var isBought: Bool?
    var tags: [String]?
    /// Nil inside for no picture.
    var picture: String??
    var note: String?

    init() {}

    init(_ reader: inout JSONReader) throws(JSONError) {
        try reader.beginObject()
        while try reader.nextKey() {
            switch reader.key {
            case "name": name = try reader.readString()
            case "quantity": quantity = try reader.readString()
            case "bought": isBought = try reader.readBool()
            case "tags":
                tags = try reader.readArray { (reader: inout JSONReader) throws(JSONError) in try reader.readString() }
            case "picture": picture = .some(try reader.readNullIfPresent() ? nil : try reader.readString())
            case "note": note = try reader.readString()
            default: try reader.skipValue()
            }
        }
    }

    /// Returns contents with these fields replaced.
    func applied(to contents: ItemContents) -> ItemContents {
        var contents = contents
        if let name { contents.name = name }
        if let quantity { contents.quantity = quantity }
        if let isBought { contents.isBought = isBought }
        if let tags { contents.tags = tags }
        if let picture { contents.picture = picture }
        if let note { contents.note = note }
        return contents
    }
}
