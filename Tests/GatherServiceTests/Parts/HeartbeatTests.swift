// A subscriber that asked for it hears something after so long without a reply.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOEmbedded
import Testing

@testable import GatherService

struct HeartbeatTests {
    private final class Holder {
        var heartbeat: Heartbeat
        let loop = EmbeddedEventLoop()
        var beats = 0
        var timers = 0
        /// Timers that came to their end: one that was cancelled does not, and holds nothing any more.
        var ended = 0

        init(_ milliseconds: Int64?) { heartbeat = Heartbeat(milliseconds: milliseconds) }

        private func schedule(_ deadline: NIODeadline) -> Scheduled<Void> {
            timers += 1
            return loop.scheduleTask(deadline: deadline) {
                self.ended += 1
                guard self.heartbeat.endTimer(liveQueries: 1, now: self.loop.now, self.schedule) else { return }
                self.beats += 1
                self.reply()
            }
        }

        func reply() { heartbeat.noteReply(liveQueries: 1, now: loop.now, schedule) }
    }

    /// An interval that no bound makes longer.
    private static let interval = 10 * Limits.shortestHeartbeat

    private func time(_ tenths: Int64) -> TimeAmount { .milliseconds(Self.interval / 10 * tenths) }

    @Test func itComesAgainAndAgain() {
        let holder = Holder(Self.interval)
        holder.loop.advanceTime(by: time(100))
        #expect(holder.beats == 0, "there was no reply yet")
        holder.reply()
        holder.loop.advanceTime(by: time(10) - .nanoseconds(1))
        #expect(holder.beats == 0)
        holder.loop.advanceTime(by: .nanoseconds(1))
        #expect(holder.beats == 1)
        holder.loop.advanceTime(by: time(20))
        #expect(holder.beats == 3)
    }

    @Test func aReplyPutsItOffWithoutATimerOfItsOwn() {
        let holder = Holder(Self.interval)
        for _ in 0..<9 {
            holder.reply()
            holder.loop.advanceTime(by: time(1))
        }
        #expect(holder.timers == 1 && holder.beats == 0)
        holder.loop.advanceTime(by: time(8))
        #expect(holder.timers == 2 && holder.beats == 0)
        holder.loop.advanceTime(by: time(1))
        #expect(holder.beats == 1)
    }

    @Test func withoutTheWishThereIsNone() {
        let holder = Holder(nil)
        holder.reply()
        holder.loop.advanceTime(by: .hours(1))
        #expect(holder.beats == 0 && holder.timers == 0)
    }

    @Test func afterTheEndThereIsNone() {
        let holder = Holder(Self.interval)
        holder.reply()
        holder.heartbeat.end()
        holder.reply()
        holder.loop.advanceTime(by: .hours(1))
        #expect(holder.beats == 0 && holder.timers == 1 && holder.ended == 0)
    }

    @Test func intervalsAreBounded() {
        #expect(Heartbeat.interval(0, liveQueries: 1) == Limits.shortestHeartbeat)
        #expect(Heartbeat.interval(1, liveQueries: 1) == Limits.shortestHeartbeat)
        #expect(Heartbeat.interval(5_000, liveQueries: 1) == 5_000)
        #expect(Heartbeat.interval(1, liveQueries: 10_000) == 1_000)
        #expect(Heartbeat.interval(5_000, liveQueries: 10_000) == 5_000)
        for heartbeat in [Int64.min, 0, .max] {
            for count in [0, 1, Limits.liveQueries] {
                #expect(Heartbeat.interval(heartbeat, liveQueries: count) >= Limits.shortestHeartbeat)
            }
        }
    }
}
