// Changing entries: create, rename, link, remove.
// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// Calls that change one entry, by directory descriptor and name. `nil` for a directory is the working directory.
package enum Entry {
    /// The effect of a rename whose target exists.
    package enum RenameMode: UInt32, Sendable {
        case replace = 0
        case keep = 1
        case exchange = 2
    }

    /// The working directory, for paths (`AT_FDCWD`).
    package static let workingDirectory: CInt = AT_FDCWD

    /// Opens a file for writing, made with this mode where it is missing; emptied if asked. A FIFO that nothing reads is
    /// `ENXIO` instead of a wait for its reader (open(2), `O_NONBLOCK`).
    package static func openForWriting(
        _ path: UnsafePointer<CChar>, in directory: CInt = workingDirectory, mode: UInt32, truncate: Bool,
        exclusive: Bool = false, append: Bool = false
    ) throws(SystemError) -> Descriptor {
        let flags =
            O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | (truncate ? O_TRUNC : 0)
            | (exclusive ? O_EXCL : 0)
            | (append ? O_APPEND : 0)
        return Descriptor(owning: CInt(try systemCall { clinux_openat(directory, path, flags, mode) }))
    }

    /// Returns the number in a file of the kernel such as `/proc/sys/fs/inotify/max_user_watches`; nil if it cannot be read.
    package static func number(in path: UnsafePointer<CChar>) -> Int? {
        guard let file = try? openForReading(path) else { return nil }
        return withUnsafeTemporaryAllocation(byteCount: 32, alignment: 1) { buffer in
            guard let count = try? file.read(into: buffer) else { return nil }
            return Int(String(decoding: buffer[..<count], as: UTF8.self).filter(\.isNumber))
        }
    }

    /// Opens a file for reading; a symlink at the end is refused.
    package static func openForReading(
        _ path: UnsafePointer<CChar>, in directory: CInt = workingDirectory
    ) throws(SystemError) -> Descriptor {
        let flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        return Descriptor(owning: CInt(try systemCall { clinux_openat(directory, path, flags, 0) }))
    }

    /// Opens an existing file for reading and writing; a symlink at the end is refused.
    package static func openForReadingAndWriting(
        _ path: UnsafePointer<CChar>, in directory: CInt = workingDirectory
    ) throws(SystemError) -> Descriptor {
        let flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        return Descriptor(owning: CInt(try systemCall { clinux_openat(directory, path, flags, 0) }))
    }

    /// renameat2(2).
    package static func rename(
        _ old: UnsafePointer<CChar>, in from: CInt = workingDirectory, to new: UnsafePointer<CChar>,
        in to: CInt = workingDirectory, mode: RenameMode = .replace
    ) throws(SystemError) { try systemCall { clinux_renameat2(from, old, to, new, mode.rawValue) } }

    /// Renames an entry to a free name; an existing one is `EEXIST`. A file system without `RENAME_NOREPLACE`, such as NFS, gets a
    /// link in its place. Without hard links the name is looked at first, which another process may take in between.
    package static func renameToFree(
        _ old: UnsafePointer<CChar>, in from: CInt = workingDirectory, to new: UnsafePointer<CChar>,
        in to: CInt = workingDirectory
    ) throws(SystemError) {
        do throws(SystemError) {
            return try rename(old, in: from, to: new, in: to, mode: .keep)
        } catch {
            guard error == .invalid || error == .notSupported else { throw error }
        }
        do throws(SystemError) {
            try link(old, in: from, to: new, in: to)
        } catch {
            guard error == .notPermitted || error == .notSupported else { throw error }
            if (try? EntryStatus(of: new, in: to)) != nil { throw .exists }
            return try rename(old, in: from, to: new, in: to)
        }
        try remove(old, in: from)
    }

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

    /// Reads a symlink's target (readlinkat(2)). Returns its length, or the buffer's if the target does not fit.
    package static func readSymlink(
        _ path: UnsafePointer<CChar>, in directory: CInt = workingDirectory,
        into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int {
        try systemCall { clinux_readlinkat(directory, path, buffer.baseAddress, UInt(buffer.count)) }
    }

    /// Reads the beginning of a regular file, without a wait for a writer of another kind of file. Returns the number of bytes.
    ///
    /// - Throws: `EINVAL` for another kind of file, and `ELOOP` for a symbolic link.
    package static func readFile(
        _ path: UnsafePointer<CChar>, in directory: CInt, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int {
        try systemCall { clinux_read_file(directory, path, buffer.baseAddress, UInt(buffer.count)) }
    }

    /// fchmodat(2).
    package static func setMode(
        _ path: UnsafePointer<CChar>, in directory: CInt = workingDirectory, _ mode: UInt32
    ) throws(SystemError) { try systemCall { clinux_fchmodat(directory, path, mode) } }
}
