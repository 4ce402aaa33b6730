// Saving a file beside versions that others saved meanwhile.
// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem
internal import Metadata
internal import SaveFiles

/// Saves one file in a locked folder, so that readers see the old contents or the new ones, and no version is lost.
///
/// The new contents are written to a file without a name, synced, and named `.syncthing.gather-NAME.tmp`, which Syncthing never
/// sends. Then this file and the current one are exchanged (`RENAME_EXCHANGE` of rename(2)). The file that came out shows whether
/// a program without the lock has replaced the current one in the last moment. A version that this document did not load is
/// renamed to a conflict version. The others are removed.
struct FileSaver: ~Copyable {
    /// The result of a save.
    struct Outcome: Sendable {
        /// The file as it was saved.
        let file: LoadedFile
        /// The names of the conflict versions that the save made.
        var kept: [[UInt8]] = []
    }

    let folder: Folder
    let name: [UInt8]
    let device: DeviceIdentifier
    private let progress: DocumentProgress?
    /// Returns the attributes that follow from the new contents.
    private let derive: @Sendable (ContentsStamp) -> [DerivedAttribute]

    /// Makes a saver of a file in a folder. The caller holds the folder's lock during each call.
    init(
        _ folder: consuming Folder, name: [UInt8], device: DeviceIdentifier, progress: DocumentProgress? = nil,
        derive: @escaping @Sendable (ContentsStamp) -> [DerivedAttribute] = { _ in [] }
    ) {
        self.folder = folder
        self.name = name
        self.device = device
        self.progress = progress
        self.derive = derive
    }

    var temporary: [UInt8] { SaveName.complete.of(name) }

    /// Gives the folder back.
    consuming func end() -> Folder { folder }

    // MARK: Saving

    /// Saves new contents.
    ///
    /// - Parameters:
    ///   - bytes: The contents.
    ///   - loaded: The version that the contents are made from; nil for a new document, for which every file that is there is
    ///     another version.
    ///   - mustBeNew: Whether a file that is there is an error.
    ///   - isShared: Whether a new file gets the group and the permissions of the folder.
    func save(
        _ bytes: [UInt8], over loaded: LoadedFile?, mustBeNew: Bool = false, isShared: Bool
    ) throws(DocumentError) -> Outcome {
        guard VersionNames(of: name, device: device.text).first != nil else {
            throw DocumentError(
                code: .invalidName, message: "cannot save \(folder.text(name)): a conflict version could have no name",
                path: folder.text(name))
        }
        var kept = try recover()
        for _ in 0..<DocumentLimits.saveAttempts {
            let status = try folder.status(of: name)
            if let status {
                guard !mustBeNew else {
                    throw DocumentError(
                        code: .exists, message: "cannot make \(folder.text(name)): a file has this name",
                        path: folder.text(name))
                }
                guard status.type == .regular else {
                    throw DocumentError(
                        code: .notADocument,
                        message: "cannot save \(folder.text(name)): another kind of entry has this name",
                        path: folder.text(name))
                }
                guard folder.isWritable(name) else {
                    throw DocumentError(
                        code: .permissionDenied,
                        message: "cannot save \(folder.text(name)): this user may not write to it",
                        path: folder.text(name))
                }
            }
            let comparison = try status.map { status throws(DocumentError) in try compare(status, loaded, with: bytes) }
            switch comparison {
            case .hasNewContents(let file): return Outcome(file: file, kept: kept)
            case .isGone: continue
            default: break
            }
            let written = try write(bytes, like: status, isShared: isShared)
            do throws(DocumentError) {
                guard let old = status else {
                    guard try takeFreeName() else { continue }
                    return Outcome(file: LoadedFile(stamp: stampAfter(written), bytes: bytes), kept: kept)
                }
                // It gets its second name before the exchange, so that a killed process leaves no version under the temporary name
                // alone.
                let known = comparison == .isConflict ? try linkVersion(name) : nil
                if let known { kept.append(known.name) }
                guard try exchange(with: old, isKept: comparison != .isConflict || known != nil, &kept) else {
                    continue
                }
                try settle(old, bytes, loaded, isExpected: comparison != .isConflict, known?.stamp, &kept)
            } catch {
                // The new file is under the temporary name still if the exchange failed. It would be taken for a version later.
                if let left = try? folder.status(of: temporary), FileStamp(left).hasSameContents(as: written) {
                    try? folder.remove(temporary)
                }
                throw error
            }
            return Outcome(file: LoadedFile(stamp: stampAfter(written), bytes: bytes), kept: kept)
        }
        throw DocumentError(
            code: .busy, message: "cannot save \(folder.text(name)): another program replaces it all the time",
            path: folder.text(name))
    }

    /// Keeps contents as a conflict version, and returns its name.
    func add(_ bytes: [UInt8]) throws(DocumentError) -> [UInt8] {
        guard bytes.count <= DocumentLimits.contentBytes else {
            throw DocumentError(
                code: .tooLarge, message: "cannot keep a version of \(folder.text(name)): it has \(bytes.count) bytes",
                path: folder.text(name))
        }
        try recover()
        _ = try write(bytes, like: folder.status(of: name), isShared: true)
        return try keep(temporary)
    }

    /// The relation of the current file to the version that was loaded and to the new contents.
    private enum Comparison: Equatable {
        case isLoaded
        case isConflict
        case isGone
        case hasNewContents(LoadedFile)

        static func == (one: Comparison, other: Comparison) -> Bool {
            switch (one, other) {
            case (.isLoaded, .isLoaded), (.isConflict, .isConflict), (.isGone, .isGone): true
            default: false
            }
        }
    }

    private func compare(
        _ status: EntryStatus, _ loaded: LoadedFile?, with bytes: [UInt8]
    ) throws(DocumentError) -> Comparison {
        if let loaded, loaded.isSettled, FileStamp(status) == loaded.stamp {
            return loaded.bytes == bytes ? .hasNewContents(loaded) : .isLoaded
        }
        guard let current = try folder.read(name) else { return .isGone }
        if current.bytes == bytes { return .hasNewContents(current) }
        return current.bytes == loaded?.bytes ? .isLoaded : .isConflict
    }

    // MARK: Steps

    /// Writes a complete new file under the temporary name, and returns its stamp.
    private func write(_ bytes: [UInt8], like status: EntryStatus?, isShared: Bool) throws(DocumentError) -> FileStamp {
        do {
            let file = try Entry.openUnnamed(in: folder.number, mode: 0o666)
            try fill(file, bytes, like: status, isShared: isShared)
            try folder.remove(temporary)
            try Entry.link(file, to: temporary.cString, in: folder.number)
            return FileStamp(try EntryStatus(of: "", in: file.number))
        } catch let error as DocumentError {
            throw error
        } catch let error as SystemError {
            // File systems without O_TMPFILE, and without hard links or /proc.
            guard [.notSupported, .isDirectory, .invalid, .noEntry, .notPermitted].contains(error) else {
                throw DocumentError("cannot write to the folder of", folder.text(name), error)
            }
        } catch {
            throw DocumentError(code: .system, message: "\(error)", path: folder.text(name))
        }
        let partial = SaveName.partial.of(name)
        do {
            try folder.remove(partial)
            // Other users cannot read it before it has the mode of the current file.
            let file = try Entry.openForWriting(
                partial.cString, in: folder.number, mode: status == nil ? 0o666 : 0o600, truncate: true, exclusive: true
            )
            try fill(file, bytes, like: status, isShared: isShared)
            try Entry.rename(partial.cString, in: folder.number, to: temporary.cString, in: folder.number)
            return FileStamp(try EntryStatus(of: "", in: file.number))
        } catch {
            try? folder.remove(partial)
            if let error = error as? SystemError {
                throw DocumentError("cannot write to the folder of", folder.text(name), error)
            }
            throw error as? DocumentError
                ?? DocumentError(code: .system, message: "\(error)", path: folder.text(name))
        }
    }

    private func fill(
        _ file: borrowing Descriptor, _ bytes: [UInt8], like status: EntryStatus?, isShared: Bool
    ) throws(DocumentError) {
        do throws(SystemError) {
            progress?.begin(bytes.count)
            var rest = bytes.startIndex
            while rest < bytes.endIndex {
                let end = min(rest + DocumentLimits.chunkBytes, bytes.endIndex)
                try file.writeAll(rest == 0 && end == bytes.endIndex ? bytes : Array(bytes[rest..<end]))
                progress?.advance(end - rest)
                rest = end
            }
        } catch {
            throw DocumentError("cannot save", folder.text(name), error)
        }
        if let status {
            try FileAccessCopy.copy(of: name, status, in: folder, to: file)
        } else if isShared {
            try FileAccessCopy.shareWithFolder(folder, file)
        }
        FileAccessCopy.setAuthor(device, file)
        if let written = try? EntryStatus(of: "", in: file.number) {
            FileAccessCopy.set(derive(FileStamp(written).contents), file)
        }
        do throws(SystemError) { try file.synchronize() } catch {
            throw DocumentError("cannot save", folder.text(name), error)
        }
    }

    /// Gives the new file the name of the document. False if a file has come to that name meanwhile.
    func takeFreeName() throws(DocumentError) -> Bool { try folder.place(temporary, as: name) }

    /// Exchanges the new file and the current one. False if the current one is gone. A file system that cannot exchange replaces
    /// the current file. A version that has no other name yet is renamed first.
    private func exchange(
        with old: EntryStatus, isKept: Bool, _ kept: inout [[UInt8]]
    ) throws(DocumentError) -> Bool {
        switch try folder.exchange(temporary, with: name) {
        case .done: return true
        case .isGone: return false
        case .isUnsupported: break
        }
        guard let now = try folder.status(of: name), FileStamp(now).hasSameContents(as: FileStamp(old)) else {
            return false
        }
        if !isKept {
            // The folder is without the document until the second rename.
            kept.append(try renameVersion(name))
            return try takeFreeName()
        }
        do throws(SystemError) {
            try Entry.rename(temporary.cString, in: folder.number, to: name.cString, in: folder.number)
        } catch {
            throw DocumentError("cannot save", folder.text(name), error)
        }
        return true
    }

    /// Keeps or removes the file that the exchange put under the temporary name.
    private func settle(
        _ old: EntryStatus, _ bytes: [UInt8], _ loaded: LoadedFile?, isExpected: Bool, _ known: FileStamp?,
        _ kept: inout [[UInt8]]
    ) throws(DocumentError) {
        // The new file has the name of the document, whatever comes of this look and of the removal. The next save looks again.
        guard let out = (try? folder.status(of: temporary)).flatMap({ $0 }) else { return }
        let isOld = FileStamp(out).hasSameContents(as: FileStamp(old))
        var isKnown = isOld && isExpected || known?.hasSameContents(as: FileStamp(out)) == true
        // A file that cannot be read is not known, and is kept.
        if !isOld, out.type == .regular, let file = (try? folder.read(temporary)).flatMap({ $0 }) {
            isKnown = file.bytes == bytes || file.bytes == loaded?.bytes
        }
        if isKnown {
            // If this fails, the next save finds the file and keeps it as a version in conflict: superfluous, and nothing is lost.
            try? folder.remove(temporary)
            return
        }
        kept.append(try keep(temporary))
    }

    /// The stamp of the new file now. Its last rename has changed the time of its inode.
    private func stampAfter(_ written: FileStamp) -> FileStamp {
        guard let now = (try? folder.status(of: name)).flatMap({ $0 }).map({ FileStamp($0) }),
            now.hasSameContents(as: written)
        else {
            // The file is saved, also if this look fails. Or another program has replaced it. The comparison of the next save finds that.
            return written
        }
        return now
    }
}
