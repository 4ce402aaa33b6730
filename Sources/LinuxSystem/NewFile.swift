// Files that get their name when they are complete, and the owner and the mode of open files.
// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

extension Entry {
    /// Opens a new file without a name in a directory, for reading and writing (`O_TMPFILE` of open(2)). It is gone with its
    /// last descriptor unless it gets a name. File systems without such files give `EOPNOTSUPP`, and older kernels `EISDIR`.
    package static func openUnnamed(in directory: CInt, mode: UInt32) throws(SystemError) -> Descriptor {
        Descriptor(owning: CInt(try systemCall { clinux_open_unnamed(directory, mode) }))
    }

    /// Gives an open file a name (linkat(2)). An existing name is `EEXIST`.
    package static func link(
        _ file: borrowing Descriptor, to name: UnsafePointer<CChar>, in directory: CInt
    ) throws(SystemError) {
        let number = file.number
        try systemCall { clinux_link_open(number, directory, name) }
    }
}

extension Descriptor {
    /// Sets owner and group (fchown(2)); nil leaves one as it is.
    package func setOwner(_ owner: UInt32?, group: UInt32?) throws(SystemError) {
        let number = number
        try systemCall { clinux_fchown(number, owner ?? .max, group ?? .max) }
    }

    /// Sets the permission bits (fchmod(2)).
    package func setMode(_ mode: UInt32) throws(SystemError) {
        let number = number
        try systemCall { clinux_fchmod(number, mode) }
    }

    /// Locks the open directory for this open descriptor alone. Where users may read it who may not write to it, that is the lock of a
    /// file which only those who may write can open, and otherwise the directory's own one (flock(2)). Where neither can be had, that is
    /// the lock of a file that is open to the same users as the directory.
    ///
    /// - Returns: The file that is locked in place of the directory. The lock lasts as long as it. Nil where the directory itself is
    ///   locked, and where this user cannot lock either.
    /// - Throws: `EAGAIN` (`.wouldBlock`) where another process has the lock that may write to the directory. `EBUSY` (`.busy`) where
    ///   it may be one that may only read: the file system cannot have such a file.
    package func lockDirectory() throws(SystemError) -> DirectoryLockFile? {
        let number = number
        let hasOtherReaders = try WriterAccess(number).hasOtherReaders
        if hasOtherReaders, let file = try DirectoryLockFile.locking(number) { return file }
        do throws(SystemError) {
            try systemCall { clinux_flock(number, LOCK_EX | LOCK_NB) }
            return nil
        } catch {
            if error == .wouldBlock { throw hasOtherReaders ? .busy : error }
            guard LockedFile.refusals.contains(error) else { throw error }
        }
        if !hasOtherReaders, let file = try DirectoryLockFile.locking(number) { return file }
        do throws(SystemError) { return try DirectoryLockFile.locking(number, isOpen: true) } catch {
            throw hasOtherReaders && error == .wouldBlock ? .busy : error
        }
    }

    /// Ends the lock of a directory.
    package func unlock() {
        _ = clinux_flock(number, LOCK_UN)
    }
}
