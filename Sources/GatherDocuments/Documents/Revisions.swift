// Whether the contents are saved.
// SPDX-License-Identifier: Apache-2.0

/// Tells whether contents have unsaved changes: by the revision that an edit makes and an undo brings back, and by a count
/// for applications that keep undo steps of their own.
struct Revisions: Sendable, Hashable {
    private(set) var current: UInt64 = 0
    private var last: UInt64 = 0
    private var saved: UInt64 = 0
    private var count = 0
    /// Nil if no count leads back to the saved state.
    private var savedCount: Int? = 0

    var hasUnsavedChanges: Bool { current != saved || count != savedCount }

    /// The state that a save writes.
    struct Mark: Sendable, Hashable {
        fileprivate let revision: UInt64
        fileprivate let count: Int
    }

    var mark: Mark { Mark(revision: current, count: count) }

    /// Gives the contents a new revision.
    mutating func edit() {
        last += 1
        current = last
    }

    /// Brings a former revision back.
    mutating func restore(_ revision: UInt64) { current = revision }

    /// The contents of a mark are saved.
    mutating func didSave(_ mark: Mark) {
        saved = mark.revision
        savedCount = mark.count
    }

    mutating func change(_ change: ChangeCount) {
        switch change {
        case .done:
            // After this no redo leads to a saved state that was undone.
            if let saved = savedCount, count < saved { savedCount = nil }
            count += 1
        case .redone: count += 1
        case .undone: count -= 1
        case .cleared: didSave(mark)
        }
    }
}

/// A change of the contents that an application tells its document.
public enum ChangeCount: Sendable, Hashable {
    /// An edit was made.
    case done
    /// An edit was undone.
    case undone
    /// An edit was redone.
    case redone
    /// The contents count as saved.
    case cleared
}
