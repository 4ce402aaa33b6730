// Names and places that are to be looked at, now or when more was heard.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata

extension TreeWatcher {
    /// Has a container's directory looked at. The work that follows counts for the same event position: a barrier that
    /// waits for the one waits for the other. If no event caused it, it is caused now.
    func suspect(_ number: UInt32, position: UInt64) {
        roots.suspect(number, position: position, now: positionNow)
    }

    /// Looks at a directory where it should lie: by its name in the directory above, a root by its path.
    func lookAtPlace(of id: DirectoryID, origin: Origin, attempts: UInt8 = 0, isExpected: Bool = false) {
        let node = directories[id].node
        guard let parent = tree.parent(of: node), let above = directories.directory(at: parent) else {
            suspect(node.container, position: origin.position)
            return
        }
        // The directory that replaced it may have moved on.
        let isExpected = isExpected || uncertain.provisional.isTakenOver(node)
        withName(of: node) {
            lookUps.add($0, in: above, origin: origin, attempts: attempts, isExpected: isExpected)
        }
    }

    /// Keeps an event for an unknown watch: a thread has added it, and its result is on the way.
    func hold(_ event: InotifyEvent, name: UnsafeRawBufferPointer, position: UInt64) {
        if event.mask.contains(.ignored) { watches.want(event.watch) }
        guard tasksAreOutstanding else { return }
        if event.mask.contains(.movedTo) { renames.noteHeld(cookie: event.cookie) }
        if event.mask.contains(.ignored) {
            noteGone(event.watch)
            return
        }
        watches.unknown.hold(event, name: name, position: position, limit: settings.limits.heldNames)
        // An audit, or a crawl from a poll, may have come by a directory that no event had named. Barriers wait for
        // changes reported from now on.
        for (number, task) in readings.tasks where task.position == .max {
            let comparison = task.container.comparison
            if !task.container.isComparison(number) || comparison?.task == number && comparison?.isAudit == true {
                lowerPosition(of: number, to: position)
            }
        }
    }

    /// See ``UnknownWatches``.
    func noteReceived(_ watch: Int32) {
        if tasksAreOutstanding { watches.unknown.noteReceived(watch) }
    }

    /// A watch has ended. A thread that was given it may not have handed over its result yet.
    func noteGone(_ watch: Int32) {
        watches.unknown.remove(watch)
        guard tasksAreOutstanding else { return }
        watches.noteEnded(watch, limit: settings.limits.goneWatches, ticket: pool.tickets(1))
    }

    /// The directory is not where its row is: a move of it, or of one above it, is still in the queue.
    func wait(_ entry: LookUpQueue.Entry, name: UnsafeRawBufferPointer) {
        // Its next poll finds the entry.
        if isUnstable(entry.directory) { return }
        counters.lookUpsDeferred += 1
        if entry.attempts >= settings.limits.lookUpAttempts {
            abandon(entry.directory, entry.origin)
            return
        }
        deferredLookUps.append(
            DeferredLookUp(
                directory: entry.directory, name: Array(name), origin: entry.origin,
                position: position + queuedBytes(), attempts: entry.attempts, isArrival: entry.isArrival,
                isReported: entry.isReported, isUnexpected: entry.isUnexpected))
    }

    /// Something has become of an entry that no event told of until now, and the queue is not empty: the event is in
    /// it, and is heard first. A file that was written to and has moved since is not taken for one that is gone.
    /// `found`: the file there now.
    func waitForNews(_ entry: LookUpQueue.Entry, name: UnsafeRawBufferPointer, found: FileStatus? = nil) -> Bool {
        let queued = queuedBytes()
        guard queued > 0 else { return false }
        deferredLookUps.append(
            DeferredLookUp(
                directory: entry.directory, name: Array(name), origin: entry.origin, position: position + queued,
                attempts: entry.attempts, waitsForNews: true, isArrival: entry.isArrival,
                isReported: entry.isReported, isUnexpected: entry.isUnexpected))
        // If it goes on meanwhile, that changes it under its other names, and is told of a name that the tree never had.
        if let found, found.links > 1, !found.kind.isDirectory {
            noteUnresolvedLink(
                found, position: entry.origin.position, in: [directories.container(of: entry.directory)],
                areOthersWaiting: true)
        }
        return true
    }

    /// The same of a directory's own state.
    func waitForNews(of id: DirectoryID, _ origin: Origin, attempts: UInt8) -> Bool {
        let queued = queuedBytes()
        guard queued > 0 else { return false }
        deferredLookUps.append(
            DeferredLookUp(
                directory: id, name: [], origin: origin, position: position + queued, attempts: attempts,
                waitsForNews: true))
        return true
    }

    /// However long it waits, the directory is not found: a comparison finds the truth.
    func abandon(_ id: DirectoryID, _ origin: Origin) {
        counters.lookUpsAbandoned += 1
        guard let container = containers[directories.container(of: id)], container.place.failure == nil else { return }
        suspect(container.number, position: origin.position)
        if let comparison = container.comparison, comparison.task == origin.task {
            guard container.comparison?.restart(limit: settings.limits.comparisonRestarts) == true else { return }
        }
        compare(container, origin: origin)
    }

    /// Has entries looked at again, of which something could not be found out or not be kept; for a container's own directory
    /// those above it are too. It is told by no event, so no barrier waits for it, but for that of a container's own directory.
    package func lookAgain(at nodes: [TreeNode]) {
        for node in nodes {
            guard let parent = tree.parent(of: node) else {
                suspect(node.container, position: positionNow)
                continue
            }
            guard let directory = directories.directory(at: parent) else { continue }
            withName(of: node) { lookUps.add($0, in: directory, origin: .unreported) }
        }
    }

    /// Has an entry looked at whose content, mode or times have changed. Returns whether it waits as a hot one.
    func lookPatiently(at name: UnsafeRawBufferPointer, in id: DirectoryID, origin: Origin) -> Bool {
        let isHot = lookUps.addChanged(
            name, in: id, origin: origin, forced: events.forcedPosition, interval: settings.hotInterval,
            slots: directories.records.count, iteration)
        if isHot { counters.lookUpsMerged += 1 }
        return isHot
    }

    /// Whether all that was queued when a look-up began to wait has been heard, and the look at the missing directory's place
    /// was made.
    func isDue(_ lookUp: DeferredLookUp) -> Bool { isReceived(lookUp.position) && lookUps.taken >= lookUp.lookUps }
}
