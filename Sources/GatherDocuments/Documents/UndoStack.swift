// The steps that can be undone and redone.
// SPDX-License-Identifier: Apache-2.0

/// The contents before each step that can be undone, and after each that can be redone. Contents are values, so a step is the
/// whole contents, which share their storage with the others as far as they are equal.
struct UndoStack<Contents: Sendable>: Sendable {
    /// A state of the contents.
    struct Entry: Sendable {
        var contents: Contents
        /// The revision of the contents: equal for the same state.
        var revision: UInt64
        /// The action that leads away from the state, when undone or redone.
        var actionName: String?
    }

    private(set) var undo: [Entry] = []
    private(set) var redo: [Entry] = []
    /// The state at the beginning of the outermost group, and the number of open groups.
    private var group: Entry?
    private var depth = 0

    /// Records the state before an edit.
    mutating func record(_ before: Entry) {
        guard depth == 0 else { return }
        push(before)
    }

    private mutating func push(_ before: Entry) {
        undo.append(before)
        if undo.count > DocumentLimits.undoSteps { undo.removeFirst(undo.count - DocumentLimits.undoSteps) }
        redo = []
    }

    mutating func beginGroup(_ state: Entry) {
        if depth == 0 { group = state }
        depth += 1
    }

    /// Ends a group. With the outermost one, its edits become one step. A surplus call does nothing.
    mutating func endGroup(revision: UInt64) {
        guard depth > 0 else { return }
        depth -= 1
        guard depth == 0, let before = group else { return }
        group = nil
        if before.revision != revision { push(before) }
    }

    /// Takes the state before the last step, and keeps `now` to redo it.
    mutating func takeUndo(_ now: Entry) -> Entry? {
        guard depth == 0, let entry = undo.popLast() else { return nil }
        redo.append(Entry(contents: now.contents, revision: now.revision, actionName: entry.actionName))
        return entry
    }

    /// Takes the state after the last undone step, and keeps `now` to undo it.
    mutating func takeRedo(_ now: Entry) -> Entry? {
        guard depth == 0, let entry = redo.popLast() else { return nil }
        undo.append(Entry(contents: now.contents, revision: now.revision, actionName: entry.actionName))
        return entry
    }

    mutating func removeAll() { self = UndoStack() }
}
