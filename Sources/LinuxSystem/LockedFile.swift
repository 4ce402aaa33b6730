// A file that one process at a time holds.
// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// A file locked by flock(2) for as long as its owner lives. It is never removed: that would let two processes hold
/// two files of the same name.
package struct LockedFile: ~Copyable, Sendable {
    let descriptor: Descriptor

    /// Opens or makes the file and locks it; `EAGAIN` (`.wouldBlock`) where another process holds it.
    package init(_ path: UnsafePointer<CChar>, in directory: CInt = Entry.workingDirectory) throws(SystemError) {
        let file = try Entry.openForWriting(path, in: directory, mode: 0o600, truncate: false)
        try systemCall { clinux_flock(file.number, LOCK_EX | LOCK_NB) }
        descriptor = file
    }

    // Closing alone does not unlock while somebody has a copy of the descriptor, and a child process has one between
    // fork(2) and execve(2).
    deinit { _ = clinux_flock(descriptor.number, LOCK_UN) }
}
