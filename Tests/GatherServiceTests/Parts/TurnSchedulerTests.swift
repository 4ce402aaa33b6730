// Loop iterations follow each other, and leave the loop time for its descriptors.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOEmbedded
import Testing

@testable import GatherService

struct TurnSchedulerTests {
    private let loop = EmbeddedEventLoop()

    private func pause(_ count: Int = 1) -> TimeAmount { TurnScheduler.pause * count }

    @Test func anIterationWithinOneIsDoneAfterIt() {
        var due = 0
        let turns = TurnScheduler(loop: loop) { due += 1 }
        #expect(turns.begin())
        #expect(!turns.begin(), "one is under way")
        turns.end(hasMore: false, now: 0, deadline: nil)
        loop.advanceTime(by: pause())
        #expect(due == 1)
        #expect(turns.begin())
        turns.end(hasMore: false, now: 0, deadline: nil)
        loop.advanceTime(by: .hours(1))
        #expect(due == 1, "nothing was asked for")
    }

    @Test func theTimerIsForTheNewestDeadline() {
        var due = 0
        let turns = TurnScheduler(loop: loop) { due += 1 }
        for deadline in [5_000_000, 1_000_000, 3_000_000] as [UInt64] {
            #expect(turns.begin())
            turns.end(hasMore: false, now: 0, deadline: deadline)
        }
        loop.advanceTime(by: .milliseconds(2))
        #expect(due == 0)
        loop.advanceTime(by: .milliseconds(1))
        #expect(due == 1)
        loop.advanceTime(by: .hours(1))
        #expect(due == 1)
    }

    @Test func manyIterationsInARowArePausedFor() {
        var due = 0
        let turns = TurnScheduler(loop: loop) { due += 1 }
        for number in 1...TurnScheduler.mostInARow {
            #expect(turns.begin())
            turns.end(hasMore: true, now: UInt64(number), deadline: nil)
            loop.advanceTime(by: pause())
            #expect(due == min(number, TurnScheduler.mostInARow - 1))
        }
        loop.advanceTime(by: TurnScheduler.longPause)
        #expect(due == TurnScheduler.mostInARow)
    }

    @Test func completionsThatCompletionsAddAreCalledToo() {
        let turns = TurnScheduler(loop: loop) {}
        var called: [String] = []
        turns.atEnd {
            called.append("a")
            turns.atEnd { called.append("c") }
        }
        turns.atEnd { called.append("b") }
        turns.complete()
        turns.complete()
        #expect(called == ["a", "b", "c"])
    }

    @Test func afterTheEndNoIterationBegins() {
        var due = 0
        let turns = TurnScheduler(loop: loop) { due += 1 }
        #expect(turns.begin())
        turns.end(hasMore: true, now: 0, deadline: nil)
        turns.close()
        loop.advanceTime(by: .hours(1))
        #expect(due == 0)
        #expect(turns.isClosed && !turns.begin())
    }
}
