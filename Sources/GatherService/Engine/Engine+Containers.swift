// Containers come and go, and what is to be said of them is said.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import LiveQueries
import Logging
import MetadataIndex
import NIOCore

extension Engine {
    /// How many unreadable directories of one container are named in the log.
    private static let unreadableNamed = 20

    func container(_ identifier: String) -> ContainerRecord? {
        containers.first { $0.identifier == identifier }
    }

    func container(number: UInt32) -> ContainerRecord? {
        containers.first { $0.number == number }
    }

    /// Begins to watch a container, whose identifier is free: from what was saved of it, if anything was. Of one that may
    /// have been there before nothing is known before the sequence `floor`.
    @discardableResult
    func addContainer(
        _ configuration: ContainerConfiguration, saved: SavedState.Container? = nil, floor: UInt64 = 0
    ) -> ContainerRecord {
        let record =
            saved.map { ContainerRecord(number: nextContainerNumber, configuration: configuration, saved: $0) }
            ?? ContainerRecord(number: nextContainerNumber, configuration: configuration, floor: floor)
        nextContainerNumber += 1
        record.index.extrasLimit = limits.extraBytes
        record.registry.mostPending = limits.pendingItemsInAll
        tree.add(record.number, record.entry)
        let place = containers.firstIndex { $0.identifier > configuration.identifier } ?? containers.count
        containers.insert(record, at: place)
        // Before the live queries hear of it: one that reads extra attributes has the watcher read them.
        // What was set aside is brought back to be verified, or set aside again at once.
        if record.index.isParked { _ = tree.unpark(record.number) }
        // Other extensions may make packages than when it was saved, or when the journal was written.
        if saved != nil { tree.presentAnew(record.number) }
        watcher.addContainer(
            record.number, path: configuration.path, ignoring: configuration.ignore, isKnown: saved != nil,
            wasMountPoint: saved?.description.isMountPoint == true, readsExtras: record.extras != .off,
            within: enclosure(of: record), key: store.isKept ? record.index.epoch : 0)
        for other in containers
        where ContainerConfiguration.way(from: record.resolvedPath, to: other.resolvedPath) != nil {
            watcher.setEnclosure(other.number, to: enclosure(of: other))
        }
        for subscription in subscriptions.values { subscription.containerAdded(record) }
        let next =
            saved == nil
            ? "it is read, and exact answers wait for that" : "answers begin with what was saved of it"
        logger.info(
            "watching container '\(configuration.identifier)' at \(configuration.path); \(next)",
            metadata: ["container": "\(configuration.identifier)", "path": "\(configuration.path)"])
        if case .unavailable(let reason) = state(of: record) {
            logger.warning(
                "container '\(configuration.identifier)' is unavailable: \(configuration.path): \(reason); it is read when that is over ('gather doctor' says what to do)",
                metadata: ["container": "\(configuration.identifier)", "message-id": "container-unavailable"])
        }
        turn()
        return record
    }

    /// Where a container lies in others: what has to be mounted between it and the nearest of them.
    private func enclosure(of record: ContainerRecord) -> Enclosure? {
        var nearest: (way: [String], outer: ContainerRecord)?
        for outer in containers {
            guard let way = ContainerConfiguration.way(from: outer.resolvedPath, to: record.resolvedPath),
                way.count < nearest?.way.count ?? .max
            else { continue }
            nearest = (way, outer)
        }
        guard let (way, outer) = nearest else { return nil }
        return Enclosure(
            directories: way,
            reason:
                "it lies in container '\(outer.identifier)' at \(outer.configuration.path), and is one of its own once "
                + "a file system is mounted on it")
    }

    /// Stops watching a container: its items leave every result set.
    func removeContainer(_ record: ContainerRecord) {
        watcher.removeContainer(record.number)
        absorb(record)
        containers.removeAll { $0 === record }
        tree.remove(record.number)
        for other in containers
        where ContainerConfiguration.way(from: record.resolvedPath, to: other.resolvedPath) != nil {
            watcher.setEnclosure(other.number, to: enclosure(of: other))
        }
        noteRemoval(of: record)
        record.registry.stopClock()
        finishErrandsBack(of: record)
        for subscription in subscriptions.values { subscription.containerRemoved(record) }
        monitors.stateChanged()
        logger.info(
            "no longer watching container '\(record.identifier)'; its items have left all results",
            metadata: ["container": "\(record.identifier)"])
        turn()
    }

    func state(of record: ContainerRecord) -> ContainerState {
        watcher.state(of: record.number) ?? .unavailable(reason: "the container was removed")
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
            // From the first time that the container was exact, somebody may hold a clock from before a crawl.
            if !state.isSettling {
                record.entry.recordsCrawl = true
                tidyMemorySoon()
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
            if tellsCallersApart { accessVerified(record) }
        case .unavailable:
            record.wasVerified = false
            if tellsCallersApart, record.formerPassage != nil { accessChanged(record) }
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
            guard let record = container(number: number) else { return }
            var metadata = metadata
            metadata["container"] = "\(record.identifier)"
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
                    + (self.state(of: $0).isExact ? "; it is live, every change is seen as it happens" : "")
            }
        case .containerGone(let number, let error):
            log(.warning, number, "container-unavailable") {
                "container '\($0.identifier)' is unavailable: \($0.configuration.path): \(error); its items have left all results, and return with it"
            }
        case .containerFound(let number, let isKnown, let obstacle):
            log(.info, number, "container-available") {
                "container '\($0.identifier)' is available, \(isKnown ? "comparing" : "reading") "
                    + "\($0.configuration.path)\(obstacle.map { ", as \($0)" } ?? ""); exact answers wait for that"
            }
        case .containerGoesOn(let number, let directories, let unread):
            log(.info, number, "container-live") {
                "container '\($0.identifier)' goes on: \(directories) directories are still watched, "
                    + (unread == 0 ? "nothing was read" : "\(unread) are read, with what lies below")
            }
        case .watchesChecked(let missing, let count):
            guard missing > 0 else { return }
            logger.warning(
                "\(missing) of \(count) directories had no watch any more, reading them; live queries get what differs",
                metadata: ["message-id": "watches-missing"])
        case .unreadable(let number, let path, let error):
            guard let record = container(number: number) else { return }
            record.unreadableLogged += 1
            guard record.unreadableLogged <= Engine.unreadableNamed else { return }
            let again = watcher.settings.watches ? "; it is tried again when its mode changes" : ""
            let last = record.unreadableLogged == Engine.unreadableNamed ? "; more of them are only counted" : ""
            let place = absolute(path, in: record)
            log(
                .warning, number, "unreadable-directory", { _ in "cannot read \(place): \(error)\(again)\(last)" },
                ["path": "\(place)"])
        case .overflow:
            logger.warning(
                "the kernel's event queue overflowed, comparing all containers with the file system; live queries get what differs (raise fs.inotify.max_queued_events where this happens often)",
                metadata: ["message-id": "overflow"])
        case .compared(let number, let counts):
            log(.info, number, nil) {
                "container '\($0.identifier)' was compared with the file system: "
                    + (counts == ComparisonCounts()
                        ? "nothing differs"
                        : "\(counts.added) added, \(counts.changed) changed, \(counts.removed) removed, as live queries were told")
            }
        case .watchLimit(let number, let path, let reason):
            log(
                .error, number, "watch-limit-reached",
                {
                    "\(reason); directories of '\($0.identifier)' are polled from \(absolute(path, in: $0)) on, the rest is watched ('gather doctor' says what to do)"
                })
        case .polledFileSystem(let number, let name):
            log(.warning, number, "polled-file-system") {
                "\(name) at \($0.configuration.path) does not report changes that are made elsewhere: it is polled, and such changes are told then"
            }
        case .watchLimitOver(let number):
            log(.notice, number, "container-live") {
                "every directory of '\($0.identifier)' is watched again; nothing of it is polled any more"
            }
        case .audited(let number, let directories, let counts):
            let isRight = counts == ComparisonCounts()
            log(isRight ? .info : .notice, number, "self-audit") {
                "the self-audit has seen all \(directories) directories of '\($0.identifier)': "
                    + (isRight
                        ? "everything is as it was known"
                        : "repaired what no event had told, \(counts.added) added, \(counts.changed) changed, "
                            + "\(counts.removed) removed; live queries were told")
            }
        case .readFailed(let error):
            logger.critical(
                "the inotify descriptor cannot be read: \(error); it is tried again at the next event, and changes may be missed until then (if this goes on: systemctl restart gatherd)"
            )
        }
    }
}
