// A file that one process at a time holds.
// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// A file locked for as long as its owner lives: by flock(2), and where that is refused by fcntl(2). Its owner does not remove it,
/// unless others that lock it look afterwards whether it is still there (``isFile(at:)``).
package struct LockedFile: ~Copyable, Sendable {
    package let descriptor: Descriptor
    /// Whether fcntl(2) locked it.
    private let isRecordLock: Bool

    /// The errors of file systems and filters of system calls without flock(2).
    static let refusals: Set<SystemError> = [.badDescriptor, .noLocks, .notSupported]

    /// Opens or makes the file and locks it. If another process holds it, the call waits for its release if asked to, and
    /// otherwise throws `EAGAIN` (`.wouldBlock`).
    package init(
        _ path: UnsafePointer<CChar>, in directory: CInt = Entry.workingDirectory, waits: Bool = false
    ) throws(SystemError) {
        try self.init(
            locking: Entry.openForWriting(path, in: directory, mode: 0o600, truncate: false), waits: waits)
    }

    /// Locks an open file, as ``init(_:in:waits:)`` does.
    package init(locking file: consuming Descriptor, waits: Bool = false) throws(SystemError) {
        let number = file.number
        do throws(SystemError) {
            try systemCall { clinux_flock(number, waits ? LOCK_EX : LOCK_EX | LOCK_NB) }
            isRecordLock = false
        } catch {
            guard LockedFile.refusals.contains(error) else { throw error }
            do throws(SystemError) {
                try systemCall { clinux_lock_file(number, Int16(F_WRLCK), waits ? 1 : 0) }
            } catch {
                // fcntl(2) leaves open which of the two it is.
                throw error == .noAccess ? .wouldBlock : error
            }
            isRecordLock = true
        }
        descriptor = file
    }

    /// Opens an existing file for reading and locks it, without waiting. Where only files that are open for writing can be locked,
    /// such as on NFS (flock(2)), it is opened for that, too.
    package static func locking(
        existing path: UnsafePointer<CChar>, in directory: CInt = Entry.workingDirectory
    ) throws(SystemError) -> LockedFile {
        do throws(SystemError) {
            return try LockedFile(locking: Entry.openForReading(path, in: directory))
        } catch {
            guard error == .badDescriptor else { throw error }
        }
        return try LockedFile(locking: Entry.openForReadingAndWriting(path, in: directory))
    }

    /// Whether the path still names this file. A removed file keeps its lock, which then keeps no other process out.
    package func isFile(at path: UnsafePointer<CChar>) throws(SystemError) -> Bool { try descriptor.isFile(at: path) }

    // Closing alone does not unlock while a copy of the descriptor exists, and a child process has one between fork(2) and
    // execve(2).
    deinit {
        if isRecordLock {
            _ = clinux_lock_file(descriptor.number, Int16(F_UNLCK), 0)
        } else {
            _ = clinux_flock(descriptor.number, LOCK_UN)
        }
    }
}
