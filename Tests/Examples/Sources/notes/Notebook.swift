// The notes of a container, and the star of one.
// SPDX-License-Identifier: Apache-2.0

import GatherDocuments

/// The notes are the files `NAME.txt` in the container's `Documents`. The key-value store names the one that was edited last.
struct Notebook: Sendable {
    let container: Container
    private let folder: FilePath
    private let store: KeyValueStore

    init(container identifier: ContainerIdentifier) async throws {
        container = try await Container(identifier: identifier)
        folder = try container.documents()
        store = try await KeyValueStore(container: container)
    }

    /// Returns the path of a note, which may lie in a folder: `work/today`.
    func path(of name: String) throws -> FilePath {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        if parts.contains(where: { $0.isEmpty || $0.first == "." }) { throw Failure("'\(name)' names no note") }
        return folder.appending("\(name).txt")
    }

    /// Changes a note, or makes it, and gives it the star. Returns whether it has versions in conflict now.
    func edit(_ name: String, _ change: (String) throws -> String) async throws -> Bool {
        // The change is made to the text as it is now. A version that another program saves meanwhile is in conflict with it, so
        // the document must not load that version.
        let note = Document<Note>(path: try path(of: name), options: DocumentOptions(followsChanges: false))
        do { try await note.open() } catch {
            guard error.code == .notFound else { throw error }
            try await note.create(Note(bytes: []))
        }
        let text = try change(await note.contents.text)
        try await note.edit { $0.text = text }
        try await note.save()
        try store.set(.string(name), forKey: "starred")
        try await store.close()
        return note.state.contains(.inConflict)
    }

    /// Lists the notes. With `live`, lists them again after each change of a note or the star, until the process ends.
    func list(live: Bool) async throws {
        let query = MetadataQuery(
            predicate: "name ENDSWITH '.txt' AND kind == 'file' AND NOT isConflictVersion == TRUE",
            scopes: [.documents(ofContainer: container.identifier)],
            attributes: [.path, .modified, .conflictVersions], sortedBy: [SortKey(.path)])
        try await query.start()
        Task { for await change in store.changes where live && change.keys.contains("starred") { show(query, live) } }
        for try await notification in query.notifications {
            switch notification {
            case .gathered, .updated: show(query, live)
            case .reconnecting(let error): Notes.warn(error.message)
            default: continue
            }
            if !live { return }
        }
    }

    private func show(_ query: MetadataQuery, _ live: Bool) {
        if query.isGathering { return }
        let starred = store.string(forKey: "starred")
        let lines = query.results.map { item in
            var path = item.filePath ?? ""
            _ = path.removePrefix(folder)
            path.extension = nil
            let name = path.string
            return "\(name == starred ? "*" : " ") \(Notes.local(item.modified))  \(DisplayText.escaped(name))"
                + (item.conflictVersions ?? 0 > 0 ? "  (in conflict)" : "")
        }
        Notes.show(lines.isEmpty ? ["no notes yet: begin with 'edit NAME'"] : lines, live: live)
    }
}

/// A note is text in UTF-8, as every editor reads and writes it.
struct Note: DocumentContents {
    var text: String
    var bytes: [UInt8] { Array(text.utf8) }

    init(bytes: [UInt8]) throws {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw Failure("the text is not UTF-8") }
        self.text = text
    }
}
