// Containers: added and removed, found and lost. A container's root is known by its inode and watched from above too.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
package import Metadata

extension TreeWatcher {
    /// Begins to watch the tree at an absolute path. The container is `.crawling`, or `.unavailable` until its
    /// directory appears, when this returns. Names that a glob matches are left out. The tree has its root already.
    ///
    /// With `isKnown` the tree holds entries too, from before: the container is `.verifying` until each of its
    /// directories is watched and was compared with them. Only differences are written to the tree. Entries keep their
    /// identity wherever they have moved within the container: entries that seem gone leave at the end. Takes about the
    /// time of a crawl.
    ///
    /// With `wasMountPoint` (the result of ``isMountPoint(_:)`` then) it is `.unavailable` until a file system is
    /// mounted on its directory: the files there until then say nothing about the known entries. The same holds
    /// `within` another container, and for a directory that is not the one with the `mark` (``ContainerStranger``). With `readsXattrs` extended attributes are read from the start
    /// (``setReadsXattrs(_:completion:)``). The `key` stands for the tree's entries, in this process and the next
    /// (``resume(from:)``); 0 where they are nothing to go on with.
    package func addContainer(
        _ number: UInt32, path: String, ignoring globs: [String] = [], isKnown: Bool = false,
        wasMountPoint: Bool = false, mark: ContainerMark? = nil, readsXattrs: Bool = false,
        within enclosure: Enclosure? = nil, key: UInt64 = 0
    ) {
        guard containers[number] == nil else { return }
        let options = CrawlOptions(ignored: IgnoredNames(globs), readsXattrs: readsXattrs)
        let container = WatchedContainer(
            number: number, path: path, options: options, key: key,
            place: RootPlace(isMountPoint: isKnown && wasMountPoint, enclosure: enclosure, mark: mark),
            knowledge: ContainerKnowledge(isOld: isKnown))
        noteUnreachable(in: container)
        readFirstMounts()
        if containers.isEmpty { askForWatchLimit() }
        containers[number] = container
        ignoresNames = containers.values.contains { !$0.options.ignored.isEmpty }
        check(container, position: positionNow)
    }

    /// Names that match the globs are no entries of a container from now on. The given ones of its entries leave it in
    /// the next iteration. Names that matched before are looked for by a comparison, which is for the caller.
    package func setIgnored(_ number: UInt32, globs: [String], leaving: [TreeNode]) {
        containers[number]?.options.ignored = IgnoredNames(globs)
        ignoresNames = containers.values.contains { !$0.options.ignored.isEmpty }
        for node in leaving {
            guard let parent = tree.parent(of: node), let directory = directories.directory(at: parent) else {
                continue
            }
            withName(of: node) { lookUps.add($0, in: directory, origin: Origin(position: positionNow)) }
        }
    }

    /// Stops watching: its entries leave the tree at once, and its watches end over the next iterations.
    package func removeContainer(_ number: UInt32) {
        guard let container = containers[number] else { return }
        if container.place.failure == nil { lose(container, .noEntry, position: positionNow) }
        setAncestors(of: container, to: [:])
        containers[number] = nil
        handover?.remove(number, key: container.key)
        roots.forget(number)
        ignoresNames = containers.values.contains { !$0.options.ignored.isEmpty }
    }

    /// Looks at the roots of which something was heard.
    func checkSuspects() {
        // Those that come meanwhile have their turn next: a container that is lost as often as it is found would have
        // this one never end.
        for (number, position) in roots.takeSuspects() {
            if let container = containers[number] { check(container, position: position) }
        }
    }

    /// Looks whether a container's directory is there, and whether it is the one that is known.
    private func check(_ container: WatchedContainer, position: UInt64) {
        var found = status(ofRoot: container)
        if case .failure(let error) = found {
            if container.place.failure == nil {
                if error.isShortage {
                    // That says nothing of the directory.
                    if container.polling.next == nil { pollLater(container) }
                    return
                }
                lose(container, error, position: position)
                notices.append(.containerGone(container: container.number, error: error))
            }
            // It may have appeared before the directories above were watched.
            watchAncestors(of: container, isMissing: true)
            found = status(ofRoot: container)
        } else if container.place.readError != nil {
            // Its mode may have changed before the directory above was watched for that.
            watchAncestors(of: container, isMissing: true)
            found = status(ofRoot: container)
        } else {
            watchAncestors(of: container, isMissing: false)
        }
        switch found {
        case .failure(let error):
            if container.place.failure == nil {
                // Between the two looks.
                guard !error.isShortage else { return pollLater(container) }
                lose(container, error, position: position)
                notices.append(.containerGone(container: container.number, error: error))
            }
            container.place.failed(error)
            // No event tells when its number stays, or of a mark in a directory that is not watched.
            if error == .stale || error.isShortage || container.place.stranger != nil { pollLater(container) }
            detachAll(container)
        case .success(let status): check(container, status, position: position)
        }
    }

    /// The inode number that is found now, by an opening of its own.
    private func inode(ofRoot container: WatchedContainer) throws(SystemError) -> UInt64 {
        let number = try kernel.openDirectory(at: container.path, access: .path)
        defer { kernel.close(number) }
        return try kernel.status(of: "", in: number).file.inode
    }

    private func status(ofRoot container: WatchedContainer) -> Result<FileStatus, SystemError> {
        let findings = container.place.beginLook()
        do throws(SystemError) {
            let before = try inode(ofRoot: container)
            let number = try kernel.openDirectory(at: container.path, access: .path)
            defer { kernel.close(number) }
            let status = try kernel.status(of: "", in: number)
            // Where it is another each time it is opened it would be found and lost without end.
            guard status.file.inode == before else { throw .stale }
            container.place.foundDirectory(isMountRoot: status.isMountRoot)
            let isEnclosed = try isEnclosed(container, isMountRoot: status.isMountRoot)
            guard container.place.found(isEnclosed: isEnclosed) else { throw .noDevice }
            let type = kernel.fileSystemType(of: number)
            fileIdentities.note(device: status.file.device, keepsBirthTimes: type?.keepsBirthTimes != false)
            var file = container.place.tokenFile
            if container.place.wantsMark(ofKnownRoot: isKnownRoot(of: container, status.file)) {
                file = try tokenFile(of: container, in: number)
            }
            guard let file, isOwn(status.file, type, file, container) else { throw .noDevice }
            if status.isMountRoot, !isCovered(container, by: status.file) { container.place.foundMount() }
            container.polling.setFileSystem(watches.budget.isWanted ? type?.nameIfChangedElsewhere : nil)
            return .success(status.file)
        } catch {
            container.place.endLook(after: error, findings)
            return .failure(error)
        }
    }

    /// Takes the directory at a container's path for the container, whatever its mark is, and although its file system is not mounted.
    /// A container that is available is left alone.
    package func acceptRoot(of number: UInt32) {
        guard let container = containers[number] else { return }
        suspect(number, position: positionNow)
        checkSuspects()
        guard container.place.stranger != nil || container.place.isUnmounted else { return }
        container.place.accepts = true
        suspect(number, position: positionNow)
        checkSuspects()
        container.place.accepts = false
    }

    /// Whether a mounted file system hides a directory that is the container's own: one that was read and holds
    /// something. The container follows there, and comes back when that is unmounted. An empty directory is a mount
    /// point, and says nothing about the entries of the file system.
    private func isCovered(_ container: WatchedContainer, by found: FileStatus) -> Bool {
        guard !container.place.isMountPoint else { return false }
        let root = tree.root(of: container.number)
        let known = tree.status(of: root)
        // The same file system still covers it.
        if known.inode == found.inode, known.device == found.device { return true }
        return container.knowledge.isDetached || tree.childCount(of: root) > 0
    }

    private func check(_ container: WatchedContainer, _ found: FileStatus, position: UInt64) {
        if let root = container.root {
            let record = directories[root]
            let isKnown = record.inode == found.inode && record.device == found.device
            let known = tree.status(of: record.node)
            if isKnown, !record.flags.contains(.wasRead) || fileIdentities.haveSameBirth(known, found) {
                takeMark(of: container)
                placeChanged(record.node)
                let changed = tree.update(record.node, status: found)
                if record.flags.contains(.needsReading), !isUnstable(root) {
                    readRoot(root, of: container, position: position)
                } else if changed {
                    // No other code sees this update.
                    directoryChanged(root, from: known, to: found, origin: Origin(position: position))
                }
                return
            }
            lose(container, .stale, position: position)
            notices.append(.containerGone(container: container.number, error: .stale))
        }
        if let other = self.container(withRoot: found, otherThan: container) {
            let wasBusy = container.place.failure == .busy
            container.place.failed(.busy)
            // Two that are looked at for each other would not end.
            guard !wasBusy else { return }
            // It may have another directory by now, as after an exchange, or none. Where it does, `lose` has this one looked at again.
            suspect(other.number, position: position)
            return
        }
        takeMark(of: container)
        find(container, found, position: position)
    }

    /// Returns the other container that has a directory as its root, by another path, as a bind mount makes it: a directory has one
    /// watch descriptor, and two containers would take it from each other for ever.
    private func container(withRoot found: FileStatus, otherThan container: WatchedContainer) -> WatchedContainer? {
        containers.values.first { other in
            guard other !== container, let root = other.root else { return false }
            return directories[root].inode == found.inode && directories[root].device == found.device
        }
    }

    /// The container's directory is there: it is crawled, or its known entries are verified.
    private func find(_ container: WatchedContainer, _ status: FileStatus, position: UInt64) {
        let node = tree.root(of: container.number)
        container.place.found()
        let former = tree.status(of: node)
        var obstacle: ContainerObstacle?
        var left: HandoverContainer?
        if container.knowledge.isOld, resumption.isAwaitingContainers {
            switch takeHandover(of: container, former: former, status) {
            case .success(let found): left = found
            case .failure(let reason): obstacle = reason
            }
        }
        if container.knowledge.isOld { adoptDevice(of: status, in: container) }
        tree.update(node, status: status)
        let root = record(node, status)
        container.root = root
        if let left {
            resume(container, root, left)
            return
        }
        notices.append(
            .containerFound(container: container.number, isKnown: container.knowledge.isOld, obstacle: obstacle))
        if let name = container.polling.fileSystem {
            notices.append(.polledFileSystem(container: container.number, name: name))
            pollLater(container)
        }
        readRoot(root, of: container, position: position)
    }

    /// Has the container's own directory read, and the container's known entries verified. Where nothing is known, this
    /// is the first crawl until it has come to something.
    func readRoot(_ root: DirectoryID, of container: WatchedContainer, position: UInt64) {
        if container.knowledge.isDetached {
            read(root, descends: false, origin: Origin(position: position))
            return
        }
        if container.knowledge.isOld {
            verify(container, root)
            return
        }
        var origin = Origin(position: position)
        if !directories[root].flags.contains(.wasRead), container.knowledge.firstCrawl == nil {
            origin.task = readings.begin(for: container, position: position)
            container.knowledge.beginFirstCrawl(origin.task)
        }
        read(root, descends: true, origin: origin)
    }

    /// The container's directory is gone: its entries leave the tree. A container that waits for the directory can have it now.
    private func lose(_ container: WatchedContainer, _ error: SystemError, position: UInt64) {
        container.place.lost(error)
        leave(tree.root(of: container.number))
        // Its known entries are recognised when it is found again.
        container.knowledge.lose()
        container.root = nil
        container.openRoot = nil
        container.polling.forgetReason()
        abandonComparison(container)
        renames.removeAll(of: container.number)
        detachAll(container)
        for (number, other) in containers where other !== container && other.place.failure == .busy {
            suspect(number, position: position)
        }
    }

    /// Compares a container with the file system; the completion comes in a later iteration with the differences. A
    /// container that is unavailable is looked for, and has no differences.
    package func rescan(_ number: UInt32, completion: @escaping (ComparisonCounts) -> Void) {
        guard let container = containers[number] else {
            completion(ComparisonCounts())
            return
        }
        suspect(number, position: positionNow)
        checkSuspects()
        guard container.place.failure == nil else {
            completion(ComparisonCounts())
            return
        }
        compare(container, origin: Origin(position: positionNow))
        container.comparisons.complete(completion)
    }
}
