// Short work is done at once, and long work in the user's turn.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOEmbedded
import NIOPosix
import Synchronization
import Testing

@testable import GatherService

struct ScanRunnerTests {
    private struct Failure: Error {}

    @Test func shortWorkIsDoneAtOnce() throws {
        let pool = NIOThreadPool(numberOfThreads: 1)
        let scans = ScanRunner(
            Workload(ServiceLimits()), pool: pool, loop: EmbeddedEventLoop(), rowsOnLoop: 10, servesOthers: false)
        #expect(!scans.leavesLoop(rows: 10, .shared) && scans.leavesLoop(rows: 11, .shared))
        #expect(scans.leavesLoop(rows: 0, .costly) && scans.leavesLoop(rows: 0, .naming))
        var (sum, isFailed) = (0, false)
        scans.run(rows: 10, for: 1, input: 3) {
            $0 += 1
            return $0
        } then: {
            sum = $0
        }
        scans.run(rows: 0, for: 1) { () throws -> Int in
            throw Failure()
        } then: { result in
            if case .failure = result { isFailed = true }
        }
        #expect(sum == 4 && isFailed)
    }

    @Test func longWorkOfAUserWaitsForItsTurn() async throws {
        let pool = NIOThreadPool(numberOfThreads: 2)
        pool.start()
        var limits = ServiceLimits()
        limits.scansPerUser = 1
        let loop = NIOSingletons.posixEventLoopGroup.any()
        let atOnce = Mutex((now: 0, most: 0))
        try await loop.flatSubmit { [limits] in
            let scans = ScanRunner(
                Workload(limits), pool: pool, loop: loop, rowsOnLoop: 0, servesOthers: false)
            let promises = (0..<8).map { _ in loop.makePromise(of: Void.self) }
            for promise in promises {
                scans.run(rows: 1, for: 1) {
                    atOnce.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                    atOnce.withLock { $0.now -= 1 }
                } then: {
                    promise.completeWith($0)
                }
            }
            return EventLoopFuture.andAllSucceed(promises.map(\.futureResult), on: loop)
        }.get()
        #expect(atOnce.withLock { $0.most } == 1)
        try await pool.shutdownGracefully()
    }
}
