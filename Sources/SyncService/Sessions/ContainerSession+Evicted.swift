// Files that are evicted, and come back.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import LinuxSystem
import Logging
import Metadata
import Syncthing
import Varlink

/// A file is evicted in an order that loses nothing, wherever it is interrupted: another device has the version, the
/// pattern keeps Syncthing from sending a deletion, gatherd keeps the item, and then the file goes. Only the patterns
/// count: the session's knowledge and the list for other devices are compared with them each time that they are read.
/// So a pattern whose file is still there is taken back.
extension ContainerSession {
    /// The directory of a container that GatherDocuments keeps.
    static let ownDirectory = ArchiveName.own

    // MARK: The patterns and the lists

    /// Makes the evicted files that the session knows those of the patterns. A file of the patterns that is here, or that no
    /// device has, is evicted no more. Returns the count of files that were in one of both alone.
    private func compareEvicted(_ index: Int, _ patterns: inout EvictedPatterns) async throws(SyncthingError) -> Int {
        let place = folders[index].place
        let (unnamed, strange) = folders[index].evictions.differences(from: patterns.paths)
        for part in strange.sorted() {
            let isHere = isHere(part, place)
            let newest = isHere ? nil : try await run.client.file(part, of: place.folder)?.global
            if let newest, !newest.isDeleted {
                folders[index].evictions.add(part, AbsentItem(newest))
            } else {
                patterns.paths.remove(part)
                folders[index].scans.add([part])
            }
        }
        folders[index].evictions.remove(unnamed)
        folders[index].scans.add(unnamed)
        if unnamed.isEmpty && strange.isEmpty { return 0 }
        folders[index].doubtAll()
        return unnamed.count + strange.count
    }

    /// Compares the evicted files with the patterns and the list. Returns the patterns.
    func readEvicted(_ index: Int) async throws(SyncthingError) -> EvictedPatterns {
        let patterns = try await changePatterns(index) { _, _ in }
        // The first scan of a session belongs to the feed.
        if feed.hasBegun { startScan(index) }
        return patterns
    }

    /// Reads the lists of the files that other devices evicted.
    func readEvictedElsewhere(_ index: Int) {
        let lists = EvictedList.all(in: folders[index].place.directory, but: run.shortID)
        folders[index].evictions.take(elsewhere: lists)
    }

    /// Writes the list that tells the other devices which files are evicted here. A scan takes it to them. Returns whether it
    /// was another one. Without a list that is right, nothing more is evicted.
    private func writeList(_ parts: Set<String>, _ index: Int) -> Bool {
        let place = folders[index].place
        let device = run.shortID
        let list = EvictedList.read(device, in: place.directory)
        let isRight = !list.isUnknown && list.paths == parts
        do throws(SystemError) {
            if !isRight { try EvictedList.write(parts, of: device, in: place.directory) }
            _ = folders[index].evictions.note(listFailure: nil)
        } catch {
            let failure = "\(place.directory)/\(EvictedList.part(device)) cannot be written: \(error)"
            if folders[index].evictions.note(listFailure: failure) { logger.warning("\(failure)") }
            // No scan: after each one, the patterns are read again.
            return false
        }
        if !isRight { scanOwn(EvictedList.part(device), index) }
        return !isRight
    }

    /// Asks again for the newest versions of evicted files, which others may have changed or deleted.
    func askEvicted(_ index: Int) async throws {
        let place = folders[index].place
        var gone: Set<String> = []
        for part in folders[index].evictions.parts.sorted() {
            guard let newest = try await run.client.file(part, of: place.folder)?.global else { continue }
            if newest.isDeleted || isHere(part, place) {
                gone.insert(part)
            } else {
                folders[index].evictions.update(part, AbsentItem(newest))
            }
        }
        if !gone.isEmpty { try await endEviction(gone, index) }
    }

    /// Takes files from the list of those that are evicted, so that Syncthing fetches them, or sends the files here.
    /// Those that are leaving stay in the list: without it, their removal would be a deletion.
    func endEviction(_ parts: Set<String>, _ index: Int) async throws(SyncthingError) {
        try await changePatterns(index) { paths, leaving in paths.subtract(parts.subtracting(leaving)) }
        folders[index].scans.add(parts)
        startScan(index)
    }

    /// Changes the list of evicted files, one caller after the other: each reads all patterns of Syncthing, and writes them. A
    /// caller that is cancelled is not interrupted. `change` gets the list, and the files that are leaving. Returns the patterns.
    @discardableResult private func changePatterns(
        _ index: Int, _ change: @escaping @Sendable (inout Set<String>, Set<String>) -> Void
    ) async throws(SyncthingError) -> EvictedPatterns {
        let turn = folders[index].patternTurns.add { () -> Result<EvictedPatterns, SyncthingError> in
            do throws(SyncthingError) {
                return .success(try await self.exchangePatterns(index, change))
            } catch {
                return .failure(error)
            }
        }
        return try await turn.value.get()
    }

    private func exchangePatterns(
        _ index: Int, _ change: @Sendable (inout Set<String>, Set<String>) -> Void
    ) async throws(SyncthingError) -> EvictedPatterns {
        let place = folders[index].place
        var patterns = EvictedPatterns(lines: try await run.client.ignorePatterns(of: place.folder).patterns)
        let before = patterns.paths
        var different = try await compareEvicted(index, &patterns)
        // The session that follows has patterns of its own.
        if tasks.isEnded { return patterns }
        let compared = patterns.paths
        change(&patterns.paths, folders[index].evictions.leavingParts)
        if patterns.paths != before { try await run.client.setIgnorePatterns(patterns.lines, of: place.folder) }
        folders[index].evictions.remove(compared.subtracting(patterns.paths))
        if writeList(patterns.paths, index), patterns.paths == before, different == 0 { different = 1 }
        if folders[index].evictions.isKnown { corrections.add(different, "evicted files of \(place.folder)") }
        return patterns
    }

    // MARK: Evicting

    /// Evicts files of one folder. Calls `done` for each with its size.
    func evict(_ files: [HeldFile], _ index: Int, done: @Sendable (String, Int64) async -> Void) async throws {
        let place = folders[index].place
        func path(_ part: String) -> String { place.directory + "/" + part }
        let parts = files.map(\.part)
        for part in parts where EvictedPatterns.pattern(part) == nil {
            throw SharingError.failed(message: "\(path(part)): a name with a line break cannot be evicted")
        }
        try checkIsReady(index)
        if let part = parts.first(where: folders[index].evictions.isLeaving) {
            throw SharingError.notUploaded(path: path(part), reason: "it is being evicted already")
        }
        let number = folders[index].evictions.begin(parts)
        do {
            try await run.client.scan(place.folder, parts: parts)
            for file in files { try await checkIsUploaded(file, index) }
            try await changePatterns(index) { paths, _ in paths.formUnion(parts) }
            // The others would count this device among those that have the files.
            if let failure = folders[index].evictions.listFailure { throw SharingError.failed(message: failure) }
            try await run.client.scan(place.folder, parts: parts + [ReplicatedFile.directory])
            // Another device may be evicting its copy at this moment. It hears of this pattern meanwhile, and this device of
            // that one.
            try await Task.sleep(for: SyncLimits.evictionPause)
            for file in files { try await checkIsHeldElsewhere(file, index, isIgnored: true) }
            let client = try await gatherd.connect()
            for file in files { try await free(file, index, number, client, done) }
        } catch {
            // The caller may have gone, which has cancelled this task.
            await Task(executorPreference: SyncExecutor.shared) { await self.takeBack(number, index) }.value
            throw error
        }
    }

    /// Throws before the session knows which files are evicted, and when it has ended.
    private func checkIsReady(_ index: Int) throws {
        if tasks.isEnded { throw ContainerSession.lost }
        guard folders[index].evictions.isKnown else { throw ContainerSession.notKnown(container) }
    }

    /// Ends an eviction that was begun for files that are still here. If Syncthing does not answer, the next session does it.
    private func takeBack(_ number: Int, _ index: Int) async {
        let left = folders[index].evictions.left(by: number)
        do {
            // A comparison that has its turn before must not find them in the patterns alone.
            try await changePatterns(index) { paths, _ in paths.subtract(left) }
        } catch {
            logger.debug("the patterns of files that were not evicted are left: \(error)")
        }
        folders[index].evictions.end(number)
        folders[index].scans.add(left)
        startScan(index)
        signals.wake()
    }

    /// Throws unless the version here is the newest, and Syncthing knows it.
    private func checkIsUploaded(_ file: HeldFile, _ index: Int) async throws {
        let place = folders[index].place
        let path = place.directory + "/" + file.part
        func refuse(_ reason: String) -> SharingError { .notUploaded(path: path, reason: reason) }
        guard let entry = try await run.client.file(file.part, of: place.folder), !entry.local.isDeleted else {
            throw refuse("Syncthing does not know it")
        }
        if entry.local.isIgnored { throw refuse("Syncthing ignores it, so no other device has it") }
        let known = AbsentItem(entry.local)
        guard !entry.local.isInvalid, known.size == file.size, known.modified == file.modified else {
            throw refuse("it has just changed")
        }
        guard AbsentItem(entry.global) == known, entry.global.modifiedBy == entry.local.modifiedBy else {
            throw refuse("another device has a newer version, which is not here yet")
        }
        try await checkIsHeldElsewhere(file, index, isIgnored: false)
    }

    /// Throws unless a connected device has the newest version, and unless Syncthing ignores the one here as it should.
    private func checkIsHeldElsewhere(_ file: HeldFile, _ index: Int, isIgnored: Bool) async throws {
        let place = folders[index].place
        let entry = try await run.client.file(file.part, of: place.folder)
        guard entry?.local.isIgnored == isIgnored else {
            throw SharingError.notUploaded(
                path: place.directory + "/" + file.part, reason: "the ignore patterns have changed at this moment")
        }
        let holders = (entry?.availability ?? []).filter {
            !$0.isTemporary && place.devices[$0.device] != nil && !hasEvicted($0.device, file.part, folders[index])
        }
        guard holders.isEmpty else { return }
        throw SharingError.notUploaded(
            path: place.directory + "/" + file.part, reason: "no connected device has its present version")
    }

    /// The session has not begun.
    static func notKnown(_ container: String) -> SharingError {
        .failed(message: "the states of container \(container) are not known yet; see 'gather sync status'")
    }

    /// The session has ended while a call was under way.
    private static let lost = SharingError.failed(
        message:
            "the connection to Syncthing or gatherd was lost meanwhile. A download goes on by itself; see 'gather sync status'"
    )

    private func free(
        _ file: HeldFile, _ index: Int, _ number: Int, _ client: VarlinkClient,
        _ done: @Sendable (String, Int64) async -> Void
    ) async throws {
        let place = folders[index].place
        let path = place.directory + "/" + file.part
        var state = baseState(folders[index])
        state.uploadedTo = place.devices.filter {
            !folders[index].devices.lacks($0.key, file.part) && !hasEvicted($0.key, file.part, folders[index])
        }.values.sorted()
        let report = ItemReport(state: state, isLeaving: true)
        let below = place.path(of: file.part)
        // A report ends this state once the file is not leaving any more.
        reported.note(report, of: below)
        try await call(client, base: nil, items: [report.message(below)], through: nil)

        // Some time may have passed since all were checked. Nothing else may happen between this and the rename.
        try await checkIsHeldElsewhere(file, index, isIgnored: true)
        guard !tasks.isEnded, folders[index].evictions.isLeaving(file.part, by: number) else {
            throw ContainerSession.lost
        }
        do throws(SystemError) { try EvictedFile.remove(file, path, device: run.shortID) } catch {
            throw SharingError.notUploaded(
                path: path,
                reason: error == EvictedFile.changed
                    ? "it changed at this moment" : "it cannot be removed: \(error)")
        }
        folders[index].evictions.finish(file.part, AbsentItem(file))
        folders[index].downloads.note(evicted: file.part)
        signals.wake()
        await done(path, file.size)
    }

    // MARK: Downloading

    /// Has files fetched that are not here, and waits until they are. Calls `progress` with the bytes that are here, and returns
    /// the bytes of all.
    func download(
        _ parts: Set<String>, _ index: Int, progress: @Sendable (Int64, Int64) async -> Void
    ) async throws -> Int64 {
        let place = folders[index].place
        let reserve = try await settings(index)?.reserve ?? DiskReserve()
        try checkIsReady(index)
        let evicted = folders[index].evictions.parts
        var sizes: [String: Int64] = [:]
        /// The bytes of files that are not under way.
        var wanted: Int64 = 0
        for part in parts {
            guard let size = folders[index].newestVersion(part)?.size else { continue }
            sizes[part] = size
            if !folders[index].downloads.isUnderWay(part) { wanted = wanted.clampedAdding(size) }
        }
        if let room = DiskRoom(place.directory), !room.holds(wanted, reserve) {
            throw SharingError.failed(
                message: "\(place.directory): there is no room: \(wanted) bytes would come, \(room.free) are free, "
                    + "and Syncthing leaves \(reserve.bytes(ofDisk: room.size)) free")
        }
        /// The bytes of the files that have come.
        var finished: Int64 = 0
        let (number, changes) = signals.addWatcher()
        defer { signals.removeWatcher(number) }
        try await endEviction(parts, index)
        folders[index].downloads.doubt()
        signals.wake()
        signals.wake(watcher: number)
        for await _ in changes {
            try Task.checkCancellation()
            var coming: Int64 = 0
            var unknown: [String] = []
            var refused: (path: String, error: String)?
            for (part, size) in sizes {
                if ResolvedPath.isEntry(place.directory + "/" + part) {
                    finished = finished.clampedAdding(size)
                    sizes[part] = nil
                } else if folders[index].evictions.isEvicted(part) {
                    // Another call has evicted it again.
                    sizes[part] = nil
                } else {
                    if let error = folders[index].downloads.error(of: part) {
                        let path = "\(place.directory)/\(part)"
                        if !Downloads.isLackOfRoom(error) {
                            // An evicted file also waits for a device.
                            if !evicted.contains(part) { throw SharingError.failed(message: "\(path): \(error)") }
                        } else if DiskRoom(place.directory)?.holds(size, reserve) == false {
                            refused = (path, error)
                        }
                    }
                    coming = coming.clampedAdding(min(folders[index].downloads.progress(of: part)?.done ?? 0, size))
                    if !folders[index].downloads.isMissing(part) { unknown.append(part) }
                }
            }
            // A file that comes takes the room itself, and its start may not have been told yet.
            if let refused, try await run.client.status(of: place.folder).isIdle, !ResolvedPath.isEntry(refused.path) {
                throw SharingError.failed(
                    message: "\(refused.path): \(refused.error); it comes as soon as there is room")
            }
            let total = sizes.values.reduce(finished) { $0.clampedAdding($1) }
            await progress(finished.clampedAdding(coming), total)
            if sizes.isEmpty { return total }
            // Another device may have removed or renamed a file meanwhile, so that it never comes. While the others ignore it, it
            // waits for one that does no more, such as one whose eviction is taken back.
            for part in unknown.prefix(SyncLimits.comparedPaths) {
                let newest = try await run.client.file(part, of: place.folder)?.global
                if newest?.isGone ?? true {
                    sizes[part] = nil
                    signals.wake(watcher: number)
                }
            }
        }
        try Task.checkCancellation()
        throw ContainerSession.lost
    }

    /// Returns the evicted files at or below a path, and others that are not here for lack of room, or are under way.
    func absent(at path: String) -> [(index: Int, parts: Set<String>)] {
        folders.indices.compactMap { index in
            let folder = folders[index]
            let parts = folder.downloads.awaited.union(folder.evictions.parts).filter {
                ResolvedPath.below(path, folder.place.directory + "/" + $0) != nil
            }
            return parts.isEmpty ? nil : (index, parts)
        }
    }

    /// Returns the regular files at or below a path, by folder. Key-value stores and the trash below it stay here: programs read
    /// them as they are.
    func heldFiles(at path: String) -> [Int: [HeldFile]] {
        var found: [Int: [HeldFile]] = [:]
        var waiting = [path]
        while let next = waiting.popLast() {
            guard let below = ResolvedPath.below(ResolvedPath.of(directory), next) else { continue }
            if let names = DirectoryNames.of(next) {
                waiting += names.filter { !SyncthingName.isName($0.utf8) && $0 != Self.ownDirectory }.map {
                    next + "/" + $0
                }
            } else if let (index, part) = folder(of: below), let file = HeldFile(next, part: part) {
                found[index, default: []].append(file)
            }
        }
        return found
    }
}
