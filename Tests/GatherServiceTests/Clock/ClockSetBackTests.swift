// Live queries that follow the time of day, when that is set back.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Glibc
import LinuxSystem
import Metadata
import NIOCore
import Synchronization
import Testing

@testable import GatherService

struct ClockSetBackTests {
    /// A time of day that is two days ahead until a test sets it back. The machine's own cannot be set: no namespace has one.
    private final class TimeOfDay: Sendable {
        private let ahead = Atomic<Int64>(2 * 86_400 * 1_000_000_000)
        private let wakes = Mutex<[@Sendable () -> Void]>([])

        var now: Timestamp {
            Timestamp(nanoseconds: Timestamp.now.nanoseconds + ahead.load(ordering: .sequentiallyConsistent))
        }

        func setBack() { ahead.store(0, ordering: .sequentiallyConsistent) }

        /// Says that the time was set, as the kernel does.
        func tell() { for wake in wakes.withLock({ $0 }) { wake() } }

        @Sendable func watch(_ wake: @escaping @Sendable () -> Void) throws(SystemError) -> ClockWatch {
            wakes.withLock { $0.append(wake) }
            return try ClockWatch(wake: wake)
        }
    }

    /// Runs `body` with a live query for what was modified in the last day. By a clock that is ahead nothing was.
    private static func run(
        watches: Bool, interval: TimeAmount, _ body: (DaemonFixture, Subscriber, TimeOfDay) async throws -> Void
    ) async throws {
        let timeOfDay = TimeOfDay()
        let directory = try TemporaryDirectory()
        try directory.write("", to: "tree/before")
        var limits = ServiceLimits()
        limits.clockInterval = interval
        try await DaemonFixture.run(
            directory: directory, limits: limits,
            adjust: { options in
                options.timeOfDay = { timeOfDay.now }
                if watches {
                    options.watchClock = { wake throws(SystemError) in try timeOfDay.watch(wake) }
                } else {
                    options.watchClock = { _ throws(SystemError) in throw SystemError(code: ENOSYS) }
                }
            }
        ) { daemon in
            let subscriber = try await Subscriber(
                daemon, .init(predicate: "modified > $time.now(-86400)", attributes: ["name", "path"]))
            try await subscriber.gather()
            #expect(subscriber.items.isEmpty)
            try await body(daemon, subscriber, timeOfDay)
            #expect(subscriber.violations.isEmpty)
            await subscriber.close()
        }
    }

    private static func names(_ subscriber: Subscriber) -> Set<String> {
        Set(subscriber.values.values.compactMap(\.name))
    }

    @Test func itemsThatMatchAgainAreToldWithoutAnyChange() async throws {
        try await Self.run(watches: true, interval: .hours(1)) { _, subscriber, timeOfDay in
            timeOfDay.setBack()
            timeOfDay.tell()
            while subscriber.items.isEmpty { try await subscriber.next() }
            #expect(Self.names(subscriber) == ["before"])
        }
    }

    @Test func filesMadeAfterwardsAreTold() async throws {
        try await Self.run(watches: false, interval: .hours(1)) { daemon, subscriber, timeOfDay in
            timeOfDay.setBack()
            try daemon.directory.write("", to: "tree/after")
            while subscriber.items.count < 2 { try await subscriber.next() }
            #expect(Self.names(subscriber) == ["before", "after"])
        }
    }

    @Test func aClockThatCannotBeWatchedIsLookedAtNowAndThen() async throws {
        try await Self.run(watches: false, interval: .milliseconds(5)) { _, subscriber, timeOfDay in
            timeOfDay.setBack()
            while subscriber.items.isEmpty { try await subscriber.next() }
            #expect(Self.names(subscriber) == ["before"])
        }
    }
}
