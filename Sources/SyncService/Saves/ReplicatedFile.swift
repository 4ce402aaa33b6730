// The files that the helpers of all devices exchange.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem

/// The helper's files below a shared folder, which Syncthing takes to the other devices. Each device writes its own ones only, so
/// that they have no conflicts. They are no items of gatherd.
enum ReplicatedFile {
    /// The directory of the files below a folder.
    static let directory = ".gather-sync"

    /// Returns the path of a file.
    static func path(_ name: String, in folder: String) -> String { "\(folder)/\(directory)/\(name)" }

    /// Whether a path below a folder is that of the directory, or lies inside.
    static func isOwn(_ part: String) -> Bool { ResolvedPath.below(directory, part) != nil }

    /// Replaces a file. It gets the group and the permissions of the folder: Syncthing may be another user than the helper.
    static func write(_ bytes: [UInt8], _ name: String, in folder: String) throws(SystemError) {
        let status = try EntryStatus(of: folder, in: Entry.workingDirectory)
        let mode = UInt32(status.mode) & 0o3777
        let parent = "\(folder)/\(directory)"
        do throws(SystemError) {
            try Directory.make(parent, mode: mode)
            share(parent, status.group, mode)
        } catch {
            guard error == .exists else { throw error }
        }
        let (path, aside) = (path(name, in: folder), "\(parent)/.syncthing.gather-\(name).tmp")
        try FileBytes.replace(path, through: aside, with: bytes, mode: 0o600)
        share(path, status.group, mode & 0o664)
    }

    /// Removes a file.
    static func remove(_ name: String, in folder: String) throws(SystemError) {
        do throws(SystemError) { try Entry.remove(path(name, in: folder)) } catch {
            guard error == .noEntry else { throw error }
        }
    }

    /// A file of another user, or a group that this process is not in, stays as it is: then Syncthing tells that it cannot be read.
    private static func share(_ path: String, _ group: UInt32, _ mode: UInt32) {
        lchown(path, uid_t.max, group)
        try? Entry.setMode(path, mode)
    }
}
