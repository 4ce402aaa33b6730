// Live queries that follow the time of day: one timer for all of them, and none that waits too long.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Glibc
import NIOCore
import Testing

@testable import GatherService

struct ClockTimerTests {
    private func metrics(_ daemon: DaemonFixture) async throws -> [Metric] {
        try await daemon.call(ServiceInterface.Metrics.self, .init(liveQueries: 1_000)).metrics
    }

    /// How many timers were set.
    private func timers(_ daemon: DaemonFixture) async throws -> Int {
        let metrics = try await metrics(daemon)
        return Int(try #require(metrics.first { $0.name == "gatherd_clock_timers_total" }?.value))
    }

    @Test func `Many queries have one timer, for the nearest moment of all`() async throws {
        let directory = try TemporaryDirectory()
        let queries = 100
        try await DaemonFixture.run(directory: directory) { daemon in
            var subscribers: [Subscriber] = []
            for number in 0..<queries {
                // Half of the queries have the same moment, and the others one each.
                let seconds = number % 2 == 0 ? 2 : 3_600 + number
                let subscriber = try await Subscriber(daemon, .init(predicate: "modified > $time.now(-\(seconds))"))
                try await subscriber.gather()
                subscribers.append(subscriber)
            }
            let before = try await timers(daemon)
            try directory.write("", to: "tree/a")
            // Somebody asks until the time is over for all that it is over for.
            var matches = queries
            while matches != queries / 2 {
                let present = try await metrics(daemon).filter { $0.name == "gatherd_live_query_matches" }
                #expect(present.count == queries)
                matches = present.count { $0.value > 0 }
                try await daemon.flush()
            }
            // A few: the file is new, its time is over, and a timer may come a little early.
            let after = try await timers(daemon)
            #expect(after > before && after - before < 10, "\(after - before) timers for \(queries) queries")
            for subscriber in subscribers { await subscriber.close() }
        }
    }

    /// A timer goes by a clock that cannot be set: past the limit the time of day is looked at, though nothing is due.
    @Test func `However far the moment is, the time of day is looked at before`() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("", to: "tree/a")
        var limits = ServiceLimits()
        limits.clockInterval = .milliseconds(5)
        try await DaemonFixture.run(directory: directory, limits: limits) { daemon in
            let first = try await timers(daemon)
            #expect(first == 0)
            let subscriber = try await Subscriber(daemon, .init(predicate: "modified > $time.now(-86400)"))
            try await subscriber.gather()
            #expect(subscriber.items.count == 1)
            let before = try await timers(daemon)
            while try await timers(daemon) < before + 3 { try await daemon.flush() }
            await subscriber.close()
            // No subscriber is left that follows it.
            try await daemon.flush()
            while try await metrics(daemon).first(where: { $0.name == "gatherd_live_queries" })?.value != 0 {}
            let last = try await timers(daemon)
            let found = try await daemon.find("modified > $time.now(-86400)")
            #expect(found == ["a"])
            let end = try await timers(daemon)
            #expect(end == last)
        }
    }
}
