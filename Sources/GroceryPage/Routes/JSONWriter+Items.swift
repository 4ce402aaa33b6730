// Items, contents and versions as JSON.
// SPDX-License-Identifier: Apache-2.0

internal import GroceryModel
internal import Metadata
internal import Varlink

extension JSONWriter {
    /// Writes items as a list.
    mutating func items(_ items: some Sequence<GroceryItem>) {
        beginArray()
        for item in items {
            beginObject()
            field("id", item.id.text)
            field("name", item.name)
            field("quantity", item.quantity)
            field("bought", item.isBought)
            field("tags", item.tags)
            field("modified", item.modified?.rfc3339)
            field("owner", item.owner)
            field("conflicts", Int64(item.conflictVersions))
            endObject()
        }
        endArray()
    }

    /// Writes the contents of an item as an object.
    mutating func contents(_ contents: ItemContents) {
        beginObject()
        field("name", contents.name)
        field("quantity", contents.quantity)
        field("bought", contents.isBought)
        field("tags", contents.tags)
        field("picture", contents.picture)
        field("note", contents.note)
        endObject()
    }

    /// Writes a version as an object.
    mutating func version(_ version: PageVersion) {
        beginObject()
        field("version", version.name)
        field("current", version.isCurrent)
        field("device", version.device)
        field("modified", version.modified.rfc3339)
        key("contents")
        contents(version.contents)
        endObject()
    }
}
