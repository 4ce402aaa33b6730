// Loop iterations follow each other, and leave the loop time for its descriptors.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOEmbedded
import Testing

@testable import GatherService

struct IterationSchedulerTests {
    private let loop = EmbeddedEventLoop()

    private func pause(_ count: Int = 1) -> TimeAmount { IterationScheduler.pause * count }

    @Test func anIterationWithinOneIsDoneAfterIt() {
        var due = 0
        let iterations = IterationScheduler(loop: loop) { due += 1 }
        #expect(iterations.begin())
        #expect(!iterations.begin(), "one is under way")
        iterations.end(hasMore: false, now: 0, deadline: nil)
        loop.advanceTime(by: pause())
        #expect(due == 1)
        #expect(iterations.begin())
        iterations.end(hasMore: false, now: 0, deadline: nil)
        loop.advanceTime(by: .hours(1))
        #expect(due == 1, "nothing was asked for")
    }

    @Test func theTimerIsForTheNewestDeadline() {
        var due = 0
        let iterations = IterationScheduler(loop: loop) { due += 1 }
        for deadline in [5_000_000, 1_000_000, 3_000_000] as [UInt64] {
            #expect(iterations.begin())
            iterations.end(hasMore: false, now: 0, deadline: deadline)
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
        let iterations = IterationScheduler(loop: loop) { due += 1 }
        for number in 1...IterationScheduler.mostInARow {
            #expect(iterations.begin())
            iterations.end(hasMore: true, now: UInt64(number), deadline: nil)
            loop.advanceTime(by: pause())
            #expect(due == min(number, IterationScheduler.mostInARow - 1))
        }
        loop.advanceTime(by: IterationScheduler.longPause)
        #expect(due == IterationScheduler.mostInARow)
    }

    @Test func completionsThatCompletionsAddAreCalledToo() {
        let iterations = IterationScheduler(loop: loop) {}
        var called: [String] = []
        iterations.atEnd {
            called.append("a")
            iterations.atEnd { called.append("c") }
        }
        iterations.atEnd { called.append("b") }
        iterations.complete()
        iterations.complete()
        #expect(called == ["a", "b", "c"])
    }

    @Test func afterTheEndNoIterationBegins() {
        var due = 0
        let iterations = IterationScheduler(loop: loop) { due += 1 }
        #expect(iterations.begin())
        iterations.end(hasMore: true, now: 0, deadline: nil)
        iterations.close()
        loop.advanceTime(by: .hours(1))
        #expect(due == 0)
        #expect(iterations.isClosed && !iterations.begin())
    }
}
