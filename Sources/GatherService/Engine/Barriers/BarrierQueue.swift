// Callers that wait for barriers, for containers to settle, and for updates off the event loop.
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Calls each caller once when it need not wait any longer, or when its time is over. Event loop only.
final class BarrierQueue {
    private let loop: any EventLoop
    private var waiters: [Waiter] = []
    /// Calls that wait for live queries to catch up.
    private var flushes: [(isDue: () -> Bool, completion: () -> Void)] = []

    init(loop: any EventLoop) { self.loop = loop }

    /// Has a question wait until ``resolve(settling:isUnready:)`` finds it ready, for at most `timeout`. `late` returns the containers
    /// that it waits for, and is called when the time is over.
    func add(_ waiter: Waiter, timeout: TimeAmount?, late: @escaping (Waiter) -> [ContainerRecord]) {
        waiters.append(waiter)
        guard let timeout else { return }
        let bound = NIOLoopBound((self, waiter, late), eventLoop: loop)
        waiter.timeout = loop.scheduleTask(in: timeout) {
            let (queue, waiter, late) = bound.value
            guard !waiter.isDone else { return }
            let containers = late(waiter)
            queue.cancel(waiter)
            waiter.completion(containers)
        }
    }

    /// Lets go of a question whose asker is gone.
    func cancel(_ waiter: Waiter) {
        waiter.isDone = true
        waiter.timeout?.cancel()
        waiters.removeAll { $0 === waiter }
    }

    /// Answers the questions that need not wait any longer. Ten thousand may wait for one crawl, so those that wait for a
    /// container that is still being read are passed over without a closer look.
    func resolve(settling: @autoclosure () -> Set<UInt32>, isUnready: (Waiter) -> Bool) {
        guard !waiters.isEmpty else { return }
        let settling = settling()
        let ready = waiters.filter { waiter in
            !(waiter.needsSettled && !waiter.numbers.isDisjoint(with: settling)) && !isUnready(waiter)
        }
        guard !ready.isEmpty else { return }
        for waiter in ready { waiter.isDone = true }
        waiters.removeAll { $0.isDone }
        for waiter in ready {
            waiter.timeout?.cancel()
            waiter.completion([])
        }
    }

    // MARK: Updates off the event loop

    /// Calls `completion` once live queries have caught up, of which `isDue` is true from then on: at once if they have.
    func whenCaughtUp(_ isDue: @escaping () -> Bool, _ completion: @escaping () -> Void) {
        if isDue() { return completion() }
        flushes.append((isDue, completion))
    }

    /// Makes the calls that are due, after updates of live queries.
    func resumeFlushes() {
        var due: [() -> Void] = []
        flushes.removeAll { flush in
            guard flush.isDue() else { return false }
            due.append(flush.completion)
            return true
        }
        for completion in due { completion() }
    }
}
