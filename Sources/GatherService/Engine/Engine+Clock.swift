// Live queries follow the time of day: items leave when their time is over, with no change on disk.
// SPDX-License-Identifier: Apache-2.0

import LiveQueries
import Metadata
import NIOCore

extension Engine {
    /// Brings the live queries of all containers to one moment, the present, and sets the one timer for the nearest moment to
    /// come. Costs nothing where no query follows the clock, and no timer is there then.
    func followClock() {
        guard !isFollowingClock else { return }
        isFollowingClock = true
        defer { isFollowingClock = false }
        if containers.contains(where: { $0.registry.nextMoment != nil }) {
            moment = .now
            for record in containers where record.registry.nextMoment != nil && !record.entry.isHeld {
                absorb(record)
                stirOwners(of: record.registry.advance(to: moment, in: record.index))
                runErrands(of: record)
            }
        }
        scheduleClock()
    }

    /// Timers go by a clock that is never set, so the time of day is looked at now and then too: where it was set, items
    /// enter and leave that much later.
    private func scheduleClock() {
        guard let next = containers.lazy.filter({ !$0.entry.isHeld }).compactMap(\.registry.nextMoment).min() else {
            clockTask?.task.cancel()
            clockTask = nil
            return
        }
        if clockTask?.moment == next { return }
        clockTask?.task.cancel()
        let (wait, overflow) = next.subtractingReportingOverflow(Timestamp.now.nanoseconds)
        let delay = min(max(overflow ? 0 : wait, Limits.clockGrain.nanoseconds), limits.clockInterval.nanoseconds)
        let engine = NIOLoopBound(self, eventLoop: loop)
        let task = loop.scheduleTask(in: .nanoseconds(delay)) {
            engine.value.clockTask = nil
            engine.value.turn()
        }
        clockTask = (next, task)
        activity.clockTimers &+= 1
    }
}
