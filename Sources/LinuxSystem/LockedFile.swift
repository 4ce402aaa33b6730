// A file that one process at a time holds.
// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// A file locked by flock(2) for as long as its owner lives. It is never removed: that would let two processes hold
/// two files of the same name.
package struct LockedFile: ~Copyable, Sendable {
    package let descriptor: Descriptor

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
        try systemCall { clinux_flock(number, waits ? LOCK_EX : LOCK_EX | LOCK_NB) }
        descriptor = file
    }

    /// Whether the path still names this file. A removed file keeps its lock, which then keeps no other process out.
    package func isFile(at path: UnsafePointer<CChar>) throws(SystemError) -> Bool { try descriptor.isFile(at: path) }

    // Closing alone does not unlock while a copy of the descriptor exists, and a child process has one between fork(2) and
    // execve(2).
    deinit { _ = clinux_flock(descriptor.number, LOCK_UN) }
}
