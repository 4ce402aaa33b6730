// The heartbeat of a live query, where there are no replies for long.
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Tells when a subscriber that asked for a heartbeat gets one: after so long without a reply. Without such a wish there is no timer.
///
/// The timer is not cancelled for each reply, which would cost a search among all timers: it looks when the last reply was, and sleeps
/// for the rest.
struct Heartbeat {
    /// Nil without a heartbeat, and after the end.
    private var milliseconds: Int64?
    private var timer: Scheduled<Void>?
    private var lastReply = NIODeadline.uptimeNanoseconds(0)

    /// - Parameter milliseconds: the interval that the subscriber asked for; nil for no heartbeat.
    init(milliseconds: Int64?) { self.milliseconds = milliseconds }

    /// Returns the interval for a subscriber that asked for one, and has so many live queries, in milliseconds.
    static func interval(_ milliseconds: Int64, liveQueries: Int) -> Int64 {
        max(milliseconds, Limits.shortestHeartbeat, Int64(liveQueries) * 1_000 / Limits.heartbeatsPerSecond)
    }

    /// Notes a reply of now. `schedule` sets a timer, at whose end ``endTimer(liveQueries:now:_:)`` is to be asked.
    mutating func noteReply(
        liveQueries: @autoclosure () -> Int, now: @autoclosure () -> NIODeadline = .now(),
        _ schedule: (NIODeadline) -> Scheduled<Void>
    ) {
        guard let milliseconds else { return }
        lastReply = now()
        guard timer == nil else { return }
        let interval = Heartbeat.interval(milliseconds, liveQueries: liveQueries())
        timer = schedule(lastReply + .milliseconds(interval))
    }

    /// Returns whether a heartbeat is due at the end of the timer. If there was a reply meanwhile, the timer is set anew.
    mutating func endTimer(
        liveQueries: Int, now: NIODeadline = .now(), _ schedule: (NIODeadline) -> Scheduled<Void>
    ) -> Bool {
        timer = nil
        guard let milliseconds else { return false }
        let due = lastReply + .milliseconds(Heartbeat.interval(milliseconds, liveQueries: liveQueries))
        guard due > now else { return true }
        timer = schedule(due)
        return false
    }

    /// Ends it: no heartbeat is due any more.
    mutating func end() {
        milliseconds = nil
        timer?.cancel()
        timer = nil
    }
}
