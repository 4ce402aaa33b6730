// The measurements of a live query: its latency.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

extension Subscription {
    /// Notes that changes are pending from an event that was read at `time`. Live queries that gather, or have a batch
    /// interval, are not measured, since their delay was requested.
    func noteNews(read time: UInt64?) {
        guard let time, batch == 0, phase == .live, activity.newsSince == 0 else { return }
        activity.newsSince = time
    }

    /// Notes a reply with changes.
    func noteReply(items: Int) {
        activity.noteTold(items: items, now: MonotonicClock.now())
        engine.activity.deltas &+= 1
        engine.activity.deltaItems &+= UInt64(items)
    }

    /// Notes that all pending changes are in replies.
    func noteCaughtUp() {
        guard activity.newsSince != 0, !asksForNames else { return }
        let latency = MonotonicClock.now() &- activity.newsSince
        activity.newsSince = 0
        activity.noteLatency(latency)
        engine.activity.deltaLatency.note(latency)
    }

    /// Drops the measurement of a reply that the subscriber does not read, since the delay is not the daemon's.
    func noteHeldBack() {
        activity.newsSince = 0
        engine.activity.heldBack &+= 1
    }
}
