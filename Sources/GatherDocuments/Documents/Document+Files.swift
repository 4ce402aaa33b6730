// Opening, saving, reverting and closing.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit

extension Document {
    // MARK: Operations

    /// Loads the file, and follows it from now on. An open document is not changed. A file that was evicted is downloaded
    /// first; ``progress`` tells how far that is.
    ///
    /// - Throws: ``DocumentError/Code/notFound``, or ``DocumentError/Code/notDownloaded`` if the contents are on other devices
    ///   only and do not come within ``DocumentOptions/downloadTimeout``.
    public func open() async throws(DocumentError) {
        try await load()
        await startFollowing()
    }

    private func load() async throws(DocumentError) {
        await turn.begin()
        defer { turn.end() }
        guard model == nil else { return }
        do throws(DocumentError) {
            let isPackage = Contents.self is any PackageContents.Type
            // A package whose files are missing looks like one that has none.
            if isPackage { _ = try await download(isPackage) }
            var found = try await readFile()
            if found.file == nil, !isPackage, try await download(isPackage) { found = try await readFile() }
            guard let file = found.file else { throw missing("open") }
            try take(file)
            conflicts = ConflictRecord(versions: found.versions)
        } catch {
            model = nil
            loaded = nil
            throw error
        }
        didOpen()
    }

    /// Brings evicted contents back. Returns whether there were any.
    private func download(_ isPackage: Bool) async throws(DocumentError) -> Bool {
        let evicted = EvictedDocument(location: location, isPackage: isPackage, options: options)
        guard let path = try await evicted.missingPath() else { return false }
        holder.set(.progressAvailable, true)
        defer { holder.set(.progressAvailable, false) }
        try await evicted.download(path, progress)
        return true
    }

    /// Makes a new file with these contents, and opens it.
    ///
    /// - Throws: ``DocumentError/Code/exists`` if a file has this name.
    public func create(_ contents: Contents) async throws(DocumentError) {
        try await makeFile(contents)
        await startFollowing()
    }

    private func makeFile(_ contents: Contents) async throws(DocumentError) {
        await turn.begin()
        defer { turn.end() }
        guard model == nil else {
            throw DocumentError(
                code: .exists, message: "the document \(location) is open already", path: location.string)
        }
        let outcome = try await write(contents, mustBeNew: true)
        (model, loaded) = (contents, outcome.loaded)
        revisions = Revisions()
        undoStack.removeAll()
        // The file is made, whatever comes of this.
        conflicts = ConflictRecord(versions: (try? await countVersions()) ?? 0)
        didOpen()
    }

    /// Saves unsaved changes now. If another program changed the file meanwhile, its version is kept as a conflict version.
    public func save() async throws(DocumentError) {
        await turn.begin()
        defer { turn.end() }
        try await saveChanges()
    }

    /// Loads the file again, and drops unsaved changes.
    public func revert() async throws(DocumentError) {
        await turn.begin()
        defer { turn.end() }
        _ = try openContents()
        do throws(DocumentError) {
            holder.set(.editingDisabled, true)
            defer { holder.set(.editingDisabled, false) }
            let found = try await readFile()
            guard let file = found.file else { throw missing("revert") }
            try take(file)
            conflicts = ConflictRecord(versions: found.versions)
            succeeded()
        } catch {
            failed(error)
            throw error
        }
    }

    /// Saves unsaved changes, and closes the document. If the save fails, the document stays open.
    ///
    /// - Parameter discardsChanges: Whether unsaved changes are dropped instead.
    public func close(discardsChanges: Bool = false) async throws(DocumentError) {
        await turn.begin()
        defer { turn.end() }
        guard model != nil else { return }
        // An edit may come during a save.
        while !discardsChanges, revisions.hasUnsavedChanges { try await saveChanges() }
        autosave?.cancel()
        autosave = nil
        stopFollowing()
        (model, loaded, lastError) = (nil, nil, nil)
        undoStack.removeAll()
        holder.change { $0 = .closed }
    }

    /// Returns the conflict versions of the file, the newest first. See ``FileVersion/conflicts(of:)``.
    public func conflictVersions() async throws(DocumentError) -> [FileVersion] {
        let path = location
        return try await BlockingWork.run { () throws(DocumentError) in try FileVersion.conflicts(of: path) }
    }

    /// Looks at the file and its conflict versions now, as a notification of the daemon does. Without a daemon, this is the
    /// way to hear of changes from outside before the next save.
    public func refresh() async throws(DocumentError) {
        await turn.begin()
        defer { turn.end() }
        guard model != nil else { return }
        try await lookAtFile()
        conflicts.versions = try await countVersions()
        holder.set(.inConflict, conflicts.isInConflict)
    }

    // MARK: Saving

    private func saveChanges() async throws(DocumentError) {
        let contents = try openContents()
        guard revisions.hasUnsavedChanges else {
            // An undo may have brought the saved contents back.
            if lastError != nil { succeeded() }
            return
        }
        autosave?.cancel()
        autosave = nil
        let mark = revisions.mark
        do throws(DocumentError) {
            await findMovedFile()
            let outcome = try await write(contents, mustBeNew: false)
            loaded = outcome.loaded
            revisions.didSave(mark)
            conflicts.isPending = false
            conflicts.versions += outcome.kept.count
            succeeded()
            if holder.value.contains(.deleted) {
                holder.set(.deleted, false)
                changeBroadcast.send(.restored)
            }
            if !outcome.kept.isEmpty {
                let folder = try DocumentPath(location).folder
                let paths = outcome.kept.map { FilePath(bytes: DocumentPath.join(folder, $0)) }
                changeBroadcast.send(.keptConflicts(paths: paths))
            }
            // Edits that came during the save.
            changesWereMade()
            // The package on disk has changes of other programs that the contents lack.
            if outcome.isMerged { try? await lookAtFile() }
        } catch {
            failed(error)
            changesWereMade()
            throw error
        }
    }
}
