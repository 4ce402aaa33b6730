// Changing entries: create, rename, link, remove.
// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// Calls that change one entry, by directory descriptor and name. `nil` for a directory is the working directory.
package enum Entry {
    /// What a rename does where the new name is taken.
    package enum RenameMode: UInt32, Sendable {
        case replace = 0
        case keep = 1
        case exchange = 2
    }

    /// The working directory, for paths (`AT_FDCWD`).
    package static let workingDirectory: CInt = AT_FDCWD

    /// Opens a file for writing, made with this mode where it is missing; emptied if asked.
    package static func openForWriting(
        _ path: UnsafePointer<CChar>, in directory: CInt = workingDirectory, mode: UInt32, truncate: Bool,
        exclusive: Bool = false, append: Bool = false
    ) throws(SystemError) -> Descriptor {
        let flags =
            O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | (truncate ? O_TRUNC : 0) | (exclusive ? O_EXCL : 0)
            | (append ? O_APPEND : 0)
        return Descriptor(owning: CInt(try systemCall { clinux_openat(directory, path, flags, mode) }))
    }

    /// Opens a file for reading; a symlink at the end is refused.
    package static func openForReading(
        _ path: UnsafePointer<CChar>, in directory: CInt = workingDirectory
    ) throws(SystemError) -> Descriptor {
        let flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        return Descriptor(owning: CInt(try systemCall { clinux_openat(directory, path, flags, 0) }))
    }

    /// renameat2(2).
    package static func rename(
        _ old: UnsafePointer<CChar>, in from: CInt = workingDirectory, to new: UnsafePointer<CChar>,
        in to: CInt = workingDirectory, mode: RenameMode = .replace
    ) throws(SystemError) { try systemCall { clinux_renameat2(from, old, to, new, mode.rawValue) } }

    /// unlinkat(2) of a file, or of an empty directory.
    package static func remove(
        _ path: UnsafePointer<CChar>, in directory: CInt = workingDirectory, isDirectory: Bool = false
    ) throws(SystemError) {
        let removeDirectory: CInt = 0x200
        try systemCall { clinux_unlinkat(directory, path, isDirectory ? removeDirectory : 0) }
    }

    /// linkat(2): one more name for a file.
    package static func link(
        _ old: UnsafePointer<CChar>, in from: CInt = workingDirectory, to new: UnsafePointer<CChar>,
        in to: CInt = workingDirectory
    ) throws(SystemError) { try systemCall { clinux_linkat(from, old, to, new) } }

    /// symlinkat(2).
    package static func makeSymlink(
        _ path: UnsafePointer<CChar>, in directory: CInt = workingDirectory, to target: UnsafePointer<CChar>
    ) throws(SystemError) { try systemCall { clinux_symlinkat(target, directory, path) } }

    /// What a symlink says (readlinkat(2)): its length, or the buffer's where it does not fit.
    package static func readSymlink(
        _ path: UnsafePointer<CChar>, in directory: CInt = workingDirectory,
        into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int {
        try systemCall { clinux_readlinkat(directory, path, buffer.baseAddress, UInt(buffer.count)) }
    }

    /// fchmodat(2).
    package static func setMode(
        _ path: UnsafePointer<CChar>, in directory: CInt = workingDirectory, _ mode: UInt32
    ) throws(SystemError) { try systemCall { clinux_fchmodat(directory, path, mode) } }
}
