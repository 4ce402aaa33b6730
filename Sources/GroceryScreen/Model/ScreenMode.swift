// The part of the view that the keys belong to.
// SPDX-License-Identifier: Apache-2.0

internal import GroceryModel

enum ScreenMode: Sendable {
    case list
    case filter
    case prompt(Prompt)
    /// The details of the selected item take the keys that scroll.
    case details
    case conflict(ConflictPicker)
    case help
    /// The view ends when all changes are made.
    case quitting
}

/// A question with a line of text as its answer.
struct Prompt: Sendable {
    enum Purpose: Sendable, Hashable {
        case add
        /// The quantity of an item on the list that was added again, as it was typed.
        case join(Twin, String)
        case rename(ItemIdentifier)
        case setQuantity(ItemIdentifier)
        case tag(ItemIdentifier)
        case untag(ItemIdentifier)
        /// A command of grocery.
        case command
    }

    var purpose: Purpose
    var title: String
    var line: LineEditor
    /// The text that it began with.
    var first = ""
    /// Whether the text is only proposed: the first character that is typed replaces it.
    var isProposal = false
    /// Why the text could not be saved.
    var error: String?
}

/// Text that the terminal pastes.
enum Paste: Sendable {
    /// Each line is an item.
    case items
    /// All of it is one line.
    case line
    case ignored
}

/// The light of an item.
enum Light: Sendable {
    case normal
    case busy
    case inConflict
}

/// A line of text with a style, on the message line.
struct Message: Sendable, Hashable {
    var text: String
    var isError = false
}
