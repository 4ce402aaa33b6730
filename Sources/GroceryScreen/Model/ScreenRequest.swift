// The requests of the view to the list and to the terminal.
// SPDX-License-Identifier: Apache-2.0

internal import GroceryModel

/// A change of the list. Changes are made in the order in which they were asked for.
enum ScreenWork: Sendable {
    case add(String)
    /// Adds an item that is on the list: the one there has the quantity then, and is not bought.
    case join(Twin, String)
    case setBought(ItemIdentifier, Bool)
    /// The texts are the one that the person saw, and the new one.
    case rename(ItemIdentifier, String, String)
    case setQuantity(ItemIdentifier, String, String)
    case tag(ItemIdentifier, [String])
    case untag(ItemIdentifier, [String])
    case remove(ItemIdentifier)
    /// Brings back an item that was removed elsewhere.
    case bringBack(ItemIdentifier)
    /// Takes back the change that the person was shown.
    case undo(UndoableChange?)
    case resolve(ItemIdentifier, Resolution)
    /// Reads the contents for the editor.
    case openForEditing(ItemIdentifier)
    /// Saves the text that the editor has left.
    case save(ItemIdentifier, EditedText)
    case saveSettings(ListSettings)
    /// Reads all items again.
    case reload

    /// The item that is busy meanwhile.
    var item: ItemIdentifier? {
        switch self {
        case .join(let twin, _): twin.item.id
        case .setBought(let id, _), .rename(let id, _, _), .setQuantity(let id, _, _), .tag(let id, _),
            .untag(let id, _),
            .remove(let id), .bringBack(let id), .resolve(let id, _), .openForEditing(let id), .save(let id, _):
            id
        case .add, .undo, .saveSettings, .reload: nil
        }
    }
}

/// The text of an item that a person has edited, and the file that keeps it until it is saved.
struct EditedText: Sendable {
    let bytes: [UInt8]
    /// The contents that the editor began with.
    let base: ItemContents
    let path: String
}

enum ScreenRequest: Sendable {
    case work(Int, ScreenWork)
    case edit(ItemIdentifier, ItemContents)
    /// Asks who removed an item.
    case remover(ItemIdentifier)
    /// Asks which items match a predicate.
    case match(String)
    /// Runs a command of grocery on the terminal.
    case run(String)
    /// Begins the events of the list again.
    case follow
    case redraw
    case quit
}
