// News for the view.
// SPDX-License-Identifier: Apache-2.0

internal import GroceryModel

enum ScreenEvent: Sendable {
    case list(ListEvent)
    /// The events of the list have ended with an error.
    case ended(String)
    case details(DetailsKey, Result<ItemDetails, ScreenFailure>)
    /// A change was made, or why it was not.
    case finished(Int, Result<WorkOutcome, ScreenFailure>)
    /// The user who removed an item; nil if that is not known.
    case remover(ItemIdentifier, String?)
    /// The change that the next undo takes back; nil for none.
    case undoable(UndoableChange?)
    /// The items that match a predicate.
    case matched(String, Result<Set<ItemIdentifier>, ScreenFailure>)
    /// The reason for which a command could not be run, or failed; nil for none.
    case ran(String?)
    /// The editor has ended.
    case edited(ItemIdentifier, EditorOutcome)
}

/// The result of a change.
struct WorkOutcome: Sendable {
    /// A sentence for the message line, without a full stop.
    var message: String?
    var added: ItemIdentifier?
    var opened: ItemContents?
    var items: [GroceryItem]?
}

extension WorkOutcome {
    /// Makes the result of saving contents that a person has edited.
    init(_ outcome: PutOutcome) {
        switch outcome {
        case .saved: self.init(message: "Saved")
        case .merged: self.init(message: "Saved, together with a change from elsewhere")
        case .conflict: self.init(message: "Saved; it is in conflict with a change from elsewhere")
        case .unchanged: self.init(message: "Nothing was changed")
        }
    }

    /// Says another fact behind the message.
    mutating func append(_ fact: String) { message = message.map { "\($0); \(fact)" } ?? fact }
}

enum EditorOutcome: Sendable {
    case changed(EditedText)
    case unchanged
    /// The message names the file that keeps the text, if there is one.
    case failed(String)
}

/// An error as a sentence for a person, without a full stop.
struct ScreenFailure: Error, Sendable {
    let message: String
}
