// Following changes of other processes and devices through a daemon.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit
internal import Synchronization

extension KeyValueStore {
    /// Merges files as the daemon reports them. Without a daemon, or in a directory that it does not watch, nothing follows, and
    /// ``synchronize()`` merges. A daemon that starts later is not noticed, one that restarts is.
    func follow(through daemon: Daemon) {
        let query = MetadataQuery(
            predicate: "name ENDSWITH '\(KeyValueFileName.suffix)'", scopes: [.directory(directory)],
            attributes: [.path, .modified, .size], daemon: daemon)
        let task = Task { [weak self] in
            // The query's first answer closes the gap since the files were read.
            do {
                try await KeyValueStore.start(query, daemon)
                for try await notification in query.notifications {
                    switch notification {
                    case .gathered, .updated: break
                    default: continue
                    }
                    guard let self, !Task.isCancelled else { break }
                    // A directory that cannot be read now is read at the next change.
                    _ = try? await self.onFileThread { store throws(DocumentError) in try store.readFiles() }
                }
            } catch {}
            query.stop()
        }
        follower.withLock { $0 = task }
    }

    private static func start(_ query: MetadataQuery, _ daemon: Daemon) async throws(GatherError) {
        do throws(GatherError) {
            try await query.start()
        } catch {
            // A directory that was made a moment ago is no scope yet.
            guard error.code == .unknownScope else { throw error }
            _ = try await GatherClient(daemon: daemon).flush()
            try await query.start()
        }
    }
}
