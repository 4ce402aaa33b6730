// The files that the helpers of all devices exchange.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import Metadata
import SaveFiles

/// The helper's files below a shared folder, which Syncthing takes to the other devices. Each device writes its own ones only, so
/// that they have no conflicts. They are no items of gatherd.
enum ReplicatedFile {
    /// The directory of the files below a folder.
    static let directory = SyncthingName.ofHelper

    /// Whether a path below a folder is that of the directory, or lies inside.
    static func isOwn(_ part: String) -> Bool { ResolvedPath.below(directory, part) != nil }

    /// Replaces a file. It gets the group and the permissions of the folder: Syncthing may be another user than the helper.
    static func write(_ bytes: [UInt8], _ name: String, in folder: String) throws(SystemError) {
        let root = try ContainerRoots.open(Array(folder.utf8), access: .path)
        let status = try EntryStatus(of: "", in: root.number)
        let mode = UInt32(status.mode) & 0o3777
        do throws(SystemError) {
            try Directory.make(directory, in: root.number, mode: mode)
            let made = try Directory.open(directory, beneath: root.number, access: .reading)
            share(made, status.group, mode)
        } catch {
            guard error == .exists else { throw error }
        }
        let parent = try Directory.open(
            directory, beneath: root.number, access: .reading, crossingMounts: true)
        let aside = String(decoding: SaveName.partial.of(Array(name.utf8)), as: UTF8.self)
        try FileReplacement.replace(name, in: parent.number, through: .named(aside)) { file throws(SystemError) in
            try file.writeAll(bytes)
            share(file, status.group, mode & 0o664)
        }
    }

    /// Returns the contents of a file.
    ///
    /// - Throws: `EFBIG` (`.tooLarge`) if it has more than `limit` bytes.
    static func read(_ name: String, in folder: String, limit: Int) throws(SystemError) -> [UInt8] {
        try FileBytes.read(ContainerRoots.openFile("\(folder)/\(directory)/\(name)"), limit: limit)
    }

    /// Removes a file.
    static func remove(_ name: String, in folder: String) throws(SystemError) {
        do throws(SystemError) {
            let entry = try ContainerRoots.openParent(of: "\(folder)/\(directory)/\(name)")
            try Entry.remove(entry.name, in: entry.directory.number)
        } catch {
            guard error == .noEntry else { throw error }
        }
    }

    /// A file of another user, or a group that this process is not in, stays as it is: then Syncthing tells that it cannot be read.
    private static func share(_ file: borrowing Descriptor, _ group: UInt32, _ mode: UInt32) {
        try? file.setOwner(nil, group: group)
        try? file.setMode(mode)
    }
}
