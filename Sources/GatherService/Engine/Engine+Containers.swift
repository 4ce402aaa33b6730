// Containers are added and removed, and their notices are logged.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import LinuxSystem
import LiveQueries
import Logging
import MetadataIndex
import NIOCore

extension Engine {
    /// How many unreadable directories of one container are named in the log.
    private static let unreadableNamed = 20

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
        if !isStart { logStart(of: record) }
        return record
    }

    /// Logs how a container begins, in one line, unless another line has told of it.
    func logStart(of record: ContainerRecord) {
        guard !record.isLogged else { return }
        record.isLogged = true
        let place = "container '\(record.identifier)' at \(record.configuration.path)"
        var metadata: Logger.Metadata = [
            "container": "\(record.identifier)", "path": "\(record.configuration.path)",
        ]
        switch state(of: record) {
        case .unavailable(let reason):
            metadata["message-id"] = "container-unavailable"
            logger.warning(
                "\(place) is unavailable: \(reason); gatherd reads it as soon as it is available; 'gather doctor' says what helps",
                metadata: metadata)
        case .verifying:
            logger.info(
                "\(place) is being compared with the file system; answers start with the saved state",
                metadata: metadata)
        case .crawling:
            logger.info("\(place) is being read; exact answers wait until it is", metadata: metadata)
        case .live, .degraded: logger.info("\(place) is watched", metadata: metadata)
        }
    }

    /// Stops watching a container: its items leave every result set.
    func removeContainer(_ record: ContainerRecord) {
        endSync(of: record)
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
                endSync(of: record)
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

    /// Writes what the watcher has to say into the log, each with what happens next.
    func reportNotices() {
        for notice in watcher.takeNotices() { report(notice) }
    }

    private func report(_ notice: WatchNotice) {
        func log(
            _ level: Logger.Level, _ number: UInt32, _ kind: String?, _ text: (ContainerRecord) -> String,
            _ metadata: Logger.Metadata = [:]
        ) {
            guard let record = containers.numbered(number) else { return }
            var metadata = metadata
            metadata["container"] = "\(record.identifier)"
            record.isLogged = true
            if let kind { metadata["message-id"] = "\(kind)" }
            logger.log(level: level, "\(text(record))", metadata: metadata)
        }
        func absolute(_ path: [UInt8], in record: ContainerRecord) -> String {
            let relative = String(decoding: path, as: UTF8.self)
            return relative.isEmpty ? record.configuration.path : record.configuration.path + "/" + relative
        }
        func count(_ number: Int, _ one: String, _ many: String? = nil) -> String { Plural.count(number, one, many) }
        switch notice {
        case .crawled(let number, let directories):
            log(.info, number, "container-live") {
                "container '\($0.identifier)' was read: \(count($0.index.count, "item")) in "
                    + count(directories, "directory", "directories")
                    + (self.state(of: $0).isExact ? "; it is live: every change is seen as it happens" : "")
            }
        case .containerGone(let number, let error):
            log(.warning, number, "container-unavailable") {
                "container '\($0.identifier)' is unavailable: \($0.configuration.path): \(error); its items have left all results and return when it is available again"
            }
        case .containerFound(let number, let isKnown, let obstacle):
            // At the start this is the line that tells how the container begins.
            let isBack = containers.numbered(number)?.isLogged == true
            log(.info, number, "container-available") {
                "container '\($0.identifier)' at \($0.configuration.path) is \(isBack ? "available and is " : "")being "
                    + "\(isKnown ? "compared with the file system" : "read")\(obstacle.map { ", because \($0)" } ?? ""); "
                    + "exact answers wait until it is"
            }
        case .containerGoesOn(let number, let directories, let unread):
            log(.info, number, "container-live") {
                "container '\($0.identifier)' at \($0.configuration.path) continues from the previous process: "
                    + "\(count(directories, "directory is", "directories are")) still watched, "
                    + (unread == 0 ? "and none has to be read" : "and \(unread) with all below them are being read")
            }
        case .watchesChecked(let missing, let count):
            guard missing > 0 else { return }
            logger.warning(
                "\(missing) of \(count) directories had no watch any more; they are being read, and live queries receive the differences",
                metadata: ["message-id": "watches-missing"])
        case .unreadable(let number, let path, let error):
            guard let record = containers.numbered(number) else { return }
            record.unreadableLogged += 1
            guard record.unreadableLogged <= Engine.unreadableNamed else { return }
            let again = watcher.settings.watches ? "; gatherd tries again when its mode changes" : ""
            let last =
                record.unreadableLogged == Engine.unreadableNamed
                ? "; further ones are counted and not logged ('gather doctor' counts them)" : ""
            let place = absolute(path, in: record)
            log(
                .warning, number, "unreadable-directory",
                { _ in "the directory \(place) cannot be read: \(error); its contents are in no answer\(again)\(last)"
                },
                ["path": "\(place)"])
        case .overflow:
            logger.warning(
                "the kernel's event queue overflowed; all containers are being compared with the file system, and live queries receive the differences; if this happens often, raise fs.inotify.max_queued_events",
                metadata: ["message-id": "overflow"])
        case .compared(let number, let counts):
            log(.info, number, nil) {
                "container '\($0.identifier)' was compared with the file system: "
                    + (counts == ComparisonCounts()
                        ? "nothing differs"
                        : "\(counts.added) added, \(counts.changed) changed, \(counts.removed) removed, and live queries received them")
            }
        case .watchLimit(let number, let path, let reason):
            log(
                .error, number, "watch-limit-reached",
                {
                    "container '\($0.identifier)' lacks inotify watches: \(reason); \(absolute(path, in: $0)) and other directories are polled, which finds changes later; 'gather doctor' names the limit and the command"
                })
        case .polledFileSystem(let number, let name):
            log(.warning, number, "polled-file-system") {
                "container '\($0.identifier)' at \($0.configuration.path) is polled: its file system \(name) does not report changes made by other machines, so they are found later"
            }
        case .watchLimitOver(let number):
            log(.notice, number, "container-live") {
                "container '\($0.identifier)' is watched completely again; no directory is polled any more"
            }
        case .audited(let number, let directories, let counts):
            let isRight = counts == ComparisonCounts()
            log(isRight ? .info : .notice, number, "self-audit") {
                "the self-audit has compared the \(count(directories, "directory", "directories")) of container '\($0.identifier)': "
                    + (isRight
                        ? "nothing differs"
                        : "it repaired changes without an event, \(counts.added) added, \(counts.changed) changed, "
                            + "\(counts.removed) removed; live queries received them")
            }
        case .unreachableMount(let number, let mount):
            let path = mount.mount.text
            log(
                .warning, number, nil,
                {
                    "\(mount); container '\($0.identifier)' goes on without it, and asks again from time to time (mend its server, or: umount -l \(path))"
                }, ["path": "\(path)", "error": "\(mount.error)"])
        case .reachableMount(let number, let mount):
            let path = mount.text
            log(
                .notice, number, nil,
                {
                    "the file system at \(path) answers again or is unmounted; container '\($0.identifier)' reads it anew"
                }, ["path": "\(path)"])
        case .readFailed(let error):
            logger.critical(
                "the inotify descriptor cannot be read: \(error); changes may be missed until the next event, when gatherd tries again; if this goes on, restart gatherd"
            )
        }
    }
}
