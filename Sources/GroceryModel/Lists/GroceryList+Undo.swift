// Undoing the last change.
// SPDX-License-Identifier: Apache-2.0

internal import GatherDocuments

extension GroceryList {
    /// Returns the changes that can be taken back, the last one first. The next ``undo(_:)`` takes that.
    package func lastChanges() async throws -> [UndoableChange] {
        try await undoLog.changes().reversed().map { UndoableChange(key: $0.key, action: $0.action) }
    }

    /// Takes back the last change in the log of this list. Changes of other users and machines are merged. A step that has become
    /// impossible, since others changed or removed the same thing, is left out, and the other steps are taken back.
    ///
    /// - Parameter shown: The change that the user was shown; nil for whichever is the last one.
    /// - Returns: The name of the change, and the reasons of the steps that were left out; nil if there is no change.
    /// - Throws: ``GroceryError/Code/changed`` if no step is possible, or if the last change is another than the one shown. A change
    ///   without a possible step is forgotten, so that the one before it can be taken back. After another error, such as a full disk,
    ///   the steps that are left can be taken back later.
    package func undo(_ shown: UndoableChange? = nil) async throws -> (action: String, leftOut: [String])? {
        let lock = await undoLog.lock()
        defer { withExtendedLifetime(lock) {} }
        guard let last = try await undoLog.changes().last else { return nil }
        guard shown == nil || shown == UndoableChange(key: last.key, action: last.action) else {
            throw GroceryError(.changed, "the last change is another one by now: \(DisplayText.escaped(last.action))")
        }
        try await requireFolder()
        var (left, leftOut, count) = (last.steps ?? [], [String](), 0)
        if last.steps == nil { leftOut.append("it was too large to be recorded") }
        // A picture comes and goes with the line that names it.
        if left.contains(where: isOfPicture), let reason = try await firstObstacle(to: left.filter(\.isEdit)) {
            (left, leftOut) = ([], [reason])
        }
        do {
            while let recorded = left.last {
                let step = present(recorded)
                if let obstacle = try await obstacle(to: step) {
                    leftOut.append(obstacle)
                } else if let obstacle = try await undo(step) {
                    leftOut.append(obstacle)
                } else {
                    count += 1
                }
                left.removeLast()
            }
        } catch {
            try? await undoLog.keep(left, of: last.key, last.action)
            throw error
        }
        try await undoLog.forget(last.key)
        leftOut = leftOut.withoutRepetition
        guard count > 0 else {
            throw GroceryError(
                .changed,
                "cannot undo '\(DisplayText.escaped(last.action))': \(leftOut.joined(separator: "; ")). "
                    + "The next undo takes the change before it")
        }
        return (last.action, leftOut)
    }

    /// Refuses a container that is away, and one without a folder for documents, such as the directory that a disk was mounted on.
    func requireFolder() async throws {
        try await container.requirePresent()
        let folder = "\(container.data)/Documents"
        try requirePlace()
        guard FileSystem.isFolder(folder) else {
            throw GroceryError(.away, "the list is away: \(folder) is missing")
        }
    }

    private func isOfPicture(_ step: UndoStep) -> Bool {
        switch step {
        case .edited: false
        case .added(_, let text): text == nil
        case .trashed(let path, _): path.split(separator: "/").last.map { isPicture(String($0)) } ?? false
        }
    }

    private func firstObstacle(to steps: [UndoStep]) async throws -> String? {
        for step in steps { if let obstacle = try await obstacle(to: present(step)) { return obstacle } }
        return nil
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

    /// Returns the reason why a step cannot be taken back; nil if it can.
    private func obstacle(to step: UndoStep) async throws -> String? {
        do {
            return try await change(since: step)
        } catch let error as DocumentError where GroceryList.isLasting(error) {
            return error.message
        }
    }

    private func change(since step: UndoStep) async throws -> String? {
        switch step {
        case .edited(_, let path, let before, let after):
            guard let now = try await contents(path) else { return "\(name(before)) is gone" }
            let conflicts = GroceryList.undone(now, before, after).conflicts
            return conflicts.isEmpty ? nil : "\(name(after)) was changed again since"
        case .added(let path, let text):
            guard let text else { return FileSystem.exists(path) ? nil : "the picture is gone" }
            guard let now = try await contents(path) else { return "\(name(text)) is gone" }
            // As a file gives them back: older versions of this program recorded the text as typed.
            return now == ItemContents(text: text) ? nil : "\(name(text)) was changed since"
        case .trashed(let path, let trash):
            let name = path.split(separator: "/").last.map { DisplayText.escaped(String($0)) } ?? path
            guard FileSystem.exists(trash) else { return "\(name) is not in the trash any more" }
            return FileSystem.exists(path) ? "\(name) is there again" : nil
        }
    }

    private func name(_ text: String) -> String { DisplayText.escaped(ItemContents(text: text).name) }

    private func contents(_ path: String) async throws -> ItemContents? {
        guard FileSystem.exists(path) else { return nil }
        return try await FileSystem.run { () throws(DocumentError) in try ItemContents.read(FilePath(path)).contents }
    }

    /// Takes back a step. Returns the reason if that is impossible. An error that may pass, such as a full disk, is thrown.
    private func undo(_ step: UndoStep) async throws -> String? {
        let trash = trash
        do {
            switch step {
            case .edited(let id, let path, let before, let after):
                _ = try await change(id, at: path) { $0 = GroceryList.undone($0, before, after).merged }
            case .added(let path, _):
                _ = try await FileSystem.run { () throws(DocumentError) in try trash.move(FilePath(path)) }
            case .trashed(let path, let place):
                let item = Trash.Item(path: FilePath(place), originalPath: FilePath(path))
                try await FileSystem.run { () throws(DocumentError) in try trash.restore(item) }
            }
            return nil
        } catch let error as DocumentError where GroceryList.isLasting(error) {
            return error.message
        }
    }

    /// Whether trying again later does not help.
    private static func isLasting(_ error: DocumentError) -> Bool {
        switch error.code {
        case .notFound, .exists, .permissionDenied, .notADocument, .invalidContents, .invalidName, .tooLarge: true
        default: false
        }
    }

    /// Returns contents without the change from `before` to `after`, and the fields that were changed again since.
    private static func undone(
        _ now: ItemContents, _ before: String, _ after: String
    ) -> (merged: ItemContents, conflicts: [ItemField]) {
        ItemContents.merge(base: ItemContents(text: after), mine: ItemContents(text: before), theirs: now)
    }
}
