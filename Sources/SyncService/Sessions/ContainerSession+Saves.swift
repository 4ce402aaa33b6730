// The list of the versions that this device saved.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import LinuxSystem
import Logging
import Metadata
import Syncthing

/// Syncthing's database has only the newest version of a file and the device that changed it. Once two versions are in
/// conflict, no fact tells which device wrote the copy. So each helper lists the versions that its device saves, before
/// anything is in conflict.
extension ContainerSession {
    /// Reads a file that changed, and that Syncthing did not write. Another device's version may replace it a moment after Syncthing
    /// has found the change, and before its event arrives.
    func readChange(_ part: String, _ index: Int) {
        let place = folders[index].place
        guard place.isSending, !isOwn(part, place) else { return }
        if folders[index].changed.add(part) { spawn { session in await session.readChanges(index) } }
    }

    private func readChanges(_ index: Int) async {
        while let part = folders[index].changed.next() {
            let version = await SavedVersion.read(folders[index].place.directory + "/" + part)
            folders[index].changed.take(version, of: part)
        }
    }

    /// Notes that Syncthing found a change of this device, or that it may have before. The file is read at once: soon its version
    /// may be a copy.
    func noteSave(_ part: String, _ index: Int, isDetected: Bool) {
        let place = folders[index].place
        guard place.isSending, !isOwn(part, place), let file = HeldFile(place.directory + "/" + part, part: part)
        else { return }
        if folders[index].saved.add(part, modified: file.modified, isDetected: isDetected) {
            spawn { session in try await session.readSaves(index) }
        }
    }

    /// Looks for files that were saved while this session did not hear of it: before it began, or while events were lost.
    func findSaves(_ index: Int) {
        let place = folders[index].place
        guard place.isSending else { return }
        spawn { session in
            let files = try await session.find(
                "(\(ContainerSession.everything)) AND kind == 'file'", in: place,
                newest: Int64(SyncLimits.newestFiles))
            await session.noteUnlisted(files, index)
        }
    }

    private func noteUnlisted(_ parts: Set<String>, _ index: Int) {
        let lists = savedLists()
        for part in parts {
            guard let file = HeldFile(folders[index].place.directory + "/" + part, part: part),
                !lists.have(Timestamp(nanoseconds: file.modified))
            else { continue }
            noteSave(part, index, isDetected: false)
        }
    }

    /// Reads the files that this device saved, the newest first.
    private func readSaves(_ index: Int) async throws {
        let place = folders[index].place
        while let (part, isDetected) = folders[index].saved.next() {
            guard let record = try await run.client.file(part, of: place.folder)?.local else { continue }
            let before = folders[index].changed.takeVersion(of: part)
            let version =
                record.modifiedBy == run.shortID
                ? await version(record, place.directory + "/" + part, before)
                : isDetected && isDocument(part) ? before : nil
            guard let version else { continue }
            folders[index].saves.add(version, of: part)
            list(index)
        }
    }

    /// Returns the version of a record of this device. `before` is one that the file had when it changed.
    private func version(_ record: FileRecord, _ path: String, _ before: SavedVersion?) async -> SavedVersion? {
        guard isSavedHere(record, path) else { return nil }
        let time = AbsentItem(record).modified
        if let before, before.modified.nanoseconds == time { return before }
        let now = await SavedVersion.read(path)
        return now?.modified.nanoseconds == time ? now : nil
    }

    /// Whether a name is not that of a version in conflict.
    private func isDocument(_ path: String) -> Bool {
        ConflictName(String(path.split(separator: "/").last ?? "")) == nil
    }

    /// Whether a version in Syncthing's database was written by this device. A copy was not: the version was there before. An
    /// exception is one that a program of this device made of a document, and that has its author already.
    private func isSavedHere(_ record: FileRecord, _ path: String) -> Bool {
        guard record.isFile, !record.isDeleted, !record.isInvalid, !record.isIgnored else { return false }
        return isDocument(path) || CopyAuthor.read(path).map { isDocumentsAuthor($0) } ?? false
    }

    /// Writes the list, or a moment later if it was just written.
    private func list(_ index: Int) {
        guard let time = folders[index].saves.beginListing() else { return }
        spawn { session in
            try await ContinuousClock().sleep(until: time)
            await session.writeSavedList(index)
        }
    }

    private func writeSavedList(_ index: Int) {
        let (place, device) = (folders[index].place, run.shortID)
        defer { nameCopies() }
        // Renamed here, or touched: another device wrote these contents.
        let others = SavedLists(in: folders.map(\.place.directory))
        folders[index].saves.beginWriting { others.have($0, besides: device) }
        var list = SavedList.read(device, in: place.directory)
        guard list.add(folders[index].saves.unlisted, removing: folders[index].saves.former) else {
            folders[index].saves.wereListed()
            return
        }
        do throws(SystemError) {
            try ReplicatedFile.write(list.bytes, SavedList.name(device), in: place.directory)
        } catch {
            folders[index].saves.couldNotBeListed(at: .now)
            return logger.debug("the list of what this device saved in \(place.directory) cannot be written: \(error)")
        }
        folders[index].saves.wereListed(inBytes: list.bytes.count, at: .now)
        scanOwn(ReplicatedFile.directory + "/" + SavedList.name(device), index)
    }

    /// Has Syncthing scan a file of the helper's own, of which gatherd's feed says nothing.
    func scanOwn(_ part: String, _ index: Int) {
        folders[index].scans.add([part])
        // The feed starts the first scan.
        if feed.hasBegun { startScan(index) }
    }

    /// Returns the versions that all devices saved in the folders of the container.
    func savedLists() -> SavedLists {
        var lists = SavedLists(in: folders.map(\.place.directory))
        let own = folders.flatMap(\.saves.unlisted).filter { !lists.have($0, besides: run.shortID) }
        lists.add(own, of: run.shortID)
        return lists
    }

    /// Whether an author was written by a program of documents. Its devices are not those of Syncthing.
    func isDocumentsAuthor(_ device: String) -> Bool { !run.devices.values.contains { $0.shortID == device } }
}
