// Undoing the last change.
// SPDX-License-Identifier: Apache-2.0

internal import GatherDocuments

extension GroceryList {
    /// Undoes the last change that this user made on this machine, and returns its name; nil if there is none. Changes of other users
    /// and machines are merged.
    ///
    /// - Throws: ``GroceryError/Code/changed`` if a field that the change had set was changed again since. Then nothing is undone.
    package func undo() async throws -> String? {
        guard let (key, action, recorded) = try await undoLog.last() else { return nil }
        guard let recorded else {
            try await undoLog.forget(key)
            throw changed(action, "it was too large to be recorded. The next undo takes the change before it")
        }
        let steps = recorded.map { present($0) }
        // All steps are looked at before the first is undone.
        for step in steps { try await check(step, action) }
        for step in steps.reversed() { try await undo(step) }
        try await undoLog.forget(key)
        return action
    }

    /// Returns a step with the paths that its files have since the list was converted.
    private func present(_ step: UndoStep) -> UndoStep {
        switch step {
        case .edited(let id, let path, let before, let after):
            .edited(id: id, path: present(path), before: before, after: after)
        case .added(let path, let text): .added(path: present(path), text: text)
        case .trashed(let path, let trash): .trashed(path: present(path), trash: trash)
        }
    }

    private func changed(_ action: String, _ reason: String) -> GroceryError {
        GroceryError(.changed, "cannot undo '\(DisplayText.escaped(action))': \(reason)")
    }

    private func check(_ step: UndoStep, _ action: String) async throws {
        switch step {
        case .edited(_, let path, let before, let after):
            guard let now = try await text(path) else { throw changed(action, "the item is gone") }
            guard GroceryList.undone(ItemContents(text: now), before, after).conflicts.isEmpty else {
                throw changed(action, "the item was changed again since")
            }
        case .added(let path, let text):
            guard let now = try await self.text(path) else { throw changed(action, "the file is gone") }
            if let text, text != now { throw changed(action, "the item was changed since") }
        case .trashed(let path, let trash):
            guard FileSystem.exists(trash) else { throw changed(action, "the trash was emptied") }
            if FileSystem.exists(path) { throw changed(action, "\(path) is there again") }
        }
    }

    private func text(_ path: String) async throws -> String? {
        guard FileSystem.exists(path) else { return nil }
        // A picture is no text, and is not compared.
        return (try? await FileSystem.run { () throws(DocumentError) in try ItemContents.read(path).contents.text })
            ?? ""
    }

    private func undo(_ step: UndoStep) async throws {
        let trash = trash
        switch step {
        case .edited(let id, let path, let before, let after):
            _ = try await change(id, at: path) { $0 = GroceryList.undone($0, before, after).merged }
        case .added(let path, _):
            _ = try await FileSystem.run { () throws(DocumentError) in try trash.move(Array(path.utf8)) }
        case .trashed(let path, let place):
            let item = Trash.Item(path: place, originalPath: path)
            try await FileSystem.run { () throws(DocumentError) in try trash.restore(item) }
        }
    }

    /// Returns contents without the change from `before` to `after`, and the fields that were changed again since.
    private static func undone(
        _ now: ItemContents, _ before: String, _ after: String
    ) -> (merged: ItemContents, conflicts: [ItemField]) {
        ItemContents.merge(base: ItemContents(text: after), mine: ItemContents(text: before), theirs: now)
    }
}
