// The removal of a file that is evicted.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import Metadata
import SaveFiles

/// Removes files that are evicted.
enum EvictedFile {
    /// Stands for a file that is not as it was.
    static let changed = SystemError(code: EBUSY)

    /// Removes a file, unless its contents have changed since it was looked at.
    ///
    /// - Parameters:
    ///   - file: The file as it was looked at.
    ///   - path: Its absolute path.
    ///   - device: The short identifier of this device. If another file has the name meanwhile, this one becomes a version in conflict.
    /// - Throws: ``changed``, and the errors of renaming and removing. The file is there then.
    static func remove(_ file: HeldFile, _ path: String, device: String) throws(SystemError) {
        let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        let aside = String(
            decoding: SaveName.evicted.of(Array(String(file.stamp.inode, radix: 16).utf8)), as: UTF8.self)
        let entry = try ContainerRoots.openParent(of: path)
        let folder = entry.directory.number
        // Renamed first: a program that saves now makes another file under the name, which stays.
        try Entry.renameToFree(entry.name, in: folder, to: aside, in: folder)
        do throws(SystemError) {
            guard let now = HeldFile(aside, in: folder, part: file.part), now.stamp.hasSameContents(as: file.stamp)
            else {
                throw changed
            }
            try Entry.remove(aside, in: folder)
        } catch {
            do throws(SystemError) {
                try Entry.renameToFree(aside, in: folder, to: entry.name, in: folder)
            } catch {
                // A program has saved meanwhile. This version is kept beside its one.
                guard error == .exists else { throw error }
                _ = try LeftSave.keep(Array(aside.utf8), of: Array(path[slash...].utf8), in: folder, device: device)
            }
            throw error
        }
    }
}
