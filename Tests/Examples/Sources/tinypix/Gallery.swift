// The pictures of a container, and their tint.
// SPDX-License-Identifier: Apache-2.0

import GatherDocuments

/// The pictures are the files `NAME.tinypix` in the container's `Documents`. The key-value store has the tint of all of them.
struct Gallery: Sendable {
    static let tints = ["black", "red", "green", "yellow", "blue", "magenta", "cyan"]
    let store: KeyValueStore
    private let container: Container
    private let folder: FilePath

    init(container identifier: ContainerIdentifier) async throws {
        container = try await Container(identifier: identifier)
        folder = try container.documents()
        store = try await KeyValueStore(container: container)
    }

    var tint: String { store.string(forKey: "tint") ?? Gallery.tints[0] }

    func setTint(_ tint: String) async throws {
        guard Gallery.tints.contains(tint) else { throw Failure("the tints are: \(Gallery.tints)") }
        try store.set(.string(tint), forKey: "tint")
        try await store.close()
    }

    /// Returns a picture that is not open yet. Changes will be saved within a second.
    func picture(_ name: String) throws -> Document<Picture> {
        if name.isEmpty || name.hasPrefix(".") || name.contains("/") { throw Failure("'\(name)' names no picture") }
        return Document(path: folder.appending("\(name).tinypix"), options: .init(autosaveInterval: .seconds(1)))
    }

    /// Lists the pictures, the newest first. With `live`, lists them again after each change of a picture or the tint, until
    /// the process ends.
    func list(live: Bool) async throws {
        let query = MetadataQuery(
            predicate: "name ENDSWITH '.tinypix' AND kind == 'file' AND NOT isConflictVersion == TRUE",
            scopes: [.documents(ofContainer: container.identifier)],
            attributes: [.name, .modified, .conflictVersions], sortedBy: [SortKey(.modified, ascending: false)])
        try await query.start()
        Task { for await change in store.changes where live && change.keys.contains("tint") { show(query, live) } }
        for try await notification in query.notifications {
            switch notification {
            case .gathered, .updated: show(query, live)
            case .reconnecting(let error): TinyPix.warn(error.message)
            default: continue
            }
            if !live { return }
        }
    }

    private func show(_ query: MetadataQuery, _ live: Bool) {
        if query.isGathering { return }
        let names = query.results.map { item in
            DisplayText.escaped(String((item.name ?? "").dropLast(".tinypix".count)))
                + (item.conflictVersions ?? 0 > 0 ? "  (in conflict)" : "")
        }
        TinyPix.show(live ? ["\(names.count) in \(tint)"] + names + [""] : names)
    }
}
