// Containers are added, changed and removed.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import LinuxSystem
import LiveQueries
import Logging
import Metadata
import MetadataIndex
import NIOCore

extension Engine {
    /// Begins to watch a container, whose identifier is free: from its snapshot, if there is one. If it may have been
    /// there before, nothing is known of it before the clock `floor`.
    @discardableResult
    func addContainer(
        _ configuration: ContainerConfiguration, saved: RecoveredState.Container? = nil, floor: UInt64 = 0,
        isStart: Bool = false
    ) -> ContainerRecord {
        let number = containers.makeNumber()
        let record =
            saved.map { ContainerRecord(number: number, configuration: configuration, saved: $0) }
            ?? ContainerRecord(number: number, configuration: configuration, floor: floor)
        // The time of their reading is not saved, but it is not after that of the snapshot.
        record.xattrs.noteStart(at: commits.sequence)
        record.index.xattrLimit = limits.extraBytes
        record.registry.mostPending = limits.pendingBytesPerUser / LiveQueryRegistry.bytesOfPendingItem
        record.registry.pendingBeforeSuspension = limits.pendingItemsBeforeSuspension
        record.registry.isUnread = { [weak self] in self?.subscriptions.owner(of: $0)?.isUnread ?? false }
        tree.add(record.number, record.entry)
        containers.insert(record)
        // Before the live queries hear of it: one that reads extended attributes has the watcher read them. A detached index
        // is brought back to be verified, or detached again at once.
        if record.index.isDetached { _ = tree.attachAll(record.number) }
        // Other extensions may make packages than when it was saved, or when the journal was written.
        if saved != nil { tree.presentAnew(record.number) }
        watcher.addContainer(
            record.number, path: configuration.path, ignoring: configuration.ignoredNames, isKnown: saved != nil,
            wasMountPoint: saved?.description.isMountPoint == true, mark: checkpointer.marks.mark(of: configuration),
            readsXattrs: !record.xattrs.isOff,
            within: containers.enclosure(of: record), key: commits.isPersistent ? record.index.epoch : 0)
        for other in containers.below(record) {
            watcher.setEnclosure(other.number, to: containers.enclosure(of: other))
        }
        for subscription in subscriptions.all { subscription.containerAdded(record) }
        runIteration()
        // Unless the iteration has found it, and the log says so.
        if !isStart { log.noteStart(of: record) }
        return record
    }

    /// Stops watching a container: its items leave every result set.
    func removeContainer(_ record: ContainerRecord, forgetsMark: Bool = false) {
        if forgetsMark { checkpointer.marks.forget(record.identifier) }
        sync.end(of: record)
        watcher.removeContainer(record.number)
        absorb(record)
        containers.remove(record)
        tree.remove(record.number)
        for other in containers.below(record) {
            watcher.setEnclosure(other.number, to: containers.enclosure(of: other))
        }
        commits.noteRemoval(of: record)
        record.registry.stopClock()
        finishReturnedUpdates(of: record)
        bringBackThoseWaiting(for: record)
        for subscription in subscriptions.all { subscription.containerRemoved(record) }
        monitors.stateChanged()
        logger.info(
            "container '\(record.identifier)' is no longer watched; its items have left all results",
            metadata: ["container": "\(record.identifier)"])
        runIteration()
    }

    /// From now on, writes the list of the containers that were added at run time where it went with the state directory, once the
    /// store has made that again.
    func restore(_ runtime: RuntimeContainers, with store: PersistentStore) {
        let noteDirectory = store.hasMadeDirectory
        store.hasMadeDirectory = { [weak self] in
            noteDirectory()
            guard let self, runtime.isMissing else { return }
            // If this fails, saving fails, too, and that is logged.
            try? runtime.save(containers.map(\.configuration).filter { $0.origin == .runtime })
        }
    }

    func state(of record: ContainerRecord) -> WatchState {
        let state = watcher.state(of: record.number) ?? .unavailable(reason: "the container was removed")
        guard case .unavailable(var reason) = state else { return state }
        if watcher.stranger(at: record.number) != nil {
            reason += "; 'gather container accept \(record.identifier)' takes it"
        } else if watcher.isUnmounted(record.number) {
            reason += "; 'gather container accept \(record.identifier)' takes the directory itself"
        }
        return .unavailable(reason: reason)
    }

    /// Tells the monitors, and the log, of states that changed.
    func reportStates() {
        var changed = false
        for record in containers {
            let state = state(of: record)
            guard record.reported.update(state) else { continue }
            changed = true
            noteVerified(record, state)
            // A helper begins anew with the items that are found when it is available again.
            if case .unavailable = state { sync.end(of: record) }
            // From the first time that the container was exact, somebody may hold a clock from before a crawl.
            if !state.isSettling {
                record.entry.recordsCrawl = true
                memory.tidySoon()
            }
        }
        if changed { monitors.stateChanged() }
    }

    /// The known items of a container count for callers who do not see everything once they were compared with the file
    /// system.
    private func noteVerified(_ record: ContainerRecord, _ state: WatchState) {
        switch state {
        case .live, .degraded:
            guard record.access.noteVerified() else { return }
            if access.tellsCallersApart { accessVerified(record) }
        case .unavailable:
            record.access.noteUnavailable()
            if access.tellsCallersApart, record.access.isUnsure { accessChanged(record) }
        case .crawling, .verifying: break
        }
    }

    /// When the oldest of the saved indexes was saved; nil where one of them never was.
    var snapshotTime: Timestamp? {
        let times = containers.map(\.snapshotMark.time)
        guard !times.isEmpty, !times.contains(where: { $0 == nil }) else { return nil }
        return times.compactMap { $0 }.min { $0.nanoseconds < $1.nanoseconds }
    }

    // MARK: Other descriptions

    /// Goes on with a description of a container that names other packages, and is as before else: nothing is read
    /// again, every item keeps its identity, and clocks go on. False, and nothing is done, where the container has to
    /// be read anew: anything else differs, it is not exact yet or away, or there are to be no packages from now on (a
    /// clock from before could not name the items hidden then).
    func setPackages(of record: ContainerRecord, by configuration: ContainerConfiguration) -> Bool {
        var same = record.configuration
        same.packages = configuration.packages
        guard same == configuration, !configuration.packages.isEmpty, !record.index.isDetached, !updateHold(of: record),
            !state(of: record).isSettling
        else { return false }
        absorb(record)
        record.set(packages: configuration.packages)
        tree.presentAnew(record.number)
        record.snapshotMark.noteChange()
        absorb(record)
        for subscription in subscriptions.all { subscription.packagesChanged(record) }
        runBackgroundUpdates(of: record)
        logger.info(
            "the packages of container '\(record.identifier)' are now: \(configuration.packages.joined(separator: ", ")); live queries receive the differences",
            metadata: ["container": "\(record.identifier)"])
        return true
    }

    /// Goes on with a description of a container that is shared, or is not any more, and is as before else: no item leaves a result
    /// and comes back. False, and nothing is done, where the container has to be read anew: anything else differs, or it is not exact
    /// yet or away. Calls `then` once its items are those of the description.
    func setSharing(
        of record: ContainerRecord, by configuration: ContainerConfiguration, then: @escaping () -> Void = {}
    ) -> Bool {
        var same = record.configuration
        same.sync = configuration.sync
        guard same == configuration, !record.index.isDetached, !updateHold(of: record), !state(of: record).isSettling,
            watcher.figures(of: record.number).outstanding == 0
        else { return false }
        sync.end(of: record)
        absorb(record)
        record.set(sync: configuration.sync)
        record.snapshotMark.noteChange()
        absorb(record)
        let leaving = configuration.sync.map { items(of: record, named: $0.ownNames) } ?? []
        watcher.setIgnored(record.number, globs: configuration.ignoredNames, leaving: leaving)
        monitors.stateChanged()
        logger.info(
            "container '\(record.identifier)' is \(configuration.sync == nil ? "not shared any more" : "shared from now on")",
            metadata: ["container": "\(record.identifier)"])
        if configuration.sync == nil {
            // The program's own files are items now.
            watcher.rescan(record.number) { [self] _ in iterations.atEnd(then) }
        } else {
            iterations.atEnd(then)
        }
        runIteration()
        return true
    }

    /// Returns the items of a container that have one of these names. All of them begin with a dot or a tilde. Complexity: O(rows).
    private func items(of record: ContainerRecord, named globs: [String]) -> [TreeNode] {
        let names = IgnoredNames(globs)
        let snapshot = record.index.snapshot()
        var found: [TreeNode] = []
        for block in 0..<snapshot.blockCount {
            snapshot.liveRows(inBlock: block).forEach { place in
                let row = IndexSnapshot.row(block: block, place: place)
                let isOne = snapshot.withName(of: row) { name in
                    (name.first == UInt8(ascii: ".") || name.first == UInt8(ascii: "~")) && names.contains(name)
                }
                if isOne { found.append(TreeNode(container: record.number, row: row.number)) }
            }
        }
        return found
    }

    // MARK: Access

    /// The containers that are there for a caller.
    func listed(for caller: Credentials?) -> [ContainerRecord] {
        containers.filter { access.isListed($0, for: caller) }
    }

    /// Brings changes of the directories above containers, and of their own, to callers that see more or less for it.
    /// After the changes of the indexes were brought to the live queries, and before anything is sent.
    func absorbAccess() {
        guard access.tellsCallersApart else { return }
        var numbers = watcher.takeAncestorAccessChanges()
        numbers.formUnion(tree.takeAccessChanges())
        for record in containers where numbers.contains(record.number) {
            accessLists.noteLists(above: record, self)
            if !record.access.isUnsure { accessChanged(record) }
        }
    }

    /// The access to a container has changed, and no change set says so: clocks from before are of no use to callers
    /// who do not see everything.
    func accessChanged(_ record: ContainerRecord) {
        _ = record.access.takeFormerAncestorAccess()
        commits.appendAccessChange(of: record, ancestorAccess: access.ancestorAccess(of: record))
        lookAgain(at: record)
    }

    /// A container is exact again: whether the way to it is as it was before the restart, so that clocks from then go on.
    func accessVerified(_ record: ContainerRecord) {
        guard let former = record.access.takeFormerAncestorAccess(), former == access.ancestorAccess(of: record) else {
            return accessChanged(record)
        }
        lookAgain(at: record)
    }

    private func lookAgain(at record: ContainerRecord) {
        lookAnew(at: record)
        monitors.stateChanged()
    }

    /// Brings live queries to the present view of their callers on a container; where its changes are held, when they
    /// are not any more: until then the queries do not know the rows that the index has.
    func lookAnew(at record: ContainerRecord) {
        // No clock was told while that was owed.
        let owed = record.held.owesLook
        guard record.held.look(isHeld: record.entry.isHeld) else { return }
        for subscription in subscriptions.all {
            subscription.accessChanged(record)
            if owed, subscription.looks(at: record) { subscriptions.markReady(subscription) }
        }
        runBackgroundUpdates(of: record)
    }
}

extension Engine: Checkpointer.Owner {
    var sequence: UInt64 { commits.sequence }

    func isMountPoint(_ record: ContainerRecord) -> Bool { watcher.isMountPoint(record.number) }

    func ancestorAccess(of record: ContainerRecord) -> [UInt8] { access.ancestorAccess(of: record) }

    func checkpointIsDue() { runIteration() }

    func checkpointEnded() {
        memory.tidySoon()
        runIteration()
    }

    func persistenceFailed(_ error: SystemError) {
        logger.error(
            "the state cannot be saved: \(error); until a later attempt succeeds, a restart compares all containers; 'gather doctor' looks at the directory and its free space",
            metadata: ["message-id": "state-unsaved", "error": "\(error)"])
    }

    func persistenceRestored() { logger.notice("the state is saved again, so a restart continues from it") }
}

extension Engine: AccessListSweeper.Owner {
    func directoriesAbove(_ record: ContainerRecord) -> [FileAccess]? { watcher.directoriesAbove(record.number) }

    func lookAgain(at rows: [Row], of record: ContainerRecord) {
        watcher.lookAgain(at: rows.map { TreeNode(container: record.number, row: $0.number) })
    }

    func lackOfAccessListsChanged(of records: [ContainerRecord]) {
        for record in records { log.noteAccessLists(of: record) }
        monitors.stateChanged()
    }
}
