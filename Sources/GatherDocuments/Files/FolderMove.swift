// Moving the files of one folder into another, for applications.
// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem

/// Moves and removes entries by the paths of their folders. Below a container no symbolic link is followed.
package enum FolderMove {
    /// Moves the entries whose names meet a condition to another folder of the file system. Both are synced. A missing source has no
    /// entries.
    ///
    /// - Throws: ``DocumentError/Code/exists`` with the path of an entry that is in the way. The others may be moved by then.
    package static func moveAll(
        from source: String, to target: String, where condition: (String) -> Bool
    ) throws(DocumentError) {
        let from: Folder
        do throws(DocumentError) { from = try Folder(Array(source.utf8)) } catch {
            if error.code == .notFound { return }
            throw error
        }
        let to = try Folder(Array(target.utf8))
        let names = try from.names {
            String(validating: $0.withUnsafeBytes(Array.init), as: UTF8.self).map(condition) ?? false
        }
        for name in names.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            do throws(SystemError) {
                try Entry.renameToFree(name.cString, in: from.number, to: name.cString, in: to.number)
            } catch {
                // Another process has moved it.
                if error == .noEntry { continue }
                throw DocumentError("cannot move", error == .exists ? to.text(name) : from.text(name), error)
            }
        }
        // A file system that cannot sync directories has moved them all the same.
        try? to.descriptor.synchronize()
        try? from.descriptor.synchronize()
    }

    /// Removes a folder if it is empty. Returns false if it has entries, or is none. A missing one is removed already.
    package static func removeEmpty(_ path: String) throws(DocumentError) -> Bool {
        let bytes = Array(path.utf8)
        // A process that was killed may have left the file of its lock, which goes with the next lock.
        do throws(DocumentError) { try Folder(bytes).lock(timeout: .zero, isNeeded: true) } catch {
            if error.code == .anotherContainer { throw error }
        }
        do throws(SystemError) {
            let entry = try ContainerRoots.openParent(of: path)
            try Entry.remove(entry.name, in: entry.directory.number, isDirectory: true)
            return true
        } catch {
            if error == .noEntry { return true }
            if [.notEmpty, .exists, .notDirectory].contains(error) { return false }
            throw DocumentError(opening: bytes, error)
        }
    }
}
