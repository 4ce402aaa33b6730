// Work that is called within itself is done once more afterwards.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatherService

struct ReentrancyGuardTests {
    /// Work of which each pass does the next thing of a list.
    private final class Worker {
        var advancing = ReentrancyGuard()
        var passes = 0
        var depth = 0
        var mostDepth = 0
        var things: [(Worker) -> Void] = []

        func advance() {
            guard advancing.begin() else { return }
            depth += 1
            mostDepth = max(mostDepth, depth)
            repeat {
                passes += 1
                if !things.isEmpty { things.removeFirst()(self) }
            } while advancing.goesOn()
            depth -= 1
        }

        /// Does something meanwhile that may ask for the work.
        func send(_ body: () -> Void) {
            let wasAtWork = advancing.suspend()
            body()
            if advancing.resume(wasAtWork) { advance() }
        }
    }

    @Test func aCallWithinAPassMakesOneMore() {
        let worker = Worker()
        worker.things = [
            { worker in for _ in 0..<3 { worker.advance() } },
            { worker in worker.advance() },
        ]
        worker.advance()
        #expect(worker.passes == 3 && worker.mostDepth == 1)
        worker.advance()
        #expect(worker.passes == 4, "nothing is left to make good")
    }

    @Test func workIsPutOffWhileItIsSuspended() {
        let worker = Worker()
        worker.send {
            worker.advance()
            #expect(worker.passes == 0)
        }
        #expect(worker.passes == 1)
        worker.send {}
        #expect(worker.passes == 1, "nobody asked for it")
    }

    @Test func aCallWhileAPassHasSuspendedItMakesOneMore() {
        let worker = Worker()
        worker.things = [{ worker in worker.send { worker.advance() } }]
        worker.advance()
        #expect(worker.passes == 2 && worker.mostDepth == 1)
    }
}
