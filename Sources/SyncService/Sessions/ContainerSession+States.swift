// The states of items, from the knowledge of the folders.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Glibc
import LinuxSystem
import Syncthing

extension ContainerSession {
    /// The state of all items that have none of their own: that of the folder of the container's directory.
    func baseState() -> SyncStateMessage {
        if let outer = folders.last, outer.place.prefix.isEmpty { return baseState(outer) }
        return SyncStateMessage(shared: false)
    }

    /// The state of the items of a folder that every device has.
    func baseState(_ folder: FolderState) -> SyncStateMessage {
        SyncStateMessage(
            shared: true, download: .current, downloading: false, uploading: false,
            uploadedTo: folder.place.devices.values.sorted())
    }

    /// Returns the states of all items that have another one than ``baseState()``, by path below the container.
    func itemStates() -> [String: ItemReport] {
        var states: [String: ItemReport] = [:]
        let base = baseState()
        for folder in folders {
            let own = baseState(folder)
            var parts = folder.savers.parts
            folder.downloads.addParts(to: &parts)
            folder.devices.addParts(to: &parts)
            folder.unshared.addParts(to: &parts)
            folder.evictions.addParts(to: &parts)
            for part in parts where !ReplicatedFile.isOwn(part) {
                let path = folder.place.path(of: part)
                // A deeper folder has precedence.
                guard let holder = self.folder(of: path), folders[holder.index].place == folder.place else { continue }
                let state = self.state(part, folder, own)
                let absent = state.download == .notDownloaded ? folder.newestVersion(part) : nil
                if state != base { states[path] = ItemReport(state: state, absent: absent) }
            }
        }
        return states
    }

    private func state(_ part: String, _ folder: FolderState, _ base: SyncStateMessage) -> SyncStateMessage {
        if folder.unshared.contains(part), !folder.evictions.isEvicted(part) { return SyncStateMessage(shared: false) }
        var state = base
        let lacking = folder.place.devices.keys.filter {
            folder.devices.lacks($0, part) || hasEvicted($0, part, folder)
        }
        if !lacking.isEmpty {
            state.uploadedTo = folder.place.devices.filter { !lacking.contains($0.key) }.values.sorted()
            if let progress = folder.devices.progress(of: part, on: lacking.filter(connected.contains)) {
                state.uploading = true
                if progress.total > 0 { state.percentUploaded = progress.percent }
            }
        }
        if folder.evictions.isEvicted(part), !folder.downloads.isMissing(part) {
            state.download = isHere(part, folder.place) ? .current : .notDownloaded
        } else if folder.downloads.isMissing(part) {
            state.download = isHere(part, folder.place) ? .downloaded : .notDownloaded
            if folder.downloads.isUnderWay(part) {
                state.downloading = true
                state.percentDownloaded = folder.downloads.progress(of: part)?.percent
            }
            state.downloadingError = folder.downloads.error(of: part)
        } else {
            state.uploadingError = folder.downloads.error(of: part)
        }
        if let saver = folder.savers.device(of: part) { state.savingDevice = name(ofShort: saver) }
        return state
    }

    /// Returns whether another device may have evicted a file.
    func hasEvicted(_ device: String, _ part: String, _ folder: FolderState) -> Bool {
        folder.evictions.mayBeEvicted(part, on: run.devices[device]?.shortID)
    }

    func isHere(_ part: String, _ place: FolderPlace) -> Bool {
        do throws(SystemError) {
            _ = try ContainerRoots.status(of: place.directory + "/" + part)
            return true
        } catch {
            // A directory that may not be searched tells nothing, and neither does a link in its place.
            return error != .noEntry && error != .notDirectory
        }
    }

    private func name(ofShort identifier: String) -> String {
        run.devices.values.first { $0.shortID == identifier }?.displayName ?? identifier
    }
}
