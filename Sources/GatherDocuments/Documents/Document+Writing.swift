// Writing the contents of a document to its file or package.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit
internal import SaveFiles

extension Document {
    /// The result of a save.
    struct Outcome: Sendable {
        let loaded: LoadedDocument
        let kept: [[UInt8]]
        /// Whether the contents on disk have changes that the document does not know.
        var isMerged = false
    }

    func write(_ contents: Contents, mustBeNew: Bool) async throws(DocumentError) -> Outcome {
        if let contents = contents as? any PackageContents { return try await write(contents, mustBeNew: mustBeNew) }
        let bytes: [UInt8]
        do {
            bytes = try contents.bytes
        } catch {
            throw DocumentError(
                code: .invalidContents, message: "cannot save \(location): its contents cannot be written: \(error)",
                path: location.string)
        }
        guard bytes.count <= DocumentLimits.contentBytes else {
            throw DocumentError(
                code: .tooLarge,
                message:
                    "cannot save \(location): it has \(bytes.count) bytes, and \(DocumentLimits.contentBytes) are the most",
                path: location.string)
        }
        var loaded: LoadedFile?
        if case .file(let file) = self.loaded { loaded = file }
        let outcome = try await saving(mustBeNew) { [loaded, contents] (saved, folder, path) throws(DocumentError) in
            let saver = FileSaver(
                folder, name: path.name, device: try saved.options.author(), progress: saved.progress
            ) { contents.derivedAttributes($0) }
            return try saver.save(
                bytes, over: loaded, mustBeNew: mustBeNew, isShared: saved.options.sharesAccessOfFolder)
        }
        return Outcome(loaded: .file(outcome.file), kept: outcome.kept)
    }

    private func write(_ contents: any PackageContents, mustBeNew: Bool) async throws(DocumentError) -> Outcome {
        let package: Package
        do {
            package = try contents.package
        } catch {
            throw DocumentError(
                code: .invalidContents, message: "cannot save \(location): its contents cannot be written: \(error)",
                path: location.string)
        }
        var loaded: PackageBase?
        if case .package(let base) = self.loaded { loaded = base }
        let outcome = try await saving(mustBeNew) { [loaded] (saved, folder, path) throws(DocumentError) in
            let saver = PackageSaver(
                folder, name: path.name, device: try saved.options.author(), lockTimeout: saved.options.lockTimeout,
                progress: saved.progress)
            return try saver.save(
                package, over: loaded, mustBeNew: mustBeNew, isShared: saved.options.sharesAccessOfFolder)
        }
        return Outcome(loaded: .package(outcome.base), kept: outcome.kept, isMerged: outcome.isMerged)
    }

    /// The parts of a document that a save needs on another thread.
    private struct Saved: Sendable {
        let options: DocumentOptions
        let progress: DocumentProgress
    }

    /// Runs a save in the locked folder of the document.
    private func saving<Value: Sendable>(
        _ mustBeNew: Bool,
        _ save: @escaping @Sendable (Saved, consuming Folder, DocumentPath) throws(DocumentError) -> Value
    ) async throws(DocumentError) -> Value {
        let (location, saved, holder) = (location, Saved(options: options, progress: progress), holder)
        holder.set(.progressAvailable, true)
        defer { holder.change { $0.subtract([.progressAvailable, .editingDisabled]) } }
        let attempt = { () async throws(DocumentError) -> Value in
            try await BlockingWork.run { () throws(DocumentError) in
                let path = try DocumentPath(location)
                try path.requireDocument()
                let folder = try Folder(path.folder)
                try folder.lock(timeout: saved.options.lockTimeout) { holder.set(.editingDisabled, true) }
                holder.set(.editingDisabled, false)
                if mustBeNew, saved.options.checksCase { try folder.requireDistinctCase(path.name) }
                // The lock ends with the descriptor of the folder, on every way out.
                return try save(saved, folder, path)
            }
        }
        do throws(DocumentError) { return try await attempt() } catch {
            guard error.code == .anotherContainer else { throw error }
            // The daemon may have been told to take that directory.
            let (daemon, timeout) = (options.daemon, options.daemonTimeout)
            _ = await FollowLoop.answer(within: timeout) { try? await KnownContainers.learn(from: daemon) }
            return try await attempt()
        }
    }
}
