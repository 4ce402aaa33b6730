// Adding, changing and removing items.
// SPDX-License-Identifier: Apache-2.0

internal import GatherDocuments

/// The result of saving contents that were edited elsewhere.
package enum PutOutcome: String, Sendable, Hashable {
    /// The file has these contents.
    case saved
    /// Changes by others were merged.
    case merged
    /// Fields were changed by both sides. The other version is kept beside the current one.
    case conflict
    /// There was nothing to change.
    case unchanged
}

extension GroceryList {
    /// Puts an item on the list.
    ///
    /// - Parameter id: The identifier that its maker chose. If an item has it already with these contents, nothing is done, so that a
    ///   repeated request adds nothing twice.
    @discardableResult
    package func add(_ contents: ItemContents, as id: ItemIdentifier? = nil) async throws -> ItemIdentifier {
        let id = id ?? .random()
        let action = "add \(contents.name)"
        try await undoLog.record(action, [try await create(contents, id)].compactMap { $0 })
        return id
    }

    /// Puts several items on the list, as one change. Those with an identifier get it.
    @discardableResult
    package func add(_ items: [ExportedItem]) async throws -> [ItemIdentifier] {
        var ids: [ItemIdentifier] = []
        try await recording {
            items.count == 1 || ids.count == 1 ? "add \(items[0].contents.name)" : "add \(ids.count) items"
        } of: { steps in
            for item in items {
                let id = item.id ?? .random()
                if let step = try await create(item.contents, id) { steps.append(step) }
                ids.append(id)
            }
        }
        return ids
    }

    func create(_ contents: ItemContents, _ id: ItemIdentifier) async throws -> UndoStep? {
        try ItemText.requireName(contents.name)
        try contents.check()
        let contents = contents.asRead
        let lock = try await lock()
        defer { withExtendedLifetime(lock) {} }
        try await FileSystem.run { [self] in try makeFolders() }
        let document = Document<ItemContents>(path: FilePath(path(of: id)), options: documentOptions)
        do {
            try await document.create(contents)
            try await document.close()
        } catch {
            guard error.code == .exists, try await self.contents(of: id) == contents else { throw error }
            return nil
        }
        return .added(path: path(of: id), text: contents.text)
    }

    /// Changes items as they are on disk now. A change that another program saves at the same time is merged.
    ///
    /// - Parameters:
    ///   - ids: The items.
    ///   - action: The name of the change, such as `buy Milk`.
    ///   - change: The change.
    package func edit(
        _ ids: [ItemIdentifier], _ action: String, _ change: @escaping @Sendable (inout ItemContents) throws -> Void
    ) async throws {
        try await recording {
            action
        } of: { steps in
            for id in ids {
                let step = try await self.change(id) { contents in
                    let name = contents.name
                    try change(&contents)
                    // A file without a name may stay so.
                    if contents.name != name { try ItemText.requireName(contents.name) }
                }
                if let step { steps.append(step) }
            }
        }
    }

    /// Makes changes and records them as one. If they fail in the middle, those that were made are recorded.
    private func recording(
        _ action: () -> String, of body: (inout [UndoStep]) async throws -> Void
    ) async throws {
        var steps: [UndoStep] = []
        do {
            try await body(&steps)
        } catch {
            try? await undoLog.record(action(), steps)
            throw error
        }
        try await undoLog.record(action(), steps)
    }

    /// Saves contents that were edited elsewhere, such as on a page without a connection. They are merged field by field with the
    /// contents on disk. If both changed a field, `mine` becomes the current version, and the other is kept as a conflict version.
    ///
    /// - Parameter base: The contents from which `mine` was made; nil for a new item.
    /// - Throws: ``GroceryError/Code/removed`` if the item was removed meanwhile: a person decides whether it comes back.
    @discardableResult
    package func put(_ mine: ItemContents, base: ItemContents?, for id: ItemIdentifier) async throws -> PutOutcome {
        try mine.check()
        if mine.name != base?.name { try ItemText.requireName(mine.name) }
        var (mine, base) = (mine.asRead, base?.asRead)
        for _ in 0..<GroceryLimits.mergeAttempts {
            let theirs: ItemContents
            do {
                theirs = try await contents(of: id)
            } catch let error as DocumentError where error.code == .notFound {
                try await requireNoOtherList(id)
                if let base {
                    try await requireFolder()
                    throw GroceryError(.removed, "\(DisplayText.escaped(base.name)) was removed meanwhile")
                }
                do {
                    try await add(mine, as: id)
                    return .saved
                } catch let error as DocumentError where error.code == .exists { continue }
            }
            // A view has shown another name for none.
            if ItemText.isBlank(theirs.name) {
                if base?.name == GroceryItem.unnamed { base?.name = theirs.name }
                if mine.name == GroceryItem.unnamed { mine.name = theirs.name }
            }
            if theirs == mine { return .unchanged }
            // Without a base, all that differs is a conflict.
            var (merged, conflicts) = ItemContents.merge(base: base ?? theirs, mine: mine, theirs: theirs)
            if base == nil { conflicts = ItemField.allCases }
            if merged == theirs { return .unchanged }
            if !conflicts.isEmpty {
                try await keepVersion(theirs, of: id)
            }
            let result = merged
            do {
                try await edit([id], "edit \(mine.name)") { contents in
                    // Another program has changed it since it was read.
                    guard contents == theirs else { throw GroceryError(.changed, "the item has changed") }
                    contents = result
                }
            } catch let error as GroceryError where error.code == .changed {
                continue
            } catch let error as DocumentError where error.code == .notFound { continue }
            return conflicts.isEmpty ? (merged == mine ? .saved : .merged) : .conflict
        }
        throw GroceryError(
            .changed, "cannot save \(DisplayText.escaped(mine.name)): other programs change it all the time")
    }

    /// Keeps contents as a conflict version of an item. The lock is held for it alone, since an edit takes it, too.
    private func keepVersion(_ contents: ItemContents, of id: ItemIdentifier) async throws {
        let lock = try await lock()
        defer { withExtendedLifetime(lock) {} }
        let path = FilePath(path(of: id))
        try await FileSystem.run { () throws in _ = try FileVersion.add(Array(contents.fileText.utf8), to: path) }
    }

    /// Refuses to make an item anew that another list has: this list was given another name while a program had it open.
    func requireNoOtherList(_ id: ItemIdentifier) async throws {
        let found = try await container.client.find(
            "name == '\(id.fileName)' AND \(GroceryList.anywhere)", scopes: [scope], attributes: [.path])
        let prefixes = itemPrefixes
        guard
            let path = found.items.compactMap(\.path).first(where: { path in
                !prefixes.contains { path == $0 + id.fileName }
            })
        else { return }
        throw GroceryError(.changed, "the item is in another list now: \(DisplayText.escaped(path))")
    }

    /// Changes a field whose value a person has seen. If another program has changed it since, both versions are kept.
    package func edit(
        _ id: ItemIdentifier, _ field: WritableKeyPath<ItemContents, String>, seen: String, to new: String
    ) async throws -> PutOutcome {
        var base = try await contents(of: id)
        base[keyPath: field] = seen
        var mine = base
        mine[keyPath: field] = new
        return try await put(mine, base: base, for: id)
    }

    /// Moves items with their pictures and conflict versions to the trash of the container.
    package func remove(_ ids: [ItemIdentifier]) async throws {
        var names: [String] = []
        try await recording {
            "remove \(names.joined(separator: ", "))"
        } of: { steps in
            for id in ids {
                let contents = try? await contents(of: id)
                names.append(contents?.name ?? id.short)
                steps += try await discard(id, contents)
            }
        }
    }

    private func discard(_ id: ItemIdentifier, _ contents: ItemContents?) async throws -> [UndoStep] {
        let lock = try await lock()
        defer { withExtendedLifetime(lock) {} }
        let (path, trash) = (path(of: id), trash)
        let picture = contents.flatMap { ownPicture($0, of: id) }
        return try await FileSystem.run {
            var steps: [UndoStep] = []
            func move(_ path: FilePath) throws { steps.append(.trashed(try trash.move(path))) }
            // The item comes last. Until then, the next attempt finds all of it.
            for version in try FileVersion.allConflicts(of: FilePath(path)) { try move(version.path) }
            if let picture { try move(FilePath(picture)) }
            try move(FilePath(path))
            return steps
        }
    }
}
