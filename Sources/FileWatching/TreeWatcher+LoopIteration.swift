// An iteration of the loop: everything that is due, in its order.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata

extension TreeWatcher {
    /// Does the work that is due: call it when the inotify descriptor is readable, when woken, and at ``nextDeadline``.
    /// Returns whether there is more to do at once: then call it again after giving others their turn.
    package func iterate() -> Bool {
        guard !isClosed, !resumption.isAwaitingContainers else { return false }
        var more = false
        readings.beginIteration()
        iteration.begin(at: kernel.now(), budget: settings.iterationBudget)
        if settings.crawlThreads == 0, jobs.areRead { more = performJobs() }
        followMounts()
        takeResults()
        lookUps.releaseHot(now: iteration.began, forced: events.forcedPosition, buffer: buffers.name)
        if !isFull, readEvents() { more = true }
        if mounts.mayHaveMoved { mountsChanged() }
        retryDeferredLookUps()
        expireRenames()
        resolveLinks()
        runLookUps()
        checkSuspects()
        if applyResults() { more = true }
        runLookUps()
        stepComparisons()
        findLinks()
        runPatientLookUps()
        finishTasks()
        dropDeferredLookUps()
        endDetached()
        endInaccessible()
        removeUnwantedWatches()
        closeDescriptors()
        poll()
        audit()
        balance()
        lookAtUnsureMounts()
        settleProvisionalRows()
        finishCheck()
        followMounts()
        // After all that opens any, or one more iteration would be needed for them.
        closeIdleDirectories()
        more =
            more || !lookUps.isEmpty || lookUps.hasPatient || !hardLinks.files.news.isEmpty || !roots.suspects.isEmpty
            || deferredLookUps.contains(where: isDue) || hardLinks.files.unresolved.values.contains(where: isDue)
            || hasComparisonStep || hasLinksToFind || uncertain.detached.isAwaitingMovingOn
            || watches.canRemove(at: position) || opening.cache.unclosedCount > 0
        if opening.cache.closesAll, isReached(Barrier(position: events.forcedPosition)) { closeOpenDirectories() }
        return more
    }

    /// When ``iterate()`` must be called at the latest, in the kernel's nanoseconds; nil when only events and wakes can
    /// cause work.
    package var nextDeadline: UInt64? {
        var deadline: UInt64?
        func consider(_ time: UInt64?) {
            if let time { deadline = min(deadline ?? .max, time) }
        }
        let awaited = renames.isEmpty ? .max : oldestAwaitedNews
        for rename in renames.all where !isAnnounced(rename) && !isKeptForCrawl(rename) && awaited >= rename.expiry {
            consider(rename.deadline)
        }
        consider(lookUps.hotDeadline)
        consider(events.pauseEnd)
        if auditSchedule.isBehind || !settings.hasRegularIterations { consider(auditSchedule.next) }
        consider(mounts.nextDeadline)
        if !tasksAreOutstanding { consider(watches.nextBalance) }
        consider(opening.cache.nextDeadline(idleTime: settings.directoryIdleTime))
        for container in containers.values {
            consider(container.polling.next)
            consider(container.comparison?.notBefore)
        }
        return deadline
    }
}
