// Moving the files of one container into another that has files, too.
// SPDX-License-Identifier: Apache-2.0

public import GatherKit
internal import LinuxSystem
internal import Metadata

/// The result of moving the files of a ``LocalContainer`` into its container.
public struct ContainerMerge: Sendable, Hashable {
    /// The new paths of the moved entries: files and folders whose names were free.
    public internal(set) var moved: [FilePath] = []
    /// The paths of the conflict versions that were made: of files that differ on both sides.
    public internal(set) var versions: [FilePath] = []
    /// The entries that stay in the local container, each with the reason.
    public internal(set) var left: [DocumentError] = []
}

extension LocalContainer {
    /// Moves all files into the container. Blocks no thread of Swift's concurrency.
    ///
    /// A file whose name is free in the container is moved, and gets the group and the permissions of its folder there. Where the
    /// container has a file with equal contents, the local one is removed. Where it has another file, the local one becomes a conflict
    /// version of it. Folders and packages are merged file by file. The values of the key-value store are merged by their times. An
    /// entry that cannot be moved stays, so the call can be repeated.
    ///
    /// - Throws: ``DocumentError/Code/invalidName`` if the container is this folder, or one of the two is inside the other. Another
    ///   ``DocumentError`` if nothing could be done, such as for a container that is gone.
    public func move(into container: some FileContainer) async throws(DocumentError) -> ContainerMerge {
        var merge = try await BlockingWork.run { () throws(DocumentError) in
            try container.requireFilesHere()
            let own = try Folder(data.bytes)
            // The container's own directory is never made.
            let target = try Folder(container.data.bytes)
            guard try !own.isSame(as: target), !container.data.starts(with: data), !data.starts(with: container.data)
            else {
                throw DocumentError(
                    code: .invalidName, message: "cannot move the files of \(data) to \(container.data)",
                    path: data.string)
            }
            var mover = ContainerMover(container)
            try mover.moveEntries(of: own, to: target)
            return mover.result
        }
        if let failure = await moveValues(into: container) { merge.left.append(failure) }
        return merge
    }

    /// Merges the key-value store, if there is one. Returns the reason where that fails.
    private func moveValues(into container: some FileContainer) async -> DocumentError? {
        let path = data.appending(KeyValueStore.nameInContainer)
        do throws(DocumentError) {
            guard try await KeyValueStore.hasFiles(path) else { return nil }
            await KeyValueStore.makeSharedDirectory(in: container)
            let store = try await KeyValueStore(
                directory: container.data.appending(KeyValueStore.nameInContainer), followingThrough: nil)
            try await store.moveFiles(from: path)
            try await store.close()
            return nil
        } catch {
            return DocumentError(code: error.code, message: error.message, path: path.string, errno: error.errno)
        }
    }
}
