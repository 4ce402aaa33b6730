// Look-ups that wait: in directories that are not where their rows are, since a move is still in the queue.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata

extension TreeWatcher {
    /// Tries the look-ups that wait once more, a limited number of them in one loop iteration.
    func retryDeferredLookUps() {
        guard !deferredLookUps.isEmpty else { return }
        deferredLookUps.forgetRetried(taken: lookUps.taken)
        var round = DeferredRound()
        var left = min(deferredLookUps.count, WatchLimits.deferredPerIteration)
        while left > 0, !isIterationOver, let lookUp = deferredLookUps.takeFirst() {
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
        if isDue, let lost = opening.lost.lost(atOrAbove: id.slot), round.tried.insert(lost).inserted {
            opening.lost.release(lost)
        }
        do throws(SystemError) {
            _ = try descriptor(of: id)
            // Its former finding is explained. The event of its next finding may come later again.
            let isExpected = lookUp.waitsForNews && lookUp.attempts + 1 < settings.limits.lookUpAttempts
            lookUp.name.withUnsafeBytes {
                lookUps.add(
                    $0, in: id, origin: lookUp.origin, attempts: lookUp.attempts + 1, isExpected: isExpected,
                    isArrival: lookUp.isArrival, isReported: lookUp.isReported)
            }
            deferredLookUps.noteRetried(lookUp.origin.position, end: lookUps.end)
            return
        } catch {
            if handleRefusal(id, error, lookUp.origin) { return }
        }
        // It waits for its directory from now on, and pending renames do not wait for it: it may wait for one of them.
        lookUp.waitsForNews = false
        if isDue {
            if lookUp.attempts >= settings.limits.lookUpAttempts {
                abandon(id, lookUp.origin)
                return
            }
            // No event has told where the missing directory went. A look at its place settles everything below it.
            let missing = opening.lost.lost(atOrAbove: id.slot).map { directories.id(ofSlot: $0) } ?? id
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
        deferredLookUps.drop(atMost: WatchLimits.deferredPerIteration) { !directories.isAlive($0) }
    }

    /// Makes the look-ups that could wait: as long as the iteration has time, and a few in any case.
    func runPatientLookUps() {
        guard lookUps.hasPatient else { return }
        iteration.extend(to: kernel.now() &+ settings.iterationBudget / 4)
        iteration.restartCounting()
        while !isIterationOver, let entry = lookUps.takePatient(into: buffers.name) { look(at: entry) }
        iteration.restartCounting()
        runLookUps()
    }
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
