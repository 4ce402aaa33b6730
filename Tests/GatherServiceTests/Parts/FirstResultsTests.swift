// The first phase of a live query gives back its wait and its turn, whenever it ends.
// SPDX-License-Identifier: Apache-2.0

import LiveQueries
import Testing

@testable import FileWatching
@testable import GatherService

struct FirstResultsTests {
    private let queue = TurnQueue(atOnce: 1, perUser: 1)

    private static func waiter() -> Waiter {
        Waiter(barrier: Barrier(position: 0), numbers: [], needsSettled: true, xattrs: [], completion: { _ in })
    }

    /// A turn that has come, behind which others wait.
    private func turn() -> TurnQueue.Place { queue.enter(user: 1) { _ in } }

    @Test func theEndLetsGoOfAWait() {
        var first = FirstResults()
        let waiter = Self.waiter()
        first.wait(waiter)
        let ended = first.end()
        #expect(ended.waiter === waiter && ended.turn == nil)
        #expect(first.end().waiter == nil, "once")
    }

    @Test func aWaitThatWasDoneAtOnceHidesNoLaterOne() {
        var first = FirstResults()
        let (done, later) = (Self.waiter(), Self.waiter())
        first.wait(later)
        done.isDone = true
        first.wait(done)
        #expect(first.end().waiter === later)
        first.wait(Self.waiter())
        first.waitIsOver()
        #expect(first.end().waiter == nil)
    }

    @Test func theEndLeavesATurnThatIsWaitedFor() throws {
        let before = turn()
        var first = FirstResults()
        #expect(!first.hasTurn)
        first.awaitTurn(in: .costly)
        first.take(turn())
        #expect(first.hasTurn && first.lane == .costly && queue.waitingCount == 1)
        let turn = try #require(first.end().turn)
        turn.leave()
        #expect(queue.waitingCount == 0 && !first.hasTurn)
        before.leave()
    }

    @Test func aScanHasItsTurnUntilItHasEnded() throws {
        var first = FirstResults()
        first.take(turn())
        let scanGuard = ScanGuard(nanoseconds: 1)
        first.beginScan(scanGuard)
        #expect(first.isAway && first.hasTurn && scanGuard.ended == .going)
        #expect(first.end().turn == nil && scanGuard.ended == .cancelled)
        var next = 0
        queue.enter(user: 2) { _ in next += 1 }
        #expect(next == 0)
        let scanTurn = first.endScan()
        try #require(scanTurn).leave()
        #expect(next == 1 && !first.isAway && !first.hasTurn)
    }

    @Test func aScanThatHasEndedIsNotCancelled() {
        var first = FirstResults()
        let scanGuard = ScanGuard(nanoseconds: 1)
        first.beginScan(scanGuard)
        #expect(first.endScan() == nil && !first.isAway)
        _ = first.end()
        #expect(scanGuard.ended == .going)
    }

    @Test func repliesGoByTheSizeOfTheLast() {
        var first = FirstResults()
        let items = first.beginReply()
        #expect(first.isAway && items > 0)
        first.endReply(items: items, bytes: items * Limits.replyBytes)
        #expect(!first.isAway && first.beginReply() == 1, "each item fills a reply")
        first.endReply(items: 1, bytes: 1)
        #expect(first.beginReply() == Limits.itemsPerReply)
    }
}
