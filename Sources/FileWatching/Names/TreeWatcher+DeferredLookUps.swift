// Look-ups that wait: in directories that are not where their rows are, since a move is still in the queue.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata

extension TreeWatcher {
    /// The directory is not where its row is: a move of it, or of one above it, is still in the queue.
    func wait(_ entry: LookUpQueue.Entry, name: UnsafeRawBufferPointer) {
        // Its next poll finds what there is.
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
                isTold: entry.isTold, isUnexpected: entry.isUnexpected))
    }

    /// Something has become of an entry that no event told of until now, and the queue is not empty: the event is in it,
    /// and is heard first. A file that was written to and has moved since is not taken for one that is gone. `found`: what
    /// is there now.
    func waitForNews(_ entry: LookUpQueue.Entry, name: UnsafeRawBufferPointer, found: FileStatus? = nil) -> Bool {
        let queued = queuedBytes()
        guard queued > 0 else { return false }
        deferredLookUps.append(
            DeferredLookUp(
                directory: entry.directory, name: Array(name), origin: entry.origin, position: position + queued,
                attempts: entry.attempts, waitsForNews: true, isArrival: entry.isArrival,
                isTold: entry.isTold, isUnexpected: entry.isUnexpected))
        // If it goes on meanwhile, that changes it under its other names, and is told of a name that the tree never had.
        if let found, found.links > 1, !found.kind.isDirectory {
            noteStray(
                found, cause: entry.origin.cause, in: [directories.container(of: entry.directory)],
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

    /// Whether what a comparison in the background misses, or finds replaced, may be told of by an event: it has read the
    /// directory before it looks, and what was heard of since may have moved on.
    func mayBeTold(_ entry: LookUpQueue.Entry) -> Bool {
        guard entry.origin.task != 0, entry.attempts == 0, directories[entry.directory].watch >= 0,
            let comparison = containers[directories.container(of: entry.directory)]?.comparison
        else { return false }
        return comparison.task == entry.origin.task && comparison.isInBackground && !comparison.isAudit
    }

    /// However long it waits, the directory is not found: a comparison finds the truth.
    private func abandon(_ id: DirectoryID, _ origin: Origin) {
        counters.lookUpsAbandoned += 1
        guard let container = containers[directories.container(of: id)], container.failure == nil else { return }
        suspect(container.number, cause: origin.cause)
        if let comparison = container.comparison, comparison.task == origin.task {
            guard comparison.restarts < settings.limits.comparisonRestarts else { return }
            container.comparison?.restarts += 1
        }
        compare(container, origin: origin)
    }

    /// Whether all that was queued when a look-up began to wait has been heard, and the look at the missing directory's place
    /// was made.
    func isDue(_ lookUp: DeferredLookUp) -> Bool { isHeard(lookUp.position) && lookUps.taken >= lookUp.lookUps }

    /// Whether all of the stream before a position has been heard, renames with both their halves.
    func isHeard(_ end: UInt64) -> Bool {
        position >= end && halves.oldest.map { $0.origin.cause >= end } ?? true
    }

    /// Tries the look-ups that wait once more, a limited number of them in one loop iteration.
    func retryDeferredLookUps() {
        guard !deferredLookUps.isEmpty else { return }
        deferredLookUps.forgetRetried(taken: lookUps.taken)
        var round = DeferredRound()
        var left = min(deferredLookUps.count, WatchLimits.deferredPerTurn)
        while left > 0, !isTurnOver, let lookUp = deferredLookUps.takeFirst() {
            left -= 1
            iteration.noteLookUp()
            retry(lookUp, &round)
        }
        // These are no look-ups: some of those are made in any case.
        iteration.restartCounting()
    }

    private func retry(_ lookUp: DeferredLookUp, _ round: inout DeferredRound) {
        var lookUp = lookUp
        let id = lookUp.directory
        guard directories.isAlive(id) else { return }
        if lookUp.waitsForNews, position < lookUp.position {
            deferredLookUps.append(lookUp)
            return
        }
        // With all heard that was queued, the way to a missing directory is tried once more for all that lies below it.
        let isDue = isDue(lookUp)
        if isDue, let lost = lostDirectories.lost(atOrAbove: id.slot), round.tried.insert(lost).inserted {
            lostDirectories.release(lost)
        }
        do throws(SystemError) {
            _ = try descriptor(of: id)
            // Its former finding is explained. The event of its next finding may come later again.
            let isExpected = lookUp.waitsForNews && lookUp.attempts + 1 < settings.limits.lookUpAttempts
            lookUp.name.withUnsafeBytes {
                lookUps.add(
                    $0, in: id, origin: lookUp.origin, attempts: lookUp.attempts + 1, isExpected: isExpected,
                    isArrival: lookUp.isArrival, isTold: lookUp.isTold)
            }
            deferredLookUps.noteRetried(lookUp.origin.cause, end: lookUps.end)
            return
        } catch {
            if isRefused(id, error, lookUp.origin) { return }
        }
        // It waits for its directory from now on, and first halves do not wait for it: it may wait for one of them.
        lookUp.waitsForNews = false
        if isDue {
            if lookUp.attempts >= settings.limits.lookUpAttempts {
                abandon(id, lookUp.origin)
                return
            }
            // No event has told where the missing directory went. A look at its place settles everything below it.
            let missing = lostDirectories.lost(atOrAbove: id.slot).map { directories.id(ofSlot: $0) } ?? id
            if round.looked.insert(missing.slot).inserted {
                round.tried.insert(missing.slot)
                lookAtPlace(of: missing, origin: lookUp.origin, attempts: lookUp.attempts)
            }
            // While a removal goes on, one directory after the other is missing on the way up. Each is news.
            let depth = directories[missing].depth
            if lookUp.depth == 0 || depth >= lookUp.depth { lookUp.attempts += 1 }
            lookUp.depth = depth
            lookUp.lookUps = lookUps.end
            let queued = round.queued ?? queuedBytes()
            round.queued = queued
            lookUp.position = position + queued
        }
        deferredLookUps.append(lookUp)
    }

    /// Drops look-ups whose directories have left the tree, a limited number of them in one loop iteration.
    func dropDeferredLookUps() {
        deferredLookUps.drop(atMost: WatchLimits.deferredPerTurn) { !directories.isAlive($0) }
    }

    /// Has entries looked at again, of which something could not be found out or not be kept; for a container's own directory
    /// those above it are too. It is told by no event, so no barrier waits for it, but for that of a container's own directory.
    package func lookAgain(at nodes: [TreeNode]) {
        for node in nodes {
            guard let parent = tree.parent(of: node) else {
                suspect(node.container, cause: causeNow)
                continue
            }
            guard let directory = directories.directory(at: parent) else { continue }
            withName(of: node) { lookUps.add($0, in: directory, origin: .untold) }
        }
    }

    /// Has an entry looked at whose content, mode or times have changed. Returns whether it waits as a hot one.
    func lookPatiently(at name: UnsafeRawBufferPointer, in id: DirectoryID, origin: Origin) -> Bool {
        let isHot = lookUps.addChanged(
            name, in: id, origin: origin, forced: forcedPosition, interval: settings.hotInterval,
            slots: directories.records.count, iteration)
        if isHot { counters.lookUpsMerged += 1 }
        return isHot
    }

    /// Makes the look-ups that could wait: as long as the turn has time, and a few in any case.
    func runPatientLookUps() {
        guard lookUps.hasPatient else { return }
        iteration.extend(to: kernel.now() &+ settings.turnBudget / 4)
        iteration.restartCounting()
        while !isTurnOver, let entry = lookUps.takePatient(into: buffers.name) { look(at: entry) }
        iteration.restartCounting()
        runLookUps()
    }

    /// Whether the loop iteration has had its time.
    var isTurnOver: Bool { iteration.isOver(now: kernel.now()) }

    /// Whether so much waits that nothing more is read: the kernel's queue then takes what comes, until it overflows.
    var isFull: Bool { lookUps.countOfCold >= settings.limits.lookUpsAhead }
}

/// One round of trying look-ups that wait.
private struct DeferredRound {
    /// Missing directories, by slot, to which the way was tried in this round.
    var tried: Set<Int32> = []
    /// Those whose places are looked at.
    var looked: Set<Int32> = []
    /// The bytes that were queued in it, once they were asked for.
    var queued: UInt64?
}
