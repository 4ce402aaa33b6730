// Versions of an item that are in conflict.
// SPDX-License-Identifier: Apache-2.0

package import GatherDocuments

/// A version of an item.
package struct ItemVersion: Sendable, Hashable, Identifiable {
    package let contents: ItemContents
    /// The name of the device that saved it; nil if nothing says so.
    package let device: String?
    package let file: FileVersion

    /// The path of its file.
    package var id: String { file.path.string }
    /// Whether it is the current version.
    package var isCurrent: Bool { !file.isConflict }
    /// The time when it was saved.
    package var modified: Timestamp { file.modified }
}

/// The way in which a conflict is resolved.
package enum Resolution: Sendable, Hashable {
    /// This version becomes the current one.
    case version(ItemVersion)
    /// Each version becomes an item.
    case both
    /// These contents become the current version.
    case merged(ItemContents)
}

extension GroceryList {
    /// Returns the versions of an item: the current one, then those in conflict with it, the newest first.
    package func versions(of id: ItemIdentifier) async throws -> [ItemVersion] {
        try requirePlace()
        let path = FilePath(path(of: id))
        return try await FileSystem.run {
            let current = try FileVersion.current(of: path).map { [$0] } ?? []
            return try (current + FileVersion.conflicts(of: path)).map { file in
                // A version that is no item's text is shown as text.
                let bytes = try file.contents()
                let contents =
                    (try? ItemContents(bytes: bytes))
                    ?? ItemContents(name: String(decoding: bytes.prefix(200), as: UTF8.self))
                let device = file.author?.name ?? file.name?.device
                return ItemVersion(contents: contents, device: device, file: file)
            }
        }
    }

    /// Returns the items whose own file is gone while versions in conflict with it are there, in no order. Each has the contents of
    /// its newest version, and the number of versions. Those with a version that cannot be read are apart, with the reason: one such
    /// item must not hide the others.
    package func lostItems() async throws -> (items: [GroceryItem], unreadable: [(item: GroceryItem, reason: String)]) {
        let found = try await container.client.find(
            whole("isConflictVersion == TRUE AND name BEGINSWITH 'Item_'"), scopes: [scope], attributes: [.path])
        let prefixes = itemPrefixes
        var lost: Set<ItemIdentifier> = []
        for item in found.items {
            guard let path = item.path, let slash = path.lastIndex(of: "/"),
                let name = ConflictName(String(path[path.index(after: slash)...]))
            else { continue }
            let original = path[...slash] + String(decoding: name.original, as: UTF8.self)
            if let id = identifier(ofPath: String(original), below: prefixes) { lost.insert(id) }
        }
        var (items, unreadable) = ([GroceryItem](), [(item: GroceryItem, reason: String)]())
        for id in lost where !FileSystem.exists(path(of: id)) {
            let versions: [ItemVersion]
            do { versions = try await self.versions(of: id) } catch let error as DocumentError {
                if error.code == .notFound { continue }
                let item = GroceryItem(id: id, path: path(of: id), summary: ItemSummary(unreadable: id))
                unreadable.append((item, error.message))
                continue
            }
            // One that was resolved meanwhile has no versions, and one that came back has a current one.
            guard let newest = versions.first, !newest.isCurrent else { continue }
            items.append(
                GroceryItem(
                    id: id, path: path(of: id), summary: ItemSummary(newest.contents), modified: newest.modified,
                    conflictVersions: versions.count))
        }
        return (items, unreadable)
    }

    /// Resolves the conflict of an item. The versions that are not kept go to the trash, and so does a copy of the former current one.
    ///
    /// - Parameter shown: The versions that the user chose from; nil for those that are there now. Others stay in conflict.
    /// - Throws: ``GroceryError/Code/changed`` if the current version is another than the one that was shown.
    package func resolve(
        _ id: ItemIdentifier, keeping resolution: Resolution, shown: [ItemVersion]? = nil
    ) async throws {
        let versions: [ItemVersion]
        if let shown { versions = shown } else { versions = try await self.versions(of: id) }
        guard versions.contains(where: { !$0.isCurrent }) else {
            throw GroceryError(.notFound, "the item has no versions in conflict")
        }
        var steps: [UndoStep] = []
        let kept: ItemContents?
        switch resolution {
        case .version(let version):
            guard let now = versions.first(where: { $0.id == version.id }), now.contents == version.contents else {
                throw GroceryError(.changed, "that version has changed or is gone")
            }
            kept = version.contents
        case .merged(let contents):
            if !versions.contains(where: { $0.contents.name == contents.name }) {
                try ItemText.requireName(contents.name)
            }
            kept = contents
        case .both:
            kept = nil
            let isLost = !versions.contains(where: \.isCurrent)
            for (number, version) in versions.enumerated() where !version.isCurrent {
                // If an item's own file is gone, one version takes its place.
                if isLost, number == 0 {
                    if let step = try await create(version.contents, id) { steps.append(step) }
                    continue
                }
                // The picture stays with the item that it is named for.
                var contents = version.contents
                contents.picture = nil
                if ItemText.isBlank(contents.name) { contents.name = GroceryItem.unnamed }
                if let step = try await create(contents, .random()) { steps.append(step) }
            }
        }
        if let kept { steps = try await replaceCurrent(of: id, by: kept, versions) }
        // Only those that were listed: another may have come meanwhile.
        let (trash, path) = (trash, FilePath(path(of: id)))
        steps += try await FileSystem.run {
            var steps: [UndoStep] = []
            let paths = Set(versions.map(\.file.path))
            let listed = Set(versions.compactMap { try? $0.file.contents() })
            for version in try FileVersion.allConflicts(of: path) {
                guard try paths.contains(version.path) || listed.contains(version.contents()) else { continue }
                steps.append(.trashed(try version.move(to: trash)))
            }
            return steps
        }
        try await undoLog.record("resolve \(kept?.name ?? versions[0].contents.name)", steps)
    }

    /// Makes contents the current version. A copy of the former one goes to the trash.
    private func replaceCurrent(
        of id: ItemIdentifier, by kept: ItemContents, _ versions: [ItemVersion]
    ) async throws -> [UndoStep] {
        let former = versions.first(where: \.isCurrent)?.contents
        if let former, former != kept {
            let (path, trash) = (FilePath(path(of: id)), trash)
            try await FileSystem.run { _ = try trash.keep(Array(former.fileText.utf8), of: path) }
        }
        guard let former else { return try await create(kept, id).map { [$0] } ?? [] }
        let step = try await change(id) { contents in
            guard contents == former else {
                throw GroceryError(.changed, "the current version was changed meanwhile; look at the versions again")
            }
            contents = kept
        }
        return step.map { [$0] } ?? []
    }
}
