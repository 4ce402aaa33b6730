// The directory in which one daemon at a time keeps its state.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import Synchronization
import SystemPackage

/// The state directory, made when missing (mode 0700) and locked for as long as this lives.
final class StateDirectory: Sendable {
    /// Why there is no state directory.
    enum Obstacle: Error {
        /// The path cannot be used, and a later start would fail too until an administrator changes something.
        case unusable(ConfigurationError)
        /// The directory cannot be written. The daemon can serve without saving.
        case unwritable(SystemError)
    }

    let path: String
    private let lock: Mutex<LockedFile>

    init(path: String) throws(Obstacle) {
        self.path = path
        do throws(SystemError) {
            try Directory.makeWithParents(path)
        } catch {
            throw StateDirectory.obstacle(error, path, "the state directory cannot be made")
        }
        lock = Mutex(try StateDirectory.lock(path))
    }

    /// Makes the directory again if it was removed, and locks it again.
    func renew() throws(SystemError) {
        try Directory.makeWithParents(path)
        let name = path + "/lock"
        try lock.withLock { (held) throws(SystemError) in
            if try !held.isFile(at: name) { held = try LockedFile(name) }
        }
    }

    private static func lock(_ path: String) throws(Obstacle) -> LockedFile {
        let name = path + "/lock"
        func refusal(_ message: String) -> Obstacle { .unusable(ConfigurationError(file: path, message: message)) }
        if let status = try? EntryStatus(of: path + "/.", in: Entry.workingDirectory), !status.isDirectory {
            throw refusal("the state directory is not a directory; name another with --state-directory")
        }
        if let status = try? EntryStatus(of: name, in: Entry.workingDirectory), status.type != .regular {
            throw .unusable(
                ConfigurationError(
                    file: name, message: "the lock of the state directory is not a regular file; remove it"))
        }
        do throws(SystemError) {
            return try LockedFile(name)
        } catch {
            guard error != .wouldBlock else {
                throw refusal(
                    "another gatherd uses this state directory; stop that one, or name another directory with "
                        + "--state-directory")
            }
            throw obstacle(error, path, "the state directory cannot be locked")
        }
    }

    private static func obstacle(_ error: SystemError, _ path: String, _ failed: String) -> Obstacle {
        switch error.code {
        case EROFS, EACCES, EPERM, ENOSPC, EDQUOT, EIO: .unwritable(error)
        default: .unusable(ConfigurationError(file: path, message: "\(failed): \(error)"))
        }
    }
}
