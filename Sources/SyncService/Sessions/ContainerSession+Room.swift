// Files for which there is no room.
// SPDX-License-Identifier: Apache-2.0

import Logging
import Syncthing

extension ContainerSession {
    /// Has Syncthing try again as soon as there is room, if it lacked room for a file. By itself it waits a minute, and longer
    /// each time, up to an hour.
    func awaitRoom(_ index: Int) {
        guard !tasks.isEnded, folders[index].downloads.beginAwaitingRoom() else { return }
        spawn { session in try await session.tryWithRoom(index) }
    }

    /// Returns Syncthing's settings of a folder.
    func settings(_ index: Int) async throws -> FolderSettings? {
        let name = folders[index].place.folder
        return try await run.client.folders().first { $0.folder == name }
    }

    private func tryWithRoom(_ index: Int) async throws {
        let place = folders[index].place
        var sizes: [String: Int64] = [:]
        while !tasks.isEnded {
            try await Task.sleep(for: SyncLimits.roomPause)
            let lacking = folders[index].downloads.lackingRoom
            if lacking.isEmpty { break }
            for part in lacking.subtracting(sizes.keys).prefix(SyncLimits.comparedPaths) {
                sizes[part] = try await run.client.file(part, of: place.folder).map { AbsentItem($0.global).size } ?? 0
            }
            let least = lacking.compactMap { sizes[$0] }.min() ?? 0
            guard folders[index].downloads.mayTryWithRoom(at: .now),
                DiskRoom(place.directory)?.holds(least, DiskReserve()) ?? false,
                let settings = try await settings(index),
                DiskRoom(place.directory)?.holds(least, settings.reserve) ?? false
            else { continue }
            try await startAnew(index, settings)
        }
        folders[index].downloads.endAwaitingRoom()
    }

    /// Has Syncthing start a folder anew, so that it tries its downloads at once. This would end a scan with an error, so it
    /// waits for the end of scans, and scans for its own. The first scan of a session belongs to the feed.
    private func startAnew(_ index: Int, _ settings: FolderSettings) async throws(SyncthingError) {
        let folder = folders[index]
        guard !tasks.isEnded, feed.hasBegun, folder.evictions.leavingParts.isEmpty,
            !folder.downloads.lackingRoom.isEmpty,
            folders[index].scans.hold()
        else { return }
        folders[index].downloads.tryWithRoom(at: .now)
        logger.info("\(folder.place.folder): files that lacked room on the disk are tried again")
        do throws(SyncthingError) {
            try await run.client.patchFolder(
                folder.place.folder, FolderDefaults.startAnew(pullerPause: settings.pullerPause))
        } catch {
            if case .cancelled = error { throw error }
            // Syncthing may have started the folder anew, but failed to save its settings on a full disk.
            logger.debug("the settings of \(folder.place.folder) were not changed: \(error)")
        }
        folders[index].scans.release()
        folders[index].doubtAll()
        folders[index].downloads.doubtErrors()
        startScan(index)
        signals.wake()
    }
}
