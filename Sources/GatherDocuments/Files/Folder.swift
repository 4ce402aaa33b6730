// An open folder: its lock, and its files by name.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit
internal import Glibc
internal import LinuxSystem
internal import Metadata
internal import SaveFiles
internal import Synchronization

/// An open folder, in which files are read by name. All calls go through its descriptor, so a rename of the folder or of one
/// above it does not matter.
struct Folder: ~Copyable {
    let descriptor: Descriptor
    /// The path, for messages.
    let path: [UInt8]
    /// The file that is locked in place of the folder, where the file system locks no folders.
    private let lockFile = Mutex<DirectoryLockFile?>(nil)

    /// Opens a folder. Below a container, a symbolic link on the path is refused, and so is another directory at the container's path.
    init(_ path: [UInt8], access: Directory.Access = .reading) throws(DocumentError) {
        self.path = path
        do throws(KnownContainers.Failure) { descriptor = try KnownContainers.open(path, access: access) } catch {
            throw DocumentError(opening: path, error)
        }
    }

    /// Opens a folder below another one, without following symbolic links and without leaving its file system.
    ///
    /// - Parameter path: The path for messages; nil for that of the parent and the name.
    init(_ name: [UInt8], in parent: borrowing Folder, path: [UInt8]? = nil) throws(DocumentError) {
        self.path = path ?? DocumentPath.join(parent.path, name)
        do throws(SystemError) {
            descriptor = try Directory.open(name.cString, beneath: parent.number, access: .reading)
        } catch {
            throw DocumentError(opening: self.path, error, crossingMounts: false)
        }
    }

    /// Opens a folder below another one, also on another file system. A symbolic link is refused: it could lead out of a container.
    init(
        entering name: [UInt8], in parent: borrowing Folder, access: Directory.Access = .reading
    ) throws(DocumentError) {
        path = DocumentPath.join(parent.path, name)
        do throws(SystemError) {
            descriptor = try Directory.open(
                name.cString, beneath: parent.number, access: access, crossingMounts: true)
        } catch {
            throw DocumentError(opening: path, error)
        }
    }

    var number: CInt { descriptor.number }

    /// Whether it is an archive or lies below one: by its path in its container, as in the index. The container itself may lie in a
    /// directory with such a name. Outside of the containers that this process uses, the whole path counts.
    var isArchived: Bool { ArchiveName.holds(directory: ContainerRoots.place(of: path)?.rest ?? path) }

    /// The status of the folder itself.
    var status: EntryStatus {
        get throws(DocumentError) {
            try DocumentError.of("cannot look at", String(decoding: path, as: UTF8.self)) { () throws(SystemError) in
                try EntryStatus(of: "", in: number)
            }
        }
    }

    /// Whether it is the same folder, by whatever path.
    func isSame(as other: borrowing Folder) throws(DocumentError) -> Bool {
        let (one, other) = (try status, try other.status)
        return one.device == other.device && one.inode == other.inode
    }

    /// The text of a file's path, for messages.
    func text(_ name: [UInt8]) -> String { String(decoding: DocumentPath.join(path, name), as: UTF8.self) }

    // MARK: The lock

    /// The first and the longest pause between two attempts to get the lock, in microseconds. flock(2) has no time limit, so it is
    /// tried again.
    private static let pauses: ClosedRange<UInt32> = 500...50_000

    /// Waits for the advisory lock of the folder (flock(2)), which every saver of documents in it takes. Blocks the thread.
    ///
    /// After the timeout, the call ends without the lock if a user may have it that may only read the folder. A save
    /// does not depend on the lock: it compares the file that its exchange puts aside.
    ///
    /// - Parameters:
    ///   - timeout: The longest wait.
    ///   - isNeeded: Whether the call fails without the lock in any case.
    ///   - waits: Is called once if another process or document has the lock.
    /// - Throws: ``DocumentError/Code/locked`` after the timeout.
    func lock(timeout: Duration, isNeeded: Bool = false, waits: () -> Void = {}) throws(DocumentError) {
        // A second file of this process would wait for the first.
        guard lockFile.withLock({ $0 == nil }) else { return }
        let deadline = ContinuousClock.now + timeout
        var pause: UInt32 = 0
        while true {
            let mayBeReader: Bool
            do throws(SystemError) {
                let file = try descriptor.lockDirectory()
                return lockFile.withLock { $0 = file }
            } catch {
                guard error == .wouldBlock || error == .busy else {
                    throw DocumentError("cannot lock the folder", String(decoding: path, as: UTF8.self), error)
                }
                mayBeReader = error == .busy
            }
            if pause == 0 { waits() }
            guard ContinuousClock.now < deadline else {
                if mayBeReader, !isNeeded { return }
                let text = String(decoding: path, as: UTF8.self)
                throw DocumentError(
                    code: .locked,
                    message: "cannot lock the folder \(text): another process has held it for \(timeout)",
                    path: text)
            }
            pause = pause == 0 ? Folder.pauses.lowerBound : min(pause * 2, Folder.pauses.upperBound)
            usleep(pause)
        }
    }

    func unlock() {
        lockFile.withLock { $0 = nil }
        descriptor.unlock()
    }

    // MARK: Files

    /// Whether this user may write to a file (faccessat(2)). The permission on the folder alone would let a rename replace it.
    func isWritable(_ name: [UInt8]) -> Bool {
        faccessat(number, name.cString, W_OK, 0) == 0 || (errno != EACCES && errno != EPERM && errno != EROFS)
    }

    /// Refuses a file that this user may not write to.
    func requireWritable(_ name: [UInt8]) throws(DocumentError) {
        guard !isWritable(name) else { return }
        throw DocumentError(
            code: .permissionDenied, message: "cannot save \(text(name)): this user may not write to it",
            path: text(name))
    }

    /// Returns the status of an entry; nil if there is none.
    func status(of name: [UInt8]) throws(DocumentError) -> EntryStatus? {
        do throws(SystemError) {
            return try EntryStatus(of: name.cString, in: number)
        } catch {
            if error == .noEntry { return nil }
            throw DocumentError("cannot look at", text(name), error)
        }
    }

    /// Reads a file as a whole, and again if it changes meanwhile. Nil if there is none.
    ///
    /// - Parameter body: Is called with the open file and its contents.
    func read(
        _ name: [UInt8], progress: DocumentProgress? = nil,
        _ body: (borrowing Descriptor, [UInt8], FileStamp) -> Void = { _, _, _ in }
    ) throws(DocumentError) -> LoadedFile? {
        let file: Descriptor
        do throws(SystemError) {
            file = try Entry.openForReading(name.cString, in: number)
        } catch {
            if error == .noEntry { return nil }
            throw DocumentError("cannot read", text(name), error)
        }
        for _ in 0..<DocumentLimits.readings {
            let before = try openStatus(file, name)
            guard before.type == .regular else {
                throw DocumentError(
                    code: .notADocument, message: "cannot read \(text(name)): it is not a regular file",
                    path: text(name))
            }
            guard before.size <= DocumentLimits.contentBytes else {
                throw DocumentError(
                    code: .tooLarge,
                    message:
                        "cannot read \(text(name)): it has \(before.size) bytes, and \(DocumentLimits.contentBytes) are the "
                        + "most",
                    path: text(name))
            }
            let bytes = try readAll(file, name, size: Int(before.size), progress)
            let after = try openStatus(file, name)
            if FileStamp(after).hasSameContents(as: FileStamp(before)), bytes.count == Int(after.size) {
                body(file, bytes, FileStamp(after))
                return LoadedFile(stamp: FileStamp(after), bytes: bytes)
            }
        }
        throw DocumentError(
            code: .busy, message: "cannot read \(text(name)): another program changes it all the time", path: text(name)
        )
    }

    private func openStatus(_ file: borrowing Descriptor, _ name: [UInt8]) throws(DocumentError) -> EntryStatus {
        do throws(SystemError) {
            return try EntryStatus(of: "", in: file.number)
        } catch {
            throw DocumentError("cannot look at", text(name), error)
        }
    }

    private func readAll(
        _ file: borrowing Descriptor, _ name: [UInt8], size: Int, _ progress: DocumentProgress?
    ) throws(DocumentError) -> [UInt8] {
        progress?.begin(size)
        // One byte more shows that the file has grown.
        var bytes = [UInt8](repeating: 0, count: size + 1)
        var filled = 0
        while filled < bytes.count {
            let count: Int
            do throws(SystemError) {
                let end = min(filled + DocumentLimits.chunkBytes, bytes.count)
                count = try Folder.read(file, into: &bytes, filled..<end)
            } catch {
                throw DocumentError("cannot read", text(name), error)
            }
            if count == 0 { break }
            filled += count
            progress?.advance(count)
        }
        bytes.removeLast(bytes.count - filled)
        return bytes
    }

    private static func read(
        _ file: borrowing Descriptor, into bytes: inout [UInt8], _ range: Range<Int>
    ) throws(SystemError) -> Int {
        var result: Result<Int, SystemError> = .success(0)
        bytes.withUnsafeMutableBytes { buffer in
            do throws(SystemError) {
                result = .success(
                    try file.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[range]), at: range.lowerBound))
            } catch {
                result = .failure(error)
            }
        }
        return try result.get()
    }

    /// Renames an entry to a free name. An existing one is `EEXIST`.
    func renameToFree(_ old: [UInt8], _ new: [UInt8]) throws(SystemError) {
        try Entry.renameToFree(old.cString, in: number, to: new.cString, in: number)
    }

    /// Gives an entry the name of a document. False if another entry has that name now.
    func place(_ entry: [UInt8], as name: [UInt8]) throws(DocumentError) -> Bool {
        do throws(SystemError) {
            try renameToFree(entry, name)
            return true
        } catch {
            if error == .exists || error == .notEmpty { return false }
            throw DocumentError("cannot save", text(name), error)
        }
    }

    /// Exchanges an entry and the document of a name (`RENAME_EXCHANGE` of rename(2)).
    func exchange(_ entry: [UInt8], with name: [UInt8]) throws(DocumentError) -> Exchange {
        do throws(SystemError) {
            try Entry.rename(entry.cString, in: number, to: name.cString, in: number, mode: .exchange)
            return .done
        } catch {
            if error == .noEntry { return .isGone }
            guard error == .invalid || error == .notSupported else {
                throw DocumentError("cannot save", text(name), error)
            }
            return .isUnsupported
        }
    }

    /// The result of an exchange.
    enum Exchange {
        case done
        /// One of the entries is gone.
        case isGone
        /// The file system cannot exchange.
        case isUnsupported
    }

    /// Removes a file if it is there.
    func remove(_ name: [UInt8]) throws(DocumentError) {
        do throws(SystemError) {
            try Entry.remove(name.cString, in: number)
        } catch {
            if error != .noEntry { throw DocumentError("cannot remove", text(name), error) }
        }
    }

    /// Returns the names of the folder's entries for which the condition holds, in no order. The bytes are lent for the call.
    func names(where condition: (Span<UInt8>) -> Bool) throws(DocumentError) -> [[UInt8]] {
        var names: [[UInt8]] = []
        do throws(SystemError) {
            try Directory.forEachName(in: number) { name in
                if condition(name.bindMemory(to: UInt8.self).span) { names.append(Array(name)) }
            }
            return names
        } catch {
            throw DocumentError("cannot list the folder", String(decoding: path, as: UTF8.self), error)
        }
    }
}
