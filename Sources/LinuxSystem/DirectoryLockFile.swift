// A file that is locked in place of its directory.
// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// A file that is locked in place of its directory. Each user who may read a directory can lock it (flock(2)), and
/// would keep out the programs that save in it. The file is open to the users who may write to the directory, and to no
/// other. Some file systems lock no directories at all: NFS locks only what is open for writing, and answers with
/// `EBADF` otherwise. The file is removed with its lock, so a directory has it during a save only. The directory is
/// locked, too, if it is free: a process that cannot open the file waits for that lock.
package final class DirectoryLockFile: Sendable {
    /// The name in the directory. Syncthing never sends it.
    package static let name = ".syncthing.gather.lock.tmp"
    /// Another name in the directory: of a file that gets its access, or that is removed.
    static let temporary = ".syncthing.gather.lock-new.tmp"
    /// How many times the file is opened anew because its former holder has removed it meanwhile.
    private static let attempts = 16

    /// The errors that say nothing of the file.
    private static let failures: Set<SystemError> = [
        .wouldBlock, .tooManyDescriptors, .tooManyDescriptorsInSystem, .noMemory,
    ]

    private let directory: Descriptor
    private let file: LockedFile

    private init(_ directory: consuming Descriptor, _ file: consuming LockedFile) {
        self.directory = directory
        self.file = file
    }

    // It goes while it is locked. A process that locks it afterwards finds that the name is another file's, and opens that.
    deinit {
        if (try? file.descriptor.isEntry(DirectoryLockFile.name, in: directory.number)) == true {
            try? Entry.remove(DirectoryLockFile.name, in: directory.number)
        }
        directory.unlock()
    }

    /// Locks the file of an open directory, and makes it first. `EAGAIN` where another has the lock. Nil where the file cannot be
    /// made, opened to those users alone or locked, such as without permission to write to the directory.
    ///
    /// - Parameter isOpen: Whether the file is open to the same users as the directory instead.
    package static func locking(
        _ directory: CInt, isOpen: Bool = false
    ) throws(SystemError) -> DirectoryLockFile? {
        for _ in 0..<attempts {
            let lock: DirectoryLockFile
            do throws(SystemError) {
                let access = isOpen ? nil : try WriterAccess(directory)
                if access?.isImpossible == true { return nil }
                let opened: Descriptor
                do throws(SystemError) { opened = try Entry.openForReadingAndWriting(name, in: directory) } catch {
                    guard error == .noEntry else { throw error }
                    try make(in: directory, access)
                    continue
                }
                guard try EntryStatus(of: "", in: opened.number).type == .regular else { return nil }
                if try access?.isExceeded(by: opened) == true {
                    // Its lock may be that of another user, which lasts as long as the file has its name.
                    try remove(opened, in: directory)
                    continue
                }
                let own = try Entry.openForReading(".", in: directory)
                lock = DirectoryLockFile(own, try LockedFile(locking: opened))
            } catch {
                if failures.contains(error) { throw error }
                return nil
            }
            guard try lock.file.descriptor.isEntry(name, in: directory) else { continue }
            // A user who may only read the directory may have its lock, and is not waited for.
            _ = clinux_flock(lock.directory.number, LOCK_EX | LOCK_NB)
            return lock
        }
        throw .wouldBlock
    }

    /// Removes a file that has the name. Another process may have given the name to a file of its own, which gets it back.
    private static func remove(_ file: borrowing Descriptor, in directory: CInt) throws(SystemError) {
        do throws(SystemError) {
            try removeTemporary(in: directory)
            try Entry.renameToFree(name, in: directory, to: temporary, in: directory)
            guard try file.isEntry(temporary, in: directory) else {
                return try Entry.renameToFree(temporary, in: directory, to: name, in: directory)
            }
            try Entry.remove(temporary, in: directory)
        } catch {
            // Another process was faster.
            if error != .exists, error != .noEntry { throw error }
        }
    }

    /// Removes the file that a killed process left under the other name.
    private static func removeTemporary(in directory: CInt) throws(SystemError) {
        do throws(SystemError) { try Entry.remove(temporary, in: directory) } catch {
            if error != .noEntry { throw error }
        }
    }

    /// Gives a new file its access: that of the users who may write to the directory, or else that of the directory's mode.
    private static func give(
        _ access: WriterAccess?, to file: borrowing Descriptor, in directory: CInt
    ) throws(SystemError) {
        if let access { return try access.give(to: file) }
        // A file system without modes gives each file the same.
        try? file.setMode(UInt32(try EntryStatus(of: "", in: directory).mode) & 0o666)
    }

    /// Makes the file, unless another process is faster. It has its name when it has its access.
    private static func make(in directory: CInt, _ access: WriterAccess?) throws(SystemError) {
        do throws(SystemError) {
            do throws(SystemError) {
                let made = try Entry.openUnnamed(in: directory, mode: 0o600)
                try give(access, to: made, in: directory)
                return try Entry.link(made, to: name, in: directory)
            } catch {
                // File systems without such files, and without hard links or /proc.
                guard [.notSupported, .isDirectory, .invalid, .noEntry, .notPermitted].contains(error) else {
                    throw error
                }
            }
            if access?.isImpossible == true { throw .notSupported }
            try removeTemporary(in: directory)
            let made = try Entry.openForWriting(temporary, in: directory, mode: 0o600, truncate: false, exclusive: true)
            do throws(SystemError) {
                try give(access, to: made, in: directory)
                try Entry.renameToFree(temporary, in: directory, to: name, in: directory)
            } catch {
                try? Entry.remove(temporary, in: directory)
                throw error
            }
        } catch {
            // Another process may have taken the other name for its own file.
            if error != .exists, error != .noEntry { throw error }
        }
    }
}
