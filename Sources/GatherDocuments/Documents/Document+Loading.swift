// Reading the file of a document, and noticing that it changed.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit
internal import Metadata
internal import SaveFiles

extension Document {
    func succeeded() {
        lastError = nil
        holder.change {
            $0.remove(.savingError)
            if conflicts.isInConflict { $0.insert(.inConflict) } else { $0.remove(.inConflict) }
        }
    }

    func failed(_ error: DocumentError) {
        lastError = error
        holder.set(.savingError, true)
    }

    func didOpen() { holder.change { $0 = conflicts.isInConflict ? .inConflict : [] } }

    func missing(_ operation: String) -> DocumentError {
        DocumentError(
            code: .notFound, message: "cannot \(operation) \(location): there is no such file", path: location.string)
    }

    /// Reads the file and counts its conflict versions. A save that a killed process left half done is completed first.
    func readFile(
        isQuiet: Bool = false
    ) async throws(DocumentError) -> (file: LoadedDocument.Read?, versions: Int) {
        let holder = holder
        defer { if !isQuiet { holder.set(.progressAvailable, false) } }
        var isEvicted: Bool?
        while true {
            if let read = try await readFile(isEvicted: isEvicted, isQuiet: isQuiet) { return read }
            isEvicted =
                try await EvictedDocument(location: location, isPackage: false, options: options).missingPath() != nil
        }
    }

    /// Reads the file as ``readFile(isQuiet:)`` does.
    ///
    /// - Parameter isEvicted: Whether the file is missing since it was evicted. The file of a killed save may be older than the versions
    ///   on other devices, so it must not take the name then.
    /// - Returns: Nil if that has to be known, and is not.
    private func readFile(
        isEvicted: Bool?, isQuiet: Bool
    ) async throws(DocumentError) -> (file: LoadedDocument.Read?, versions: Int)? {
        let (location, options) = (location, options)
        let (holder, progress) = (holder, progress)
        return try await BlockingWork.run { () throws(DocumentError) in
            let path = try DocumentPath(location)
            try path.requireDocument()
            var folder = try Folder(path.folder)
            if Contents.self is any PackageContents.Type {
                return try Document.readPackage(path, folder, options, holder, isQuiet: isQuiet)
            }
            if try folder.status(of: SaveName.complete.of(path.name)) != nil {
                if isEvicted == nil, try folder.status(of: path.name) == nil { return nil }
                defer { holder.set(.editingDisabled, false) }
                try folder.lock(timeout: options.lockTimeout) { holder.set(.editingDisabled, true) }
                let saver = FileSaver(folder, name: path.name, device: try options.author())
                do throws(DocumentError) { try saver.recover(isEvicted: isEvicted ?? false) } catch {
                    // A user who may only read the folder can read the document. The next one who may write completes the save.
                    let isThere = try saver.folder.status(of: path.name) != nil
                    guard isThere || isEvicted == true else { throw error }
                }
                folder = saver.end()
                folder.unlock()
            }
            if !isQuiet { holder.set(.progressAvailable, true) }
            let file = try folder.read(path.name, progress: progress)
            return (file.map { .file($0) }, try ConflictCounts.shared.count(of: path.name, in: folder))
        }
    }

    /// Reads a package, and counts its conflict versions, inside and beside it.
    private static func readPackage(
        _ path: DocumentPath, _ folder: consuming Folder, _ options: DocumentOptions, _ holder: DocumentStateHolder,
        isQuiet: Bool
    ) throws(DocumentError) -> (file: LoadedDocument.Read?, versions: Int) {
        if try PackageSaver.hasRemains(of: path.name, in: folder) {
            defer { holder.set(.editingDisabled, false) }
            try folder.lock(timeout: options.lockTimeout) { holder.set(.editingDisabled, true) }
            let saver = PackageSaver(
                folder, name: path.name, device: try options.author(), lockTimeout: options.lockTimeout)
            try saver.recover()
            folder = saver.end()
            folder.unlock()
        }
        if !isQuiet { holder.set(.progressAvailable, true) }
        let package = try Package.load(path.name, in: folder)
        let beside = try ConflictCounts.shared.count(of: path.name, in: folder)
        return (package.map { .package($0) }, beside + (package?.conflictVersions.count ?? 0))
    }

    /// Takes contents from disk.
    func take(_ read: LoadedDocument.Read) throws(DocumentError) {
        do {
            switch read {
            case .file(let file):
                model = try Contents(bytes: file.bytes)
                loaded = .file(file)
            case .package(let package):
                guard let base = package.origin, let type = Contents.self as? any PackageContents.Type else {
                    throw DocumentError(code: .notADocument, message: "it is a package", path: location.string)
                }
                model = try type.init(package: package) as? Contents
                loaded = .package(base)
            }
        } catch {
            throw DocumentError(
                code: .invalidContents, message: "cannot use the contents of \(location): \(error)",
                path: location.string)
        }
        revisions = Revisions()
        undoStack.removeAll()
        conflicts.isPending = false
    }

    func countVersions() async throws(DocumentError) -> Int {
        let location = location
        return try await BlockingWork.run { () throws(DocumentError) in
            let path = try DocumentPath(location)
            let folder = try Folder(path.folder)
            let beside = try ConflictCounts.shared.count(of: path.name, in: folder)
            guard Contents.self is any PackageContents.Type, try folder.status(of: path.name) != nil else {
                return beside
            }
            return beside + (try PackageTree(scanning: Folder(path.name, in: folder)).conflictVersions.count)
        }
    }

    /// Compares the file with the loaded version. Loads it if it has other contents and there are no unsaved changes.
    func lookAtFile() async throws(DocumentError) {
        guard let loaded, model != nil else { return }
        if case .package(let base) = loaded { return try await lookAtPackage(base) }
        guard case .file(let loaded) = loaded else { return }
        let (location, stamp) = (location, loaded.stamp)
        let now: FileStamp?
        do throws(DocumentError) {
            now = try await BlockingWork.run { () throws(DocumentError) in
                let path = try DocumentPath(location)
                return try Folder(path.folder).status(of: path.name).map { FileStamp($0) }
            }
        } catch {
            guard error.code == .notFound else { throw error }
            return setDeleted(true)
        }
        guard let now else { return setDeleted(true) }
        setDeleted(false)
        guard now != stamp || !loaded.isSettled else { return fileIsLoaded() }
        // A file with the same stamp is read to be sure, which no state tells.
        let isQuiet = now == stamp
        let isEditable = !isQuiet && !holder.value.contains(.editingDisabled)
        if isEditable { holder.set(.editingDisabled, true) }
        defer { if isEditable { holder.set(.editingDisabled, false) } }
        do throws(DocumentError) {
            let read = try await readFile(isQuiet: isQuiet).file
            guard case .file(let file) = read else { return setDeleted(true) }
            guard file.bytes != loaded.bytes else {
                self.loaded = .file(LoadedFile(stamp: file.stamp, bytes: loaded.bytes))
                return fileIsLoaded()
            }
            try takeChange(.file(file))
        } catch {
            failed(error)
            throw error
        }
    }

    /// Loads contents that another program has changed. With unsaved changes, they are in conflict.
    private func takeChange(_ read: LoadedDocument.Read) throws(DocumentError) {
        guard !revisions.hasUnsavedChanges else {
            conflicts.isPending = true
            holder.set(.inConflict, true)
            return
        }
        try take(read)
        succeeded()
        changeBroadcast.send(.reloaded)
    }

    /// Compares the package with the loaded one. Loads it if it has other entries and there are no unsaved changes.
    private func lookAtPackage(_ base: PackageBase) async throws(DocumentError) {
        let location = location
        let tree: PackageTree?
        do throws(DocumentError) {
            tree = try await BlockingWork.run { () throws(DocumentError) in
                let path = try DocumentPath(location)
                let folder = try Folder(path.folder)
                guard try folder.status(of: path.name) != nil else { return nil }
                return try PackageTree(scanning: Folder(path.name, in: folder), comparedWith: base)
            }
        } catch {
            guard error.code == .notFound else { throw error }
            return setDeleted(true)
        }
        guard let tree else { return setDeleted(true) }
        setDeleted(false)
        if base.isSame(as: tree) {
            var base = base
            base.settle(as: tree)
            base.root = tree.root
            loaded = .package(base)
            return fileIsLoaded()
        }
        // Changes of other entries than those that were edited are merged by the save.
        guard !revisions.hasUnsavedChanges else { return }
        do throws(DocumentError) {
            let found = try await readFile()
            guard let read = found.file else { return setDeleted(true) }
            conflicts.versions = found.versions
            try takeChange(read)
        } catch {
            failed(error)
            throw error
        }
    }

    /// The file has the contents that were loaded or saved.
    func fileIsLoaded() {
        conflicts.isPending = false
        // The last error stays while there is something to save.
        if revisions.hasUnsavedChanges {
            holder.set(.inConflict, conflicts.isInConflict)
        } else {
            succeeded()
        }
    }

    func setDeleted(_ isDeleted: Bool) {
        guard holder.value.contains(.deleted) != isDeleted else { return }
        holder.set(.deleted, isDeleted)
        changeBroadcast.send(isDeleted ? .deleted : .restored)
    }
}
