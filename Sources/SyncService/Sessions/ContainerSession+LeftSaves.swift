// The files that killed processes left beside their documents.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Logging
import SaveFiles

extension ContainerSession {
    /// Adopts again and again the files of processes that were killed since.
    func adoptLaterLeftSaves() async throws {
        while true {
            try await Task.sleep(for: SyncLimits.leftSavePause)
            try await adoptLeftSaves()
        }
    }

    /// Adopts the files that killed processes left in each directory.
    func adoptLeftSaves() async throws {
        for index in folders.indices {
            let directories = try await directories(of: folders[index].place)
            // Others have their turn after each directory.
            for part in [""] + directories.sorted() where !isOwn(part, folders[index].place) {
                adoptLeftSaves(in: part, index)
                await Task.yield()
            }
        }
    }

    /// Returns the directories of a folder as gatherd has them, without that of the folder itself.
    func directories(of place: FolderPlace) async throws -> Set<String> {
        try await find("(\(ContainerSession.everything)) AND kind IN {'directory', 'package'}", in: place)
    }

    /// Whether Gather keeps the files of a directory itself. It holds no documents, and its temporary files may be half written.
    func isOwn(_ part: String, _ place: FolderPlace) -> Bool {
        ResolvedPath.below(ContainerSession.ownDirectory, place.path(of: part)) != nil
            || ReplicatedFile.isOwn(part)
    }

    private func adoptLeftSaves(in part: String, _ index: Int) {
        let prefix = part.isEmpty ? "" : part + "/"
        let directory = folders[index].place.directory + "/" + prefix
        for name in DirectoryNames.of(directory) ?? [] {
            guard let document = LeftSave.document(of: Array(name.utf8)) else { continue }
            let part = prefix + String(decoding: document, as: UTF8.self)
            do throws(SystemError) {
                // The feed has the changes that this makes.
                _ = try LeftSave.attempt(
                    document, inFolder: Array(directory.utf8), device: run.shortID,
                    isEvicted: folders[index].evictions.isEvicted(part))
            } catch {
                logger.debug("\(directory)\(name) stays as it is: \(error)")
            }
        }
    }
}
