// Users take turns, however much one of them asks for.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOEmbedded
import Testing

@testable import GatherService

@Suite struct TurnQueueTests {
    @Test func beginsAtOnceWhereThereIsRoom() {
        let queue = TurnQueue(atOnce: 2, perUser: 2)
        var begun: [String] = []
        let first = queue.enter(user: 1) { _ in begun.append("a") }
        queue.enter(user: 1) { _ in begun.append("b") }
        let third = queue.enter(user: 1) { _ in begun.append("c") }
        #expect(begun == ["a", "b"])
        #expect(third.isWaiting)
        first.leave()
        first.leave()
        #expect(begun == ["a", "b", "c"])
    }

    @Test func usersTakeTurns() {
        let queue = TurnQueue(atOnce: 1, perUser: 1)
        var begun: [String] = []
        var places: [TurnQueue.Place] = []
        for number in 0..<3 {
            queue.enter(user: 1) {
                begun.append("1.\(number)")
                places.append($0)
            }
        }
        for user in [2, 3] as [UInt32] {
            queue.enter(user: user) {
                begun.append("\(user)")
                places.append($0)
            }
        }
        var next = 0
        while next < places.count {
            places[next].leave()
            next += 1
        }
        #expect(begun == ["1.0", "1.1", "2", "3", "1.2"])
        #expect(queue.waitingCount == 0)
    }

    @Test func oneUserNeverHasAllOfIt() {
        let queue = TurnQueue(atOnce: 4, perUser: 1)
        var begun: [UInt32] = []
        for user in [1, 1, 1, 2, 2, 3] as [UInt32] { queue.enter(user: user) { _ in begun.append(user) } }
        #expect(begun == [1, 2, 3])
        #expect(queue.waitingCount == 3)
    }

    @Test func callersThatGiveUpArePassedOver() {
        let queue = TurnQueue(atOnce: 1, perUser: 1)
        var begun: [Int] = []
        let places = (0..<4).map { number in queue.enter(user: UInt32(number % 2)) { _ in begun.append(number) } }
        places[1].giveUp()
        places[2].giveUp()
        // It has begun, and is not given up.
        places[0].giveUp()
        #expect(begun == [0])
        places[0].leave()
        #expect(begun == [0, 3])
    }

    /// Ten thousand may come and go while one would wait.
    @Test func nothingIsKeptOfCallersThatNoLongerWait() {
        final class Caller { var wasTold = false }
        let loop = EmbeddedEventLoop()
        let queue = TurnQueue(atOnce: 1, perUser: 1)
        let first = queue.enter(user: 1) { _ in }
        let places = (0..<3).map { _ in queue.enter(user: 1) { _ in } }
        weak var gone: Caller?
        weak var begun: Caller?
        let late = Caller()
        do {
            let callers = [Caller(), Caller(), late]
            (begun, gone) = (callers[0], callers[1])
            for (place, caller) in zip(places, callers) {
                place.limitWaiting(to: .seconds(30), on: loop) { caller.wasTold = true }
            }
        }
        #expect(begun != nil && gone != nil)
        places[1].giveUp()
        #expect(gone == nil)
        first.leave()
        #expect(begun == nil)
        loop.advanceTime(by: .seconds(30))
        #expect(late.wasTold)
    }

    @Test func callersThatLeaveAtOnceLetAllIn() {
        let queue = TurnQueue(atOnce: 1, perUser: 1)
        var count = 0
        for _ in 0..<10_000 {
            queue.enter(user: 7) { place in
                count += 1
                place.leave()
            }
        }
        #expect(count == 10_000)
    }

    @Test func descriptorsBoundConnections() {
        #expect(OpenFiles.connections(16_384, descriptors: 65_536) == 16_384)
        #expect(OpenFiles.connections(16_384, descriptors: 4_096) == 4_096 - Limits.otherDescriptors)
        #expect(OpenFiles.connections(16_384, descriptors: 256) == 128)
        #expect(OpenFiles.connectionsPerUser(4_096, of: 16_384, wanted: 16_384) == 4_096)
        #expect(OpenFiles.connectionsPerUser(4_096, of: 3_584, wanted: 16_384) == 896)
        #expect(OpenFiles.connectionsPerUser(3, of: 3_584, wanted: 16_384) == 3)
    }
}
