// The kernel is asked for its watches so many times, each time after twice as long.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOEmbedded
import Testing

@testable import GatherService

struct WatchCheckOwnerTests {
    private final class Owner: WatchCheck.Owner {
        var isClosed = false
        var resumedWatches: [Int32] = [1, 2]
        var compared: [(resumed: [Int32], found: [Int32: UInt64])] = []
        var untold = 0
        /// Calls that wait for the kernel's answer.
        var asked: [([Int32: UInt64]?) -> Void] = []

        func compare(_ resumed: [Int32], with found: [Int32: UInt64]) { compared.append((resumed, found)) }
        func watchesAreUnavailable() { untold += 1 }
    }

    private let loop = EmbeddedEventLoop()
    private let owner = Owner()

    init() { WatchCheck(of: owner, loop: loop, after: .seconds(1)) { [owner] in owner.asked.append($0) }.begin() }

    @Test func theResumedWatchesAreComparedWithThoseOfTheKernel() throws {
        loop.advanceTime(by: .milliseconds(999))
        #expect(owner.asked.isEmpty)
        loop.advanceTime(by: .milliseconds(1))
        owner.resumedWatches = [3]
        let answer = try #require(owner.asked.first)
        answer([1: 10])
        #expect(owner.compared.map(\.resumed) == [[1, 2]] && owner.compared.map(\.found) == [[1: 10]])
        loop.advanceTime(by: .hours(1))
        #expect(owner.asked.count == 1 && owner.untold == 0)
    }

    @Test func aSilentKernelIsAskedAgainAfterTwiceTheTime() {
        var time: Int64 = 1
        for number in 1...Limits.watchChecks {
            loop.advanceTime(by: .seconds(time) - .nanoseconds(1))
            #expect(owner.asked.count == number - 1)
            loop.advanceTime(by: .nanoseconds(1))
            #expect(owner.asked.count == number && owner.untold == 0)
            owner.asked.last?(nil)
            time *= 2
        }
        #expect(owner.untold == 1 && owner.compared.isEmpty)
        loop.advanceTime(by: .hours(1_000))
        #expect(owner.asked.count == Limits.watchChecks && owner.untold == 1)
    }

    @Test func afterTheEndTheKernelIsNotAsked() {
        owner.isClosed = true
        loop.advanceTime(by: .hours(1))
        #expect(owner.asked.isEmpty)
    }

    @Test(arguments: [[1: 10], nil] as [[Int32: UInt64]?])
    func afterTheEndAnAnswerCountsForNothing(answer: [Int32: UInt64]?) throws {
        loop.advanceTime(by: .seconds(1))
        owner.isClosed = true
        let tell = try #require(owner.asked.first)
        tell(answer)
        loop.advanceTime(by: .hours(1))
        #expect(owner.compared.isEmpty && owner.untold == 0 && owner.asked.count == 1)
    }
}
