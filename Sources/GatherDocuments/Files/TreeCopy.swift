// Copying a file or a tree to another file system.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import LinuxSystem
internal import SaveFiles

/// A copied entry, and the state that it had when it was copied. So a change that comes later is noticed before the entry is
/// removed.
struct TreeCopy: Sendable {
    private let name: [UInt8]
    private let stamp: FileStamp
    /// Whether the file has several names. The removal of one changes the time of its inode.
    private let hasLinks: Bool
    /// The mode of a folder that its owner may not write to. It gets that when it has its place, since a rename to another folder
    /// writes to it.
    private var finalMode: UInt32?
    /// The entries of a folder.
    private var inner: [TreeCopy] = []

    // MARK: Copying

    /// Copies an entry under its name into another folder, with its mode, extended attributes, times of files and folders, and owner
    /// where that is permitted. Files are synced. Several names of one file become several files.
    ///
    /// - Parameter target: A folder that the copy must not contain, such as the one that it is made in.
    /// - Throws: ``DocumentError/Code/specialFile`` for a socket, a device or a FIFO. ``DocumentError/Code/permissionDenied`` for a
    ///   folder from which this user could not remove the originals.
    init(
        copying name: [UInt8], in source: borrowing Folder, to folder: borrowing Folder, beside target: FileStamp,
        depth: Int = 0
    ) throws(DocumentError) {
        guard let status = try TreeCopy.settledStatus(of: name, in: source) else {
            throw DocumentError("cannot copy", source.text(name), .noEntry)
        }
        self.name = name
        stamp = FileStamp(status)
        hasLinks = !status.isDirectory && status.links > 1
        switch status.type {
        case .regular: try TreeCopy.copyFile(name, status, source, folder)
        case .symlink: try TreeCopy.copyLink(name, source, folder)
        case .directory:
            guard depth < DocumentLimits.movedDepth else {
                throw source.error(
                    .tooDeep, name, "more than \(DocumentLimits.movedDepth) folders are in one another")
            }
            guard stamp.device != target.device || stamp.inode != target.inode else {
                throw source.error(.invalidName, name, "it would be moved into itself")
            }
            inner = try TreeCopy.copyFolder(name, status, source, folder, target, depth)
            if depth == 0, status.mode & 0o200 == 0 {
                finalMode = UInt32(status.mode & 0o7777)
                try? Entry.setMode(name.cString, in: folder.number, UInt32(status.mode & 0o7777 | 0o200))
            }
        default:
            throw source.error(.specialFile, name, "it is neither a file, a folder nor a symbolic link")
        }
    }

    /// Returns the status of an entry, which tells each later change. For an entry that has just changed, that takes a wait.
    private static func settledStatus(
        of name: [UInt8], in source: borrowing Folder
    ) throws(DocumentError) -> EntryStatus? {
        guard let status = try source.status(of: name) else { return nil }
        if FileStamp(status).isChangeSettled { return status }
        usleep(FileStamp.settlingMicroseconds)
        return try source.status(of: name)
    }

    private static func copyFolder(
        _ name: [UInt8], _ status: EntryStatus, _ source: borrowing Folder, _ folder: borrowing Folder,
        _ target: FileStamp, _ depth: Int
    ) throws(DocumentError) -> [TreeCopy] {
        let from = try Folder(name, in: source)
        // The owner of a folder can give itself the permission.
        if status.owner != geteuid() { try from.requireRemovals() }
        try DocumentError.of("cannot make the folder", folder.text(name)) { () throws(SystemError) in
            try Directory.make(name.cString, in: folder.number, mode: 0o700)
        }
        let to = try Folder(name, in: folder)
        var inner: [TreeCopy] = []
        for entry in try from.names(where: { _ in true }) {
            inner.append(try TreeCopy(copying: entry, in: from, to: to, beside: target, depth: depth + 1))
        }
        // Last, since the folder may be read-only, and each entry changes its time.
        try FileAccessCopy.copy(of: name, status, in: source, to: to.descriptor, isMove: true)
        FileAccessCopy.setModified(status.modified, to.descriptor)
        try DocumentError.of("cannot write", folder.text(name)) { () throws(SystemError) in
            try to.descriptor.synchronize()
        }
        return inner
    }

    private static func copyLink(
        _ name: [UInt8], _ source: borrowing Folder, _ folder: borrowing Folder
    ) throws(DocumentError) {
        guard let target = try source.target(of: name) else {
            throw DocumentError("cannot copy", source.text(name), .noEntry)
        }
        try DocumentError.of("cannot make the symbolic link", folder.text(name)) { () throws(SystemError) in
            try Entry.makeSymlink(name.cString, in: folder.number, to: target.cString)
        }
    }

    private static func copyFile(
        _ name: [UInt8], _ status: EntryStatus, _ source: borrowing Folder, _ folder: borrowing Folder
    ) throws(DocumentError) {
        let from = try DocumentError.of("cannot read", source.text(name)) { () throws(SystemError) in
            try Entry.openForReading(name.cString, in: source.number)
        }
        let to = try DocumentError.of("cannot write", folder.text(name)) { () throws(SystemError) in
            try Entry.openForWriting(name.cString, in: folder.number, mode: 0o600, truncate: false, exclusive: true)
        }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: DocumentLimits.chunkBytes, alignment: 1)
        defer { buffer.deallocate() }
        while true {
            let count = try DocumentError.of("cannot read", source.text(name)) { () throws(SystemError) in
                try from.read(into: buffer)
            }
            if count == 0 { break }
            try DocumentError.of("cannot write", folder.text(name)) { () throws(SystemError) in
                try to.writeAll(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            }
        }
        try FileAccessCopy.copy(of: name, status, in: source, to: to, isMove: true)
        FileAccessCopy.setModified(status.modified, to)
        try DocumentError.of("cannot write", folder.text(name)) { () throws(SystemError) in try to.synchronize() }
    }

    /// Gives a folder its mode, when it has its place.
    func setMode(of target: [UInt8], in folder: borrowing Folder) throws(SystemError) {
        if let finalMode { try Entry.setMode(target.cString, in: folder.number, finalMode) }
    }

    // MARK: Comparing and removing

    /// Whether the entry and everything in it is as it was when it was copied.
    func isCurrent(in source: borrowing Folder) throws(DocumentError) -> Bool {
        guard let status = try source.status(of: name), FileStamp(status) == stamp else { return false }
        guard status.isDirectory else { return true }
        let folder = try Folder(name, in: source)
        guard try folder.names(where: { _ in true }).count == inner.count else { return false }
        for entry in inner where try !entry.isCurrent(in: folder) { return false }
        return true
    }

    /// Removes the originals. Entries that have changed or are new stay, with the folders above them.
    ///
    /// - Returns: Whether all is gone.
    func remove(from source: borrowing Folder) throws(DocumentError) -> Bool {
        guard let status = try source.status(of: name) else { return true }
        guard status.isDirectory else {
            let now = FileStamp(status)
            guard hasLinks ? now.hasSameContents(as: stamp) : now == stamp else { return false }
            try source.remove(name)
            return true
        }
        guard status.inode == stamp.inode, status.device == stamp.device else { return false }
        let folder = try Folder(name, in: source)
        if status.mode & 0o700 != 0o700 { try? folder.descriptor.setMode(UInt32(status.mode & 0o7777 | 0o700)) }
        var isGone = true
        for entry in inner where try !entry.remove(from: folder) { isGone = false }
        guard isGone else { return false }
        do throws(SystemError) {
            try Entry.remove(name.cString, in: source.number, isDirectory: true)
        } catch {
            if error == .notEmpty || error == .exists { return false }
            if error != .noEntry { throw DocumentError("cannot remove", source.text(name), error) }
        }
        return true
    }
}

extension Folder {
    fileprivate func error(_ code: DocumentError.Code, _ name: [UInt8], _ reason: String) -> DocumentError {
        DocumentError(code: code, message: "cannot move \(text(name)): \(reason)", path: text(name))
    }

    /// Refuses a folder from which this user may not remove entries.
    func requireRemovals() throws(DocumentError) {
        let text = String(decoding: path, as: UTF8.self)
        guard faccessat(number, ".", W_OK | X_OK, 0) != 0 else { return }
        throw DocumentError("cannot move entries out of", text, SystemError(code: errno))
    }
}
