// A file that is locked in place of its directory.
// SPDX-License-Identifier: Apache-2.0

/// A file that is locked in place of its directory, on file systems that lock no directories: NFS locks only what is open for
/// writing, and answers flock(2) with `EBADF` otherwise. It is removed with its lock, so a directory has it during a save only.
package final class DirectoryLockFile: Sendable {
    /// The name in the directory. Syncthing never sends it.
    package static let name = ".syncthing.gather.lock.tmp"
    /// How many times the file is opened anew because its former holder has removed it meanwhile.
    private static let attempts = 16

    private let directory: Descriptor
    private let file: LockedFile

    private init(_ directory: consuming Descriptor, _ file: consuming LockedFile) {
        self.directory = directory
        self.file = file
    }

    // It goes while it is locked. A process that locks it afterwards finds that the name is another file's, and opens that.
    deinit { try? Entry.remove(DirectoryLockFile.name, in: directory.number) }

    /// Locks the file of an open directory, and makes it first. `EAGAIN` where another has the lock. Nil where the file cannot be
    /// made or locked, such as without permission to write to the directory.
    package static func locking(_ directory: CInt) throws(SystemError) -> DirectoryLockFile? {
        for _ in 0..<attempts {
            let file: LockedFile
            do throws(SystemError) {
                let status = try EntryStatus(of: "", in: directory)
                let opened = try Entry.openForWriting(name, in: directory, mode: 0o666, truncate: false)
                // The umask would keep out other users who may write to the directory. Only its owner can change the mode.
                try? opened.setMode(UInt32(status.mode & 0o666))
                file = try LockedFile(locking: opened)
            } catch {
                if error == .wouldBlock { throw error }
                return nil
            }
            guard try file.descriptor.isEntry(name, in: directory) else { continue }
            return DirectoryLockFile(try Entry.openForReading(".", in: directory), file)
        }
        throw .wouldBlock
    }
}
