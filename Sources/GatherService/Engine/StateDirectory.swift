// The directory that one daemon at a time keeps its state in.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import SystemPackage

/// The state directory, made when missing (mode 0700) and locked for as long as this lives.
final class StateDirectory: Sendable {
    let path: String
    // Held for its lock alone.
    private let lock: LockedFile

    init(path: String) throws(ConfigurationError) {
        self.path = path
        do {
            try StateDirectory.makeWithParents(path)
        } catch {
            throw ConfigurationError(file: path, message: "the state directory cannot be made: \(error)")
        }
        do {
            lock = try LockedFile(path + "/lock")
        } catch SystemError.wouldBlock {
            throw ConfigurationError(file: path, message: "another gatherd is using this state directory")
        } catch {
            throw ConfigurationError(file: path, message: "the state directory cannot be locked: \(error)")
        }
    }

    /// Makes a directory, and those above it, for their owner alone.
    static func makeWithParents(_ path: String) throws(SystemError) {
        do {
            try Directory.make(path, mode: 0o700)
        } catch SystemError.exists {
            return
        } catch SystemError.noEntry {
            let parent = FilePath(path).removingLastComponent().string
            guard parent != path, !parent.isEmpty else { throw .noEntry }
            try makeWithParents(parent)
            try Directory.make(path, mode: 0o700)
        }
    }
}
