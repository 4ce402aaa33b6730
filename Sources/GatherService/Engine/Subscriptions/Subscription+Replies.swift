// The replies of a live query, and the heartbeat where there are none for long.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import NIOCore
import Varlink

extension Subscription {
    /// Sends what the writer holds. It is in use until the call returns, so nothing else may be written meanwhile.
    func sendWriter() {
        let wasAdvancing = isAdvancing
        isAdvancing = true
        call.reply(writer, continues: true)
        isAdvancing = wasAdvancing
        restartHeartbeat()
        if !wasAdvancing, mustAdvanceAgain { advance() }
    }

    func send(_ bytes: JSONBytes) {
        call.reply(bytes, continues: true)
        restartHeartbeat()
    }

    /// The timer is not cancelled for each reply, which would cost a search among all timers: it looks when the last reply
    /// was, and sleeps for the rest.
    private func restartHeartbeat() {
        guard let heartbeat, phase != .ended else { return }
        lastReply = .now()
        if heartbeatTimer == nil { sleep(until: lastReply + .milliseconds(interval(heartbeat))) }
    }

    /// How many milliseconds a heartbeat takes that a subscriber asked for, who has so many live queries.
    static func interval(_ heartbeat: Int64, liveQueries: Int) -> Int64 {
        max(heartbeat, Limits.shortestHeartbeat, Int64(liveQueries) * 1_000 / Limits.heartbeatsPerSecond)
    }

    private func interval(_ heartbeat: Int64) -> Int64 {
        Subscription.interval(heartbeat, liveQueries: engine.subscriptions.count(of: peer.userID))
    }

    private func sleep(until deadline: NIODeadline) {
        let subscription = NIOLoopBound(self, eventLoop: engine.loop)
        heartbeatTimer = engine.loop.scheduleTask(deadline: deadline) { subscription.value.heartbeatIsDue() }
    }

    private func heartbeatIsDue() {
        heartbeatTimer = nil
        guard let heartbeat, phase != .ended else { return }
        let due = lastReply + .milliseconds(interval(heartbeat))
        if due > .now() { sleep(until: due) } else { sendAlive() }
    }

    private func sendAlive() {
        guard phase != .ended else { return }
        // A reader that is behind hears enough; more bytes would only pile up.
        guard call.isWritable else { return restartHeartbeat() }
        writer.removeAll()
        writer.beginObject()
        writer.field("event", "alive")
        if phase == .live, isToldAll { writer.field("clock", clock.text) }
        writer.endObject()
        sendWriter()
    }
}
