// Live queries follow the time of day: items leave when their time is over, with no change on disk.
// SPDX-License-Identifier: Apache-2.0

import LiveQueries
import Logging
import Metadata
import NIOCore

extension Engine {
    /// Brings the live queries of all containers to one moment, the present, and sets the one timer for the nearest moment to
    /// come. Without a query that follows the clock nothing is done, and no timer is there.
    func followClock() {
        guard !isFollowingClock else { return }
        isFollowingClock = true
        defer { isFollowingClock = false }
        if containers.contains(where: { $0.registry.followsClock || $0.registry.nextMoment != nil }) {
            let now = timeOfDay()
            let due = containers.filter { $0.registry.nextMoment != nil || $0.registry.isAhead(of: now) }
            if !due.isEmpty { moment = now }
            for record in due where !record.entry.isHeld {
                absorb(record)
                stirOwners(of: record.registry.advance(to: moment, in: record.index))
                runErrands(of: record)
            }
        }
        scheduleClock()
    }

    /// Sets the timer for the nearest moment. Timers go by a clock that is never set: that the time of day was set is told by
    /// ``watchClock()``, and found out after ``ServiceLimits/clockInterval`` at the latest.
    private func scheduleClock() {
        let followed = containers.lazy.filter { !$0.entry.isHeld }.map(\.registry)
        let isFollowed = followed.contains(where: \.followsClock)
        if isFollowed { watchClock() }
        let nearest = followed.compactMap(\.nextMoment).min()
        // Without the watch it is looked whether the clock was set back, also where no moment is to come.
        guard let next = nearest ?? (isFollowed && clockWatch == nil ? Int64.max : nil) else {
            clockTask?.task.cancel()
            clockTask = nil
            return
        }
        if clockTask?.moment == next { return }
        clockTask?.task.cancel()
        let (wait, overflow) = next.subtractingReportingOverflow(timeOfDay().nanoseconds)
        let delay = min(max(overflow ? 0 : wait, Limits.clockGrain.nanoseconds), limits.clockInterval.nanoseconds)
        let engine = NIOLoopBound(self, eventLoop: loop)
        let task = loop.scheduleTask(in: .nanoseconds(delay)) {
            engine.value.clockTask = nil
            engine.value.turn()
        }
        clockTask = (next, task)
        activity.clockTimers &+= 1
    }

    /// Has a thread wait for the time of day to be set, from the first live query on that follows it.
    private func watchClock() {
        guard clockWatch == nil, !hasTriedClockWatch else { return }
        hasTriedClockWatch = true
        do {
            clockWatch = try startClockWatch { [mailbox] in mailbox.post(.clockSet) }
        } catch {
            logger.warning(
                "cannot watch the time of day: \(error); when it is set back, live queries with $time are wrong for up to \(limits.clockInterval.nanoseconds / 1_000_000_000) s",
                metadata: ["error": "\(error)"])
        }
    }
}
