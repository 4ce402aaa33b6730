// A file that is locked in place of its directory.
// SPDX-License-Identifier: Apache-2.0

/// A file that is locked in place of its directory. Each user who may read a directory can lock it (flock(2)), and would keep out those
/// who save in it. The file is open to the users who may write to the directory, and to no other. Some file systems lock no
/// directories at all: NFS locks only what is open for writing, and answers with `EBADF` otherwise. The file is removed with its lock,
/// so a directory has it during a save only.
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
    /// made, opened to those users alone or locked, such as without permission to write to the directory.
    package static func locking(_ directory: CInt) throws(SystemError) -> DirectoryLockFile? {
        for _ in 0..<attempts {
            let file: LockedFile
            do throws(SystemError) {
                let access = try WriterAccess(directory)
                let opened: Descriptor
                do throws(SystemError) { opened = try Entry.openForReadingAndWriting(name, in: directory) } catch {
                    guard error == .noEntry else { throw error }
                    try make(in: directory, access)
                    continue
                }
                guard try EntryStatus(of: "", in: opened.number).type == .regular else { return nil }
                if try access.isExceeded(by: opened) {
                    // Its lock may be that of another user, who keeps it as long as the file has its name.
                    if try opened.isEntry(name, in: directory) { try Entry.remove(name, in: directory) }
                    continue
                }
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

    /// Makes the file, unless another process is faster. It has its name when it has its access.
    private static func make(in directory: CInt, _ access: WriterAccess) throws(SystemError) {
        do throws(SystemError) {
            do throws(SystemError) {
                let made = try Entry.openUnnamed(in: directory, mode: 0o600)
                try access.give(to: made)
                return try Entry.link(made, to: name, in: directory)
            } catch {
                // File systems without such files, and without hard links or /proc.
                guard [.notSupported, .isDirectory, .invalid, .noEntry, .notPermitted].contains(error) else {
                    throw error
                }
            }
            let temporary = ".syncthing.gather.lock-\(UInt64.random(in: .min ... .max)).tmp"
            let made = try Entry.openForWriting(temporary, in: directory, mode: 0o600, truncate: false, exclusive: true)
            do throws(SystemError) {
                try access.give(to: made)
                try Entry.renameToFree(temporary, in: directory, to: name, in: directory)
            } catch {
                try? Entry.remove(temporary, in: directory)
                throw error
            }
        } catch {
            if error != .exists { throw error }
        }
    }
}
