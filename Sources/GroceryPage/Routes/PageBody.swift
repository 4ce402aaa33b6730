// The bodies of changes.
// SPDX-License-Identifier: Apache-2.0

internal import GroceryModel
internal import NIOCore
internal import Varlink

/// The body of a change: an object with some of these fields.
struct PageBody: Sendable {
    /// The identifier of the change, which a repeated request has too.
    var change: String?
    /// The identifier of the item.
    var id: String?
    /// The identifiers of several items.
    var ids: [String]?
    /// The fields as they were when the user edited them.
    var base: ContentsPart?
    /// The fields as the user wants them.
    var mine: ContentsPart?
    /// The choice that resolves a conflict: `version`, `both` or `merged`.
    var keep: String?
    /// The version to keep.
    var version: String?
    var token: String?
    /// Whether an item that was removed comes back for the change.
    var bringsBack = false
    /// The change that the user was shown before it is taken back.
    var undo: UndoableChange?

    /// The most bytes of an identifier of a change.
    static let changeBytes = 64

    init(_ bytes: ByteBuffer) throws(JSONError) {
        self = try JSONBytes(bytes).read { (reader: inout JSONReader) throws(JSONError) in try PageBody(&reader) }
        if let change, !PageBody.isChange(change) { throw JSONError(.invalidValue(change), at: 0) }
    }

    /// Returns whether a text may identify a change.
    static func isChange(_ text: String) -> Bool { !text.isEmpty && text.utf8.count <= changeBytes }

    private init(_ reader: inout JSONReader) throws(JSONError) {
        try reader.beginObject()
        while try reader.nextKey() {
            switch reader.key {
            case "change": change = try reader.readString()
            case "id": id = try reader.readString()
            case "ids":
                ids = try reader.readArray { (reader: inout JSONReader) throws(JSONError) in try reader.readString() }
            case "base": base = try reader.readNullIfPresent() ? nil : try ContentsPart(&reader)
            case "mine": mine = try ContentsPart(&reader)
            case "keep": keep = try reader.readString()
            case "version": version = try reader.readString()
            case "bringBack": bringsBack = try reader.readBool()
            case "undo": undo = try PageBody.undoable(&reader)
            case "token": token = try reader.readString()
            default: try reader.skipValue()
            }
        }
    }

    private static func undoable(_ reader: inout JSONReader) throws(JSONError) -> UndoableChange {
        var (key, action) = ("", "")
        try reader.beginObject()
        while try reader.nextKey() {
            switch reader.key {
            case "key": key = try reader.readString()
            case "action": action = try reader.readString()
            default: try reader.skipValue()
            }
        }
        return UndoableChange(key: key, action: action)
    }
}
