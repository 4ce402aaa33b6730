// Taking over the values of another directory.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit
internal import LinuxSystem
internal import Synchronization

extension KeyValueStore {
    /// Returns whether a directory has files of a store.
    static func hasFiles(_ directory: FilePath) async throws(DocumentError) -> Bool {
        try await BlockingWork.run { () throws(DocumentError) in
            var isFound = false
            do throws(SystemError) {
                let folder = try ContainerRoots.open(directory.bytes)
                try Directory.forEachName(in: folder.number) { bytes in
                    guard let name = String(validating: bytes, as: UTF8.self) else { return }
                    if KeyValueFileName.isOfStore(name) { isFound = true }
                }
            } catch {
                if error != .noEntry { throw .system("read the directory", directory.string, error) }
            }
            return isFound
        }
    }

    /// Takes the changes in the files of another directory over into the file of this store, and removes those files. The changes keep
    /// their times, so the last one of each key counts. The file of a store that is open stays.
    ///
    /// - Throws: ``DocumentError/Code/unreadable`` if one of the files cannot be read; nothing is removed then.
    func moveFiles(from directory: FilePath) async throws(DocumentError) {
        try await onFileThread { store throws(DocumentError) in
            var others = try KeyValueDirectory(path: directory, device: store.device.text)
            // Before they are read: a store writes its file only while it has the lock.
            let held = try others.holdFiles()
            defer { withExtendedLifetime(held) {} }
            let reading = try others.read()
            if let problem = reading.problems.first { throw .unreadable(problem) }
            try store.files.withLock { (files) throws(DocumentError) in
                let changed = store.contents.withLock { contents in
                    let changed = contents.merge(reading)
                    contents.adopt(reading.table.entries.keys.compactMap { contents.merged[$0] })
                    return changed
                }
                store.board.post(KeyValueChange(reason: .serverChange, keys: changed))
                try store.save(&files)
            }
            try others.remove(held.map(\.name))
        }
    }
}
