// Containers are added and removed, and their notices are logged.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import LinuxSystem
import LiveQueries
import Logging
import MetadataIndex
import NIOCore

extension Engine {
    /// Begins to watch a container, whose identifier is free: from what was saved of it, if anything was. Of one that may
    /// have been there before nothing is known before the commits.sequence `floor`.
    @discardableResult
    func addContainer(
        _ configuration: ContainerConfiguration, saved: SavedState.Container? = nil, floor: UInt64 = 0,
        isStart: Bool = false
    ) -> ContainerRecord {
        let number = containers.makeNumber()
        let record =
            saved.map { ContainerRecord(number: number, configuration: configuration, saved: $0) }
            ?? ContainerRecord(number: number, configuration: configuration, floor: floor)
        // When they were read is not saved, but not after what was.
        record.extrasSince = commits.sequence
        record.index.extrasLimit = limits.extraBytes
        record.registry.mostPending = limits.pendingBytesPerUser / LiveQueryRegistry.bytesOfPendingItem
        record.registry.pendingBeforeSuspension = limits.pendingItemsBeforeSuspension
        record.registry.isUnread = { [weak self] in self?.subscriptions.owner(of: $0)?.isUnread ?? false }
        tree.add(record.number, record.entry)
        containers.insert(record)
        // Before the live queries hear of it: one that reads extra attributes has the watcher read them.
        // What was set aside is brought back to be verified, or set aside again at once.
        if record.index.isParked { _ = tree.unpark(record.number) }
        // Other extensions may make packages than when it was saved, or when the journal was written.
        if saved != nil { tree.presentAnew(record.number) }
        watcher.addContainer(
            record.number, path: configuration.path, ignoring: configuration.ignoredNames, isKnown: saved != nil,
            wasMountPoint: saved?.description.isMountPoint == true, readsExtras: record.extras != .off,
            within: containers.enclosure(of: record), key: commits.isKept ? record.index.epoch : 0)
        for other in containers.below(record) {
            watcher.setEnclosure(other.number, to: containers.enclosure(of: other))
        }
        for subscription in subscriptions.all { subscription.containerAdded(record) }
        turn()
        // Unless the turn has found it, and the log says so.
        if !isStart { log.noteStart(of: record) }
        return record
    }

    /// Stops watching a container: its items leave every result set.
    func removeContainer(_ record: ContainerRecord) {
        SyncSessions(engine: self).end(of: record)
        watcher.removeContainer(record.number)
        absorb(record)
        containers.remove(record)
        tree.remove(record.number)
        for other in containers.below(record) {
            watcher.setEnclosure(other.number, to: containers.enclosure(of: other))
        }
        commits.noteRemoval(of: record)
        record.registry.stopClock()
        finishErrandsBack(of: record)
        bringBackThoseWaiting(for: record)
        for subscription in subscriptions.all { subscription.containerRemoved(record) }
        monitors.stateChanged()
        logger.info(
            "container '\(record.identifier)' is no longer watched; its items have left all results",
            metadata: ["container": "\(record.identifier)"])
        turn()
    }

    func state(of record: ContainerRecord) -> ContainerState {
        let state = watcher.state(of: record.number) ?? .unavailable(reason: "the container was removed")
        guard case .unavailable(let reason) = state, watcher.isUnmounted(record.number) else { return state }
        let remedy = record.configuration.origin.forgetting
        return .unavailable(reason: "\(reason); to have the directory itself, \(remedy)")
    }

    /// Tells those who monitor, and the log, of states that changed.
    func reportStates() {
        var changed = false
        for record in containers {
            let state = state(of: record)
            guard state != record.toldState else { continue }
            record.toldState = state
            changed = true
            noteVerified(record, state)
            // A helper begins anew with the items that are found when it is available again.
            if case .unavailable = state {
                SyncSessions(engine: self).end(of: record)
                record.awaySince = record.awaySince ?? .now
            } else {
                record.awaySince = nil
            }
            // From the first time that the container was exact, somebody may hold a clock from before a crawl.
            if !state.isSettling {
                record.entry.recordsCrawl = true
                memory.tidySoon()
            }
        }
        if changed { monitors.stateChanged() }
    }

    /// What is known of a container counts for callers who do not see everything once it was compared with the file system.
    private func noteVerified(_ record: ContainerRecord, _ state: ContainerState) {
        switch state {
        case .live, .degraded:
            guard !record.wasVerified else { return }
            record.wasVerified = true
            if access.tellsCallersApart { accessVerified(record) }
        case .unavailable:
            record.wasVerified = false
            if access.tellsCallersApart, record.formerPassage != nil { accessChanged(record) }
        case .crawling, .verifying: break
        }
    }
}
