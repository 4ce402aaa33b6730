// What is measured of a live query: how soon it hears of what happens.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

extension Subscription {
    /// Changes were filed with this query, that an event told which was read at `time`. Of one that has its changes held
    /// for a batch, or that gathers, the wait is as it was asked for.
    func noteNews(read time: UInt64?) {
        guard let time, batch == 0, phase == .live, activity.newsSince == 0 else { return }
        activity.newsSince = time
    }

    /// A reply with changes was made.
    func noteReply(items: Int) {
        activity.noteTold(items: items, now: MonotonicClock.now())
        engine.activity.deltas &+= 1
        engine.activity.deltaItems &+= UInt64(items)
    }

    /// Everything that there was to tell has been made into replies.
    func noteCaughtUp() {
        guard activity.newsSince != 0, !asksForNames else { return }
        let latency = MonotonicClock.now() &- activity.newsSince
        activity.newsSince = 0
        activity.noteLatency(latency)
        engine.activity.deltaLatency.note(latency)
    }

    /// The subscriber does not take what there is: how long that waits says nothing of the daemon.
    func noteHeldBack() {
        activity.newsSince = 0
        engine.activity.heldBack &+= 1
    }
}
