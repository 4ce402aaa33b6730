// Moving an entry to another folder, which may be on another file system.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import LinuxSystem
internal import Metadata
internal import SaveFiles

/// Moves an entry to a free name.
///
/// On one file system that is a rename. To another one the entry is copied into a folder under a name that is never replicated, and
/// gets its name in one step. The original is removed last. So a reader never sees half of the entry, and a process that is killed
/// leaves the whole entry at one of the two places, or at both.
enum Relocation {
    /// Moves an entry of an open folder to a name in another one.
    ///
    /// - Throws: ``DocumentError/Code/exists`` if the target is there, ``DocumentError/Code/nameDiffersInCase`` if a similar name
    ///   is. ``DocumentError/Code/busy`` if another program changes the entry all the time, or changed it after it was copied: the
    ///   message says which.
    static func move(
        _ name: [UInt8], in from: borrowing Folder, to target: [UInt8], in to: borrowing Folder
    ) throws(DocumentError) {
        guard try from.status(of: name) != nil else { throw DocumentError("cannot move", from.text(name), .noEntry) }
        let isSameFolder = try from.isSame(as: to)
        let isMoved = try locked(from, to) { () throws(DocumentError) -> Bool in
            try to.requireDistinctCase(target, except: isSameFolder ? name : nil)
            do throws(SystemError) {
                try Entry.renameToFree(name.cString, in: from.number, to: target.cString, in: to.number)
                return true
            } catch {
                if error == .crossesDevice { return false }
                guard error == .invalid else { throw failure(error, from.text(name), to.text(target)) }
                throw DocumentError(
                    code: .invalidName,
                    message:
                        "cannot move \(from.text(name)) to \(to.text(target)): a folder cannot be moved into itself",
                    path: from.text(name))
            }
        }
        if isMoved { return }
        try from.requireRemovals()
        try copy(name, in: from, to: target, in: to)
    }

    private static func failure(_ error: SystemError, _ source: String, _ target: String) -> DocumentError {
        DocumentError(
            code: DocumentError("", "", error).code,
            message: "cannot move \(source) to \(target): \(error.description)",
            path: error == .exists ? target : source, errno: error.code)
    }

    // MARK: Copying

    /// The name of the folder in which this user makes the copy for a name. It is as short for every name.
    static func temporaryName(of name: [UInt8]) -> [UInt8] {
        let hash = String(StableHash.value(of: name), radix: 16)
        return SaveName.moving.of(Array("\(hash)-\(geteuid())".utf8))
    }

    private static func copy(
        _ name: [UInt8], in from: borrowing Folder, to target: [UInt8], in to: borrowing Folder
    ) throws(DocumentError) {
        let place = temporaryName(of: target)
        let temporary = try temporaryFolder(place, in: to)
        // Its lock ends with the descriptor. The next process that moves an entry to this name removes the rest of one that was killed.
        do throws(DocumentError) {
            try copy(name, in: from, to: target, in: to, through: temporary)
        } catch {
            try? to.removeTree(place)
            throw error
        }
        try to.removeTree(place)
    }

    private static func copy(
        _ name: [UInt8], in from: borrowing Folder, to target: [UInt8], in to: borrowing Folder,
        through temporary: borrowing Folder
    ) throws(DocumentError) {
        let own = FileStamp(try temporary.status)
        for _ in 0..<DocumentLimits.readings {
            let copied = try TreeCopy(copying: name, in: from, to: temporary, beside: own)
            let isMoved = try locked(from, to) { () throws(DocumentError) -> Bool in
                guard try copied.isCurrent(in: from) else { return false }
                try to.requireDistinctCase(target)
                do throws(SystemError) {
                    try Entry.renameToFree(name.cString, in: temporary.number, to: target.cString, in: to.number)
                    try copied.setMode(of: target, in: to)
                } catch {
                    throw failure(error, from.text(name), to.text(target))
                }
                try finish(copied, name, in: from, to: target, in: to)
                return true
            }
            if isMoved { return }
            try temporary.removeTree(name)
        }
        throw DocumentError(
            code: .busy, message: "cannot move \(from.text(name)): another program changes it all the time",
            path: from.text(name))
    }

    /// Removes the originals when the copy is on disk under its name.
    private static func finish(
        _ copied: TreeCopy, _ name: [UInt8], in from: borrowing Folder, to target: [UInt8], in to: borrowing Folder
    ) throws(DocumentError) {
        var reason = "it has changed since it was copied, and the changed entries stay"
        var code = DocumentError.Code.busy
        do throws(DocumentError) {
            try DocumentError.of("cannot write", to.text(target)) { () throws(SystemError) in
                try to.descriptor.synchronize()
            }
            if try copied.remove(from: from) { return }
        } catch {
            (reason, code) = (error.message, error.code)
        }
        throw DocumentError(
            code: code, message: "\(to.text(target)) is there, and \(from.text(name)) is left: \(reason)",
            path: from.text(name))
    }

    /// Makes the empty folder for a copy, and locks it.
    private static func temporaryFolder(_ name: [UInt8], in folder: borrowing Folder) throws(DocumentError) -> Folder {
        for _ in 0..<DocumentLimits.saveAttempts {
            var isNew = true
            do throws(SystemError) {
                try Directory.make(name.cString, in: folder.number, mode: 0o700)
            } catch {
                if error != .exists { throw DocumentError("cannot write to the folder of", folder.text(name), error) }
                isNew = false
            }
            guard let made = try locked(name, in: folder) else { continue }
            let status = try made.status
            // Another user could put a file in place of the copy. A file system without permissions, such as FAT, gives a new folder
            // others than were asked for.
            guard isNew || status.owner == geteuid() && status.mode & 0o022 == 0 else {
                throw DocumentError(
                    code: .permissionDenied,
                    message: "cannot use the folder \(folder.text(name)): another user can write to it",
                    path: folder.text(name))
            }
            // The process that had it before may have removed it.
            guard let now = try folder.status(of: name), now.inode == status.inode, now.device == status.device else {
                continue
            }
            for left in try made.names(where: { _ in true })
            where !left.elementsEqual(DirectoryLockFile.name.utf8) { try made.removeTree(left) }
            return made
        }
        throw DocumentError(
            code: .busy, message: "cannot write to the folder of \(folder.text(name)): other processes move there",
            path: folder.text(name))
    }

    /// Opens the folder for a copy, and locks it; nil if it is gone.
    private static func locked(_ name: [UInt8], in folder: borrowing Folder) throws(DocumentError) -> Folder? {
        do throws(DocumentError) {
            let made = try Folder(name, in: folder)
            try made.lock(timeout: .zero)
            return made
        } catch {
            if error.code == .notFound { return nil }
            guard error.code == .locked else { throw error }
            throw DocumentError(
                code: .locked, message: "another process moves an entry to this name now: \(folder.text(name))",
                path: folder.text(name))
        }
    }

    // MARK: Locks

    /// Runs `body` with the locks of both folders, which every program that saves documents takes. They are locked in the order of
    /// their inodes, so that two moves in opposite directions do not wait for each other.
    private static func locked<Value>(
        _ one: borrowing Folder, _ other: borrowing Folder, _ body: () throws(DocumentError) -> Value
    ) throws(DocumentError) -> Value {
        let (first, second) = (try one.status, try other.status)
        if first.device == second.device, first.inode == second.inode {
            try one.lock(timeout: DocumentLimits.lockTimeout)
            defer { one.unlock() }
            return try body()
        }
        let isFirst = (first.device, first.inode) < (second.device, second.inode)
        if isFirst { try one.lock(timeout: DocumentLimits.lockTimeout) }
        defer { one.unlock() }
        try other.lock(timeout: DocumentLimits.lockTimeout)
        defer { other.unlock() }
        if !isFirst { try one.lock(timeout: DocumentLimits.lockTimeout) }
        return try body()
    }
}
