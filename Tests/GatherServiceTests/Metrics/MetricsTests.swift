// The metrics count what happens, in the form of OpenMetrics, and tell no user of what others do.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Glibc
import TestSupport
import Testing
import Varlink

@testable import GatherService

struct MetricsTests {
    private func metrics(
        _ daemon: DaemonFixture, liveQueries: Int64? = nil, as user: OtherUser? = nil
    ) async throws -> [Metric] {
        try await daemon.call(ServiceInterface.Metrics.self, .init(liveQueries: liveQueries), as: user).metrics
    }

    private func value(_ name: String, _ metrics: [Metric], _ labels: [String: String] = [:]) -> Double? {
        metrics.first { metric in
            metric.name == "gatherd_" + name
                && labels.allSatisfy { key, value in
                    metric.labels?.contains { $0.name == key && $0.value == value } ?? false
                }
        }?.value
    }

    @Test func countsWhatHappens() async throws {
        let directory = try TemporaryDirectory()
        try await DaemonFixture.run(directory: directory) { daemon in
            let subscriber = try await Subscriber(daemon, .init(predicate: "name BEGINSWITH 'a'"))
            try await subscriber.gather()
            let batched = try await Subscriber(daemon, .init(predicate: "kind == 'file'", batch: 1))
            try await batched.gather()
            let before = try await metrics(daemon, liveQueries: 8)
            for number in 0..<5 { try directory.write("x", to: "tree/a\(number)") }
            try directory.write("x", to: "tree/b")
            try await daemon.flush()
            while subscriber.items.count < 5 { try await subscriber.next() }
            let after = try await metrics(daemon, liveQueries: 8)
            func grew(_ name: String, _ labels: [String: String] = [:]) throws -> Double {
                try #require(value(name, after, labels)) - (try #require(value(name, before, labels)))
            }
            #expect(try grew("events_read_total") >= 6)
            #expect(try grew("look_ups_total") >= 6)
            #expect(try grew("container_changes_total", ["container": "tree"]) >= 6)
            #expect(try grew("container_look_ups_total", ["container": "tree"]) >= 6)
            #expect(try grew("items") == 6)
            #expect(try grew("container_items", ["container": "tree"]) == 6)
            #expect(try grew("delta_items_total") >= 5)
            #expect(try grew("questions_total", ["method": "Flush"]) == 1)
            #expect(try grew("live_query_matches", ["query": "1"]) == 5)
            #expect(value("container_state", after, ["container": "tree", "state": "live"]) == 1)
            #expect(value("container_state", after, ["container": "tree", "state": "crawling"]) == 0)
            #expect(value("live_queries", after) == 2)
            #expect(value("queue_bytes", after) == 0)
            // Each delta of the one that takes changes at once was measured, none of the one whose changes are held.
            let deltas = try #require(value("live_query_deltas_total", after, ["query": "1"]))
            #expect(deltas > 0)
            #expect(value("live_query_delta_latency_seconds_count", after, ["query": "1"]) == deltas)
            #expect(value("live_query_delta_latency_seconds_count", after, ["query": "2"]) == 0)
            #expect(value("delta_latency_seconds_count", after) == deltas)
            #expect(value("delta_latency_seconds_bucket", after, ["le": "+Inf"]) == deltas)
            let longest = try #require(value("live_query_longest_latency_seconds", after, ["query": "1"]))
            let sum = try #require(value("live_query_delta_latency_seconds_sum", after, ["query": "1"]))
            #expect(longest > 0 && longest <= sum && sum < 60)
            #expect(
                after.first { $0.name == "gatherd_live_query_info" && $0.labels?.first?.value == "1" }?.labels?.last
                    == Metric.Label("predicate", "name BEGINSWITH 'a'"))
            await subscriber.close()
            await batched.close()
        }
    }

    @Test func isWellFormed() async throws {
        let directory = try TemporaryDirectory()
        try directory.makeDirectory("tree")
        try directory.makeDirectory("other")
        let containers = ["a": directory.path + "/tree", "b": directory.path + "/other"]
        try await DaemonFixture.run(containers: containers, directory: directory) { daemon in
            let subscriber = try await Subscriber(daemon, .init(predicate: ""))
            try await subscriber.gather()
            let metrics = try await metrics(daemon, liveQueries: 4)
            var finished: Set<String> = []
            var current = ""
            var seen: Set<String> = []
            for metric in metrics {
                #expect(metric.name.wholeMatch(of: /gatherd_[a-z_]+/) != nil)
                #expect(!metric.help.isEmpty && !metric.help.hasSuffix("."))
                let family = metric.name.replacing(/_(total|bucket|count|sum)$/, with: "")
                #expect(metric.unit.isEmpty || family.hasSuffix("_" + metric.unit), "\(metric.name): \(metric.unit)")
                #expect((metric.kind == .counter) == metric.name.hasSuffix("_total"), "\(metric.name)")
                #expect(metric.value.isFinite && metric.value >= 0)
                if family != current {
                    #expect(finished.insert(family).inserted, "\(family) stands in two places")
                    current = family
                }
                let labels = metric.labels?.map { "\($0.name)=\($0.value)" }.sorted() ?? []
                #expect(seen.insert("\(metric.name) \(labels)").inserted, "\(metric.name) \(labels) twice")
            }
            #expect(metrics.count > 60)
            await subscriber.close()
        }
    }

    @Test(arguments: [2, 100]) func theBusiestLiveQueriesComeFirst(measured: Int) async throws {
        let directory = try TemporaryDirectory()
        var limits = ServiceLimits()
        limits.liveQueriesMeasured = measured
        // The load stays what it was.
        limits.loadHalfTime = .max
        try await DaemonFixture.run(directory: directory, limits: limits) { daemon in
            var subscribers: [Subscriber] = []
            for letter in ["a", "b", "c"] {
                let subscriber = try await Subscriber(daemon, .init(predicate: "name BEGINSWITH '\(letter)'"))
                try await subscriber.gather()
                subscribers.append(subscriber)
            }
            for number in 0..<20 { try directory.write("x", to: "tree/b\(number)") }
            try directory.write("x", to: "tree/c")
            try await daemon.flush()
            func numbers(_ count: Int64?) async throws -> [String?] {
                try await metrics(daemon, liveQueries: count).filter { $0.name == "gatherd_live_query_info" }
                    .map { $0.labels?.first?.value }
            }
            #expect(try await numbers(2) == ["2", "3"])
            #expect(try await numbers(100) == (measured == 2 ? ["2", "3"] : ["2", "3", "1"]))
            #expect(try await numbers(.max).count == min(3, measured))
            #expect(try await numbers(nil).isEmpty)
            await #expect(throws: VarlinkClientError.self) { try await numbers(-1) }
            for subscriber in subscribers { await subscriber.close() }
        }
    }

    @Test(.needsRoot("other users")) func othersAreToldOfTheirOwn() async throws {
        let directory = try TemporaryDirectory()
        chmod(directory.path, 0o755)
        for path in ["open", "closed"] { try directory.makeDirectory(path) }
        chmod(directory.path + "/open", 0o755)
        chmod(directory.path + "/closed", 0o700)
        try directory.write("x", to: "open/a")
        try directory.write("x", to: "closed/secret")
        let containers = ["open": directory.path + "/open", "closed": directory.path + "/closed"]
        let user = OtherUser(user: 41_021, group: 42_021)
        try await DaemonFixture.run(containers: containers, directory: directory, isSystem: true) { daemon in
            chmod(daemon.socket, 0o666)
            let ours = try await Subscriber(daemon, .init(predicate: "name == 'secret'"))
            try await ours.gather()
            let theirs = try await Subscriber(daemon, .init(predicate: "name == 'a'"), as: user)
            try await theirs.gather()
            for number in 0..<10 { try directory.write("x", to: "closed/secret\(number)") }
            try await daemon.flush()
            let metrics = try await metrics(daemon, liveQueries: 100, as: user)
            let names = Set(metrics.map { $0.name.replacing(/^gatherd_/, with: "") })
            #expect(
                names == [
                    "build_info", "start_time_seconds", "cpu_seconds_total", "resident_memory_bytes", "connections",
                    "live_queries", "items", "containers", "container_state", "container_items", "live_query_info",
                    "live_query_matches", "live_query_pending_changes", "live_query_deltas_total",
                    "live_query_delta_items_total", "live_query_delta_latency_seconds_count",
                    "live_query_delta_latency_seconds_sum", "live_query_longest_latency_seconds",
                ])
            let texts = metrics.flatMap { $0.labels ?? [] }.map(\.value)
            #expect(!texts.contains { $0.contains("closed") || $0.contains("secret") })
            #expect(
                Set(metrics.filter { $0.name.hasPrefix("gatherd_live_query_") }.compactMap { $0.labels?.first?.value })
                    == ["2"])
            #expect(value("live_queries", metrics) == 1)
            #expect(value("items", metrics) == 1)
            #expect(value("containers", metrics) == 1)
            #expect(
                try await self.metrics(daemon, liveQueries: 9).contains {
                    $0.labels?.contains { $0.value == "closed" } ?? false
                })
            await ours.close()
            await theirs.close()
        }
    }
}
