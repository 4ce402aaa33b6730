// A caller that waits for a barrier is called once: when the answer is exact, or when the time is over.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOEmbedded
import Testing

@testable import FileWatching
@testable import GatherService

struct BarrierQueueTests {
    private let loop = EmbeddedEventLoop()

    private final class Calls {
        var late: [Int] = []
    }

    private func waiter(_ numbers: Set<UInt32>, needsSettled: Bool = true, _ calls: Calls) -> Waiter {
        Waiter(barrier: Barrier(position: 0), numbers: numbers, needsSettled: needsSettled, xattrs: []) {
            calls.late.append($0.count)
        }
    }

    @Test func aWaiterIsCalledOnceItIsReady() {
        let (queue, calls) = (BarrierQueue(loop: loop), Calls())
        let waiter = waiter([1], calls)
        queue.add(waiter, timeout: .seconds(1)) { _ in [] }
        queue.resolve(settling: []) { _ in true }
        #expect(calls.late == [] && !waiter.isDone)
        queue.resolve(settling: []) { _ in false }
        #expect(calls.late == [0] && waiter.isDone)
        queue.resolve(settling: []) { _ in false }
        loop.advanceTime(by: .seconds(2))
        #expect(calls.late == [0])
    }

    @Test func waitersForASettlingContainerAreNotLookedAt() {
        let (queue, calls) = (BarrierQueue(loop: loop), Calls())
        for numbers in [[1], [1, 2], [2]] as [Set<UInt32>] {
            queue.add(waiter(numbers, calls), timeout: nil) { _ in [] }
        }
        queue.add(waiter([1], needsSettled: false, calls), timeout: nil) { _ in [] }
        var looked: [Set<UInt32>] = []
        queue.resolve(settling: [1]) {
            looked.append($0.numbers)
            return false
        }
        #expect(looked == [[2], [1]] && calls.late == [0, 0])
    }

    @Test func aLateCallerIsToldTheContainersItWaitedFor() throws {
        let (queue, calls) = (BarrierQueue(loop: loop), Calls())
        let record = ContainerRecord(
            number: 1, configuration: try ContainerConfiguration(identifier: "a", path: "/none", origin: .runtime))
        queue.add(waiter([1], calls), timeout: .seconds(1)) { _ in [record] }
        let cancelled = waiter([1], calls)
        queue.add(cancelled, timeout: .seconds(1)) { _ in [record, record] }
        queue.cancel(cancelled)
        loop.advanceTime(by: .seconds(1))
        #expect(calls.late == [1])
        queue.resolve(settling: []) { _ in false }
        #expect(calls.late == [1])
    }

    @Test func aCompletionMayWaitAgain() {
        let (queue, calls) = (BarrierQueue(loop: loop), Calls())
        let second = waiter([1], calls)
        queue.add(
            Waiter(barrier: Barrier(position: 0), numbers: [1], needsSettled: true, xattrs: []) { _ in
                queue.add(second, timeout: nil) { _ in [] }
            }, timeout: nil
        ) { _ in [] }
        queue.resolve(settling: []) { _ in false }
        #expect(!second.isDone)
        queue.resolve(settling: []) { _ in false }
        #expect(second.isDone)
    }

    @Test func aFlushIsAnsweredWhenItsQueriesHaveCaughtUp() {
        let queue = BarrierQueue(loop: loop)
        var (isCaughtUp, called) = (false, [String]())
        queue.whenCaughtUp({ true }) { called.append("at once") }
        queue.whenCaughtUp({ isCaughtUp }) { called.append("later") }
        queue.whenCaughtUp({ false }) { called.append("never") }
        queue.resumeFlushes()
        #expect(called == ["at once"])
        isCaughtUp = true
        queue.resumeFlushes()
        queue.resumeFlushes()
        #expect(called == ["at once", "later"])
    }
}
