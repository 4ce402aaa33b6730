// Bringing back items that others removed.
// SPDX-License-Identifier: Apache-2.0

internal import GatherDocuments

extension GroceryList {
    /// Returns the name of the user who removed an item; nil if it is not in the trash, or if a program such as Syncthing may have moved
    /// it there for another device.
    package func remover(of id: ItemIdentifier) async -> String? {
        guard let status = try? await container.status(), status.sync == nil else { return nil }
        let (path, trash, data) = (path(of: id), trash, container.data)
        return try? await FileSystem.run {
            guard let item = trash.items(of: FilePath(path)).first else { return nil }
            // The remover made the folder of that second.
            let place = item.path.string.dropFirst("\(data)/\(Trash.path)/".count)
            return FileSystem.owner("\(data)/\(Trash.path)/\(place.prefix { $0 != "/" })")
        }
    }

    /// Brings back an item that was removed, with its picture, from the trash of the container. An item that is there stays as it is.
    ///
    /// - Returns: False if the trash does not have it, so that only a new item can be made.
    package func bringBack(_ id: ItemIdentifier) async throws -> Bool {
        try await requireNoOtherList(id)
        guard let steps = try await restore(id) else { return false }
        if case .added(_, let text)? = steps.first {
            try await undoLog.record("bring back \(text.map { ItemContents(text: $0).name } ?? id.short)", steps)
        }
        return true
    }

    /// Restores the files of an item. Returns the steps, none for an item that is there, and nil if the trash does not have it.
    private func restore(_ id: ItemIdentifier) async throws -> [UndoStep]? {
        let lock = try await lock()
        defer { withExtendedLifetime(lock) {} }
        let (path, trash) = (path(of: id), trash)
        if FileSystem.exists(path) { return [] }
        // A list that was converted since had other folders.
        let places = [path] + itemPrefixes.map { $0 + id.fileName }
        let folders = [picturesPath] + pictureFolders
        return try await FileSystem.run { () throws -> [UndoStep]? in
            guard let removed = places.lazy.flatMap({ trash.items(of: FilePath($0)) }).first else { return nil }
            let contents = try? ItemContents.read(removed.path).contents
            try trash.restore(Trash.Item(path: removed.path, originalPath: FilePath(path)))
            var steps = [UndoStep.added(path: path, text: contents?.text)]
            guard let name = contents?.picture, GroceryList.isPicture(name, of: id),
                let picture = folders.lazy.flatMap({ trash.items(of: FilePath("\($0)/\(name)")) }).first,
                !FileSystem.exists("\(folders[0])/\(name)")
            else { return steps }
            try trash.restore(Trash.Item(path: picture.path, originalPath: FilePath("\(folders[0])/\(name)")))
            steps.append(.added(path: "\(folders[0])/\(name)", text: nil))
            return steps
        }
    }
}
