// One timer for the nearest moment of all containers, and one moment for all live queries.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import Metadata
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import GatherService

struct ClockFollowerTests {
    /// A container whose items leave at given moments.
    private final class Followed: ClockFollowing {
        var isHeldAtMoment = false
        var followsClock = true
        var moments: [Int64]
        var last: Timestamp?
        var nextMoment: Int64? { moments.first }
        func isAhead(of now: Timestamp) -> Bool { last.map { $0 > now } ?? false }

        init(_ moments: [Int64]) { self.moments = moments }

        func bring(to moment: Timestamp) {
            last = moment
            moments.removeAll { $0 <= moment.nanoseconds }
        }
    }

    /// A follower on a loop and a time of day that the test sets.
    private final class Clock {
        let loop = EmbeddedEventLoop()
        let time = Time()
        var due = 0
        var failures = 0
        private(set) lazy var follower = ClockFollower(
            loop: loop, interval: .seconds(60), timeOfDay: { [time] in time.now },
            startWatch: { _ throws(SystemError) in throw SystemError(code: EMFILE) },
            isDue: { [unowned self] in due += 1 }, isSet: {}, hasFailed: { [unowned self] _ in failures += 1 })

        func follow(_ containers: [Followed]) { follower.follow(containers) { $0.bring(to: $1) } }
    }

    private final class Time: Sendable {
        private let nanoseconds = Mutex<Int64>(0)
        var now: Timestamp {
            get { Timestamp(nanoseconds: nanoseconds.withLock { $0 }) }
            set { nanoseconds.withLock { $0 = newValue.nanoseconds } }
        }
    }

    private static let second: Int64 = 1_000_000_000

    @Test func allContainersAreBroughtToOneMoment() {
        let clock = Clock()
        let containers = [Followed([2 * Self.second]), Followed([5 * Self.second])]
        clock.follow(containers)
        clock.follow(containers)
        #expect(clock.follower.timersSet == 1)
        clock.time.now = Timestamp(nanoseconds: 3 * Self.second)
        clock.loop.advanceTime(by: .seconds(2))
        #expect(clock.due == 1)
        clock.follow(containers)
        #expect(containers.map(\.last) == [clock.time.now, clock.time.now])
        #expect(clock.follower.moment == clock.time.now)
        #expect(clock.follower.timersSet == 2)
        clock.loop.advanceTime(by: .seconds(2))
        #expect(clock.due == 2)
    }

    @Test func withoutSuchQueriesNothingIsDone() {
        let clock = Clock()
        let container = Followed([])
        container.followsClock = false
        clock.follow([container])
        clock.loop.advanceTime(by: .hours(1))
        #expect(clock.due == 0 && clock.failures == 0 && clock.follower.timersSet == 0 && container.last == nil)
    }

    @Test func withoutAWatchTheTimeOfDayIsLookedAt() {
        let clock = Clock()
        clock.follow([Followed([])])
        clock.follow([Followed([])])
        #expect(clock.failures == 1, "it is tried once")
        clock.loop.advanceTime(by: .seconds(60))
        #expect(clock.due == 1)
    }

    @Test func queriesThatAreAheadAreBroughtBack() {
        let clock = Clock()
        let container = Followed([9 * Self.second])
        clock.time.now = Timestamp(nanoseconds: 4 * Self.second)
        clock.follow([container])
        #expect(clock.follower.latest == clock.time.now)
        container.moments = []
        clock.time.now = Timestamp(nanoseconds: Self.second)
        #expect(clock.follower.latest.nanoseconds == 4 * Self.second)
        clock.follow([container])
        #expect(container.last == clock.time.now)
    }

    @Test func aContainerWhoseChangesWaitStaysAtItsMoment() {
        let clock = Clock()
        let container = Followed([Self.second])
        container.isHeldAtMoment = true
        clock.time.now = Timestamp(nanoseconds: 2 * Self.second)
        clock.follow([container])
        #expect(container.last == nil && clock.follower.timersSet == 0)
    }

    @Test func aTimerEndsWithTheLastMoment() {
        let clock = Clock()
        let container = Followed([Self.second])
        clock.follow([container])
        container.moments = []
        container.followsClock = false
        clock.follow([container])
        clock.loop.advanceTime(by: .hours(1))
        #expect(clock.due == 0)
    }
}
