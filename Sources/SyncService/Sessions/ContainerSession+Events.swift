// The events of Syncthing.
// SPDX-License-Identifier: Apache-2.0

import Syncthing

extension ContainerSession {
    /// Takes events in their order.
    func take(_ events: [SyncthingEvent]) {
        for event in events { take(event.content) }
        for index in folders.indices { verify(index) }
        signals.wakeAll()
    }

    /// Notes that events were lost.
    func lostEvents() {
        for index in folders.indices {
            folders[index].doubtAll()
            readEvictedElsewhere(index)
            folders[index].downloads.lostEvents()
            folders[index].devices.lostEvents()
            findSaves(index)
        }
        signals.wake()
    }

    private func take(_ event: SyncthingEvent.Content) {
        switch event {
        case .deviceConnected(let device): connected.insert(device)
        case .deviceDisconnected(let device):
            connected.remove(device)
            for index in folders.indices { folders[index].devices.disconnected(device) }
        case .downloadProgress(let progress):
            for index in folders.indices {
                folders[index].downloads.take(progress: progress[folders[index].place.folder] ?? [:])
            }
        case .localIndexUpdated(let folder, let paths):
            guard let index = index(of: folder) else { return }
            folders[index].doubtAll()
            folders[index].downloads.note(indexed: paths)
            if paths.contains(where: ReplicatedFile.isOwn) {
                readEvictedElsewhere(index)
                nameCopies()
            }
            folders[index].unshared.doubt(paths)
        case .remoteIndexUpdated(let folder, _):
            guard let index = index(of: folder) else { return }
            // A newer version of one device is one that the others lack.
            folders[index].doubtAll()
        case .folderCompletion(let folder, let device, let missing):
            guard let index = index(of: folder) else { return }
            folders[index].devices.note(missing: missing, device: device)
        case .itemStarted(let folder, let path):
            guard let index = index(of: folder) else { return }
            folders[index].downloads.begin(path)
            folders[index].scans.note(ownWrite: path, at: .now)
        case .itemFinished(let folder, let path, let error):
            guard let index = index(of: folder) else { return }
            folders[index].downloads.finish(path, error: error, at: .now)
            folders[index].scans.note(ownWrite: path, at: .now)
            if let error, Downloads.isLackOfRoom(error) { awaitRoom(index) }
        case .remoteDownloadProgress(let folder, let device, let blocks):
            guard let index = index(of: folder) else { return }
            folders[index].devices.take(blocks: blocks, device: device)
        case .folderErrors(let folder, let errors):
            guard let index = index(of: folder) else { return }
            folders[index].downloads.take(errors: errors)
            awaitRoom(index)
        case .stateChanged(let folder, let state):
            guard let index = index(of: folder), state == "idle" || state == "error" else { return }
            if state == "error" { end(SessionError.stopped(folder: folder)) }
            folders[index].downloads.noteIdle()
            // A scan reads them again.
            folders[index].unshared.doubtPatterns()
        case .changeDetected(let folder, let path, let device):
            guard let index = index(of: folder) else { return }
            folders[index].savers.note(device, of: path)
            if device == run.shortID { noteSave(path, index, isDetected: true) }
        case .folderSummary, .configurationSaved, .pendingChanged, .other: break
        }
    }
}
