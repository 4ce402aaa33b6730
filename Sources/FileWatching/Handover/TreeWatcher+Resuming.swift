// Going on with the watches of the process before this one: reads no directory, only the events queued meanwhile.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata

// Changes that no event reports, and their treatment:
//
// - mounts and unmounts made meanwhile: the places of mounts that came or went or lie in containers are looked at;
// - directories without a watch, those that could not be read among them: they are read, as are those that were being read;
// - a file system that does not tell of all changes: its container is compared, as before;
// - the user of the daemon, and its rights to read: with another user, other groups, other capabilities, or access
//   control lists read where they were not, nothing of this is done (the fingerprint of
//   ``HandoverMemory/start(run:sequence:fingerprint:)``);
// - the way to a container's directory, and whether that is the one that was known: looked at as at every start;
// - a container that was unavailable, or is configured otherwise: it is compared, or read.
extension TreeWatcher {
    /// Has containers that are added from now on go on from the handover. Nothing is heard until ``replayEvents()``.
    package func resume(from start: HandoverStart) {
        resumption.begin(with: start)
        // Until this process has told its own, there is nothing to go on with.
        handover?.memory.clear()
    }

    /// Returns the handover of a container whose directory is there, or why the container is to be compared.
    func takeHandover(
        of container: WatchedContainer, former: FileStatus, _ status: FileStatus
    ) -> Result<HandoverContainer, ContainerObstacle> {
        guard let left = resumption.takeContainer(container.key) else { return .failure(.unknown) }
        if let obstacle = left.obstacle { return .failure(obstacle) }
        guard former.device == status.device, fileIdentities.isSame(former, status), !container.knowledge.isDetached,
            container.polling.fileSystem == nil, watches.budget.isWanted, settings.descends,
            left.flags.contains(.readsXattrs) == container.options.readsXattrs,
            left.flags.contains(.isMountPoint) == container.place.isMountPoint
        else { return .failure(.other) }
        let number = InodeNumber(device: status.device, inode: status.inode)
        guard let root = resumption.entry(of: number, in: container.key), root.isComplete else {
            return .failure(.rootUnread)
        }
        return .success(left)
    }

    /// Gives the directories of a container the watches that they have.
    func resume(_ container: WatchedContainer, _ root: DirectoryID, _ left: HandoverContainer) {
        container.knowledge.resume()
        var unread: [DirectoryID] = []
        var unknown: [TreeNode] = []
        directories.reserve(left.count)
        watches.reserve(left.count)
        func take(_ id: DirectoryID, _ entry: HandoverEntry) {
            setWatch(id, to: -1)
            directories.resume(id, watch: entry.watch, depth: entry.depth, wasRead: entry.isComplete)
            container.counts.watches += 1
            watches.hold(entry.watch)
            if !entry.isComplete { unread.append(id) }
        }
        let top = directories[root]
        if let entry = resumption.takeEntry(of: InodeNumber(device: top.device, inode: top.inode), in: container.key) {
            take(root, entry)
        }
        let round = pool.currentRound
        tree.forEachDirectory(of: container.number) { node, number in
            guard let entry = resumption.takeEntry(of: number, in: container.key) else { return unknown.append(node) }
            if let known = directories.directory(at: node) { return take(known, entry) }
            let id = directories.insert(node: node, device: number.device, inode: number.inode)
            directories[id].round = round
            container.counts.directories += 1
            take(id, entry)
        }
        counters.directoriesKept += UInt64(container.counts.watches)
        notices.append(
            .containerGoesOn(
                container: container.number, directories: container.counts.directories,
                unread: unread.count + unknown.count))
        let origin = Origin(position: positionNow)
        for id in unread { read(id, descends: true, origin: origin) }
        // A mount point, or one that was not read yet. Where that above is read again, so is this.
        for node in unknown {
            guard let parent = tree.parent(of: node), let above = directories.directory(at: parent),
                directories[above].flags.contains(.wasRead)
            else { continue }
            withName(of: node) { lookUps.add($0, in: above, origin: origin, isExpected: true) }
        }
    }

    // MARK: Events that were read before

    /// An event of a rename that another process has heard: its row has moved already, or waited for the second event. The names
    /// are looked at, as they were to be.
    func movedBefore(_ id: DirectoryID, _ event: InotifyEvent, name: UnsafeRawBufferPointer, origin: Origin) {
        if ignoresNames, isIgnored(name, in: id) {
            resumption.setRename(nil, of: event.cookie)
            return
        }
        if event.mask.contains(.movedFrom) {
            let rename = Resumption.ReplayedRename(directory: id, event: event, name: Array(name), origin: origin)
            resumption.setRename(rename, of: event.cookie)
        } else {
            let rename = resumption.rename(of: event.cookie)
            // One that waited still, since the second had been held, waits again: its row is where it was.
            if let rename, !waitedInPlace(rename) { resumption.setRename(nil, of: event.cookie) }
            if let rename, directories.isAlive(rename.directory) {
                rename.name.withUnsafeBytes { lookUps.addRenamed($0, in: rename.directory, origin: rename.origin) }
            }
            lookUps.addRenamed(name, in: id, origin: rename?.origin ?? origin)
        }
        _ = lookPatiently(at: UnsafeRawBufferPointer(start: nil, count: 0), in: id, origin: origin)
    }

    /// Whether the row of a pending rename waited at the end of the other process where it had left.
    private func waitedInPlace(_ rename: Resumption.ReplayedRename) -> Bool {
        guard let node = resumption.row(waitingFor: rename.event.cookie), directories.isAlive(rename.directory) else {
            return false
        }
        return rename.name.withUnsafeBytes { tree.child(of: directories[rename.directory].node, named: $0) } == node
    }

    /// The events from here on were not read before. Renames without their second event waited for it: their rows stand
    /// where they were.
    func finishReplay() {
        defer { resumption.replay(to: 0) }
        for (waiting, row) in resumption.takeRenames() where directories.isAlive(waiting.directory) {
            var rename = waiting
            // Its row may have changed places with that of another since.
            if let node = row, let parent = tree.parent(of: node),
                let above = directories.directory(at: parent)
            {
                rename.directory = above
                rename.name = []
                tree.appendName(of: node, to: &rename.name)
            }
            rename.name.withUnsafeBytes { name in
                let here = tree.child(of: directories[rename.directory].node, named: name)
                let found = status(of: name, in: rename.directory)
                if let here, found.map({ fileIdentities.isSame($0.file, tree.status(of: here)) }) != true {
                    movedFrom(rename.directory, rename.event, name: name, origin: rename.origin)
                    if row != nil { renames.noteMoved(rename.directory, name) }
                } else {
                    // The file that left was seen to be gone, and this is another.
                    lookUps.addRenamed(name, in: rename.directory, origin: rename.origin)
                }
            }
        }
    }

    // MARK: The check of the watches

    /// Takes the kernel's list of its watches, asked for since ``replayEvents()`` (``WatchKernel/watches()``), and checks it as
    /// soon as all events queued until now were read: a removed directory's watch is gone before its event is read. A
    /// directory that lacks the watch recorded for it is read, and watches of no directory end; then
    /// ``WatchNotice/watchesChecked(missing:of:)`` says so.
    package func check(watches found: [Int32: UInt64], of restored: [Int32]) {
        resumption.setCheck(.init(found: found, restored: restored, position: position + queuedBytes()))
        finishCheck()
    }

    func finishCheck() {
        guard let check = resumption.takeCheck(at: position) else { return }
        // Where a file system has other numbers for itself than it tells, that its root has a watch must do.
        var tellsInodes: [UInt32: Bool] = [:]
        for container in containers.values where container.knowledge.isResumed {
            guard let root = container.root else { continue }
            tellsInodes[container.number] = check.found[directories[root].watch] == directories[root].inode
        }
        var missing = 0
        for watch in check.restored {
            guard let id = directories.directory(watch: watch) else { continue }
            let record = directories[id]
            if let inode = check.found[watch], inode == record.inode || tellsInodes[record.node.container] != true {
                continue
            }
            missing += 1
            setWatch(id, to: -1)
            releaseWatch(watch)
            directories[id].flags.insert(.needsReading)
            lookAtPlace(of: id, origin: Origin(position: positionNow))
        }
        notices.append(.watchesChecked(missing: missing, of: check.restored.count))
    }

    /// The watches of directories that go on.
    package var resumedWatches: [Int32] {
        directories.records.compactMap { record in
            record.flags.contains(.alive) && record.watch >= 0
                && containers[record.node.container]?.knowledge.isResumed == true
                ? record.watch : nil
        }
    }

    /// Ends watches of no directory, when no thread may have been given one that is not known yet.
    func forgetOrphans() {
        guard resumption.hasOrphans, !tasksAreOutstanding, inbox.isEmpty else { return }
        for watch in resumption.takeOrphans()
        where directories.directory(watch: watch) == nil && roots.ancestor(watch) == nil
            && !watches.contains(watch)
        {
            watches.hold(watch)
            watches.unwant(watch)
        }
    }
}
