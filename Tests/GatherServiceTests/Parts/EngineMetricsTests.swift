// Callers that do not see everything get no metric that reveals more.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import GatherProtocol
import Metadata
import Testing

@testable import GatherService

struct EngineMetricsTests {
    private final class Source: EngineMetrics.Source {
        var counters = WatchCounters()
        var eventQueue = (bytes: 1, limit: 2)
        var watches: (count: Int, limit: Int?) = (3, nil)
        var waitingLookUps = 4
        var activity = ServiceActivity()
        var liveQueries = (count: 5, pendingItems: 6, pendingBytes: 7)
        var clockTimers: UInt64 = 8
        var itemCount = 9
        var containerCount = 10
        var persistence: EngineMetrics.Persistence?

        func state(of record: ContainerRecord) -> WatchState {
            record.identifier == "a" ? .live : .unavailable(reason: "gone")
        }

        func figures(of record: ContainerRecord) -> ContainerFigures {
            var figures = ContainerFigures()
            figures.directories = Int(record.number) * 100
            return figures
        }
    }

    private let source = Source()

    private func metrics(_ add: (EngineMetrics, inout MetricList) -> Void) -> [Metric] {
        var list = MetricList()
        add(EngineMetrics(source), &list)
        return list.metrics
    }

    private func value(_ name: String, _ metrics: [Metric]) -> Double? {
        metrics.first { $0.name == "gatherd_" + name }?.value
    }

    private func activity() -> [Metric] { metrics { $0.addActivity(to: &$1, connections: 11) } }

    private func containers(isWhole: Bool) throws -> [Metric] {
        let records = try ["a", "b"].enumerated().map { place, identifier in
            let configuration = try ContainerConfiguration(
                identifier: identifier, path: "/none/" + identifier, origin: .runtime)
            return ContainerRecord(number: UInt32(place + 1), configuration: configuration)
        }
        return metrics { $0.addContainers(records, items: [7, 8], isWhole: isWhole, to: &$1) }
    }

    @Test func theSourceIsMeasured() {
        source.counters.eventsRead = 12
        source.activity.noteQuestion(QueryInterface.Count.name)
        source.activity.noteReply(items: 13)
        source.activity.noteHeldBack()
        let metrics = activity()
        let expected: [(String, Double?)] = [
            ("events_read_total", 12), ("queue_bytes", 1), ("queue_limit", 2), ("watches", 3), ("watch_limit", nil),
            ("look_ups_waiting", 4), ("live_queries", 5), ("pending_changes", 6), ("pending_changes_bytes", 7),
            ("clock_timers_total", 8), ("items", 9), ("containers", 10), ("connections", 11), ("deltas_total", 1),
            ("delta_items_total", 13), ("deltas_held_back_total", 1),
        ]
        for (name, number) in expected { #expect(value(name, metrics) == number, "\(name)") }
        let asked = metrics.filter { $0.name == "gatherd_questions_total" && $0.value == 1 }
        #expect(asked.map { $0.labels?.first?.value } == ["Count"])
        source.watches.limit = 14
        #expect(value("watch_limit", activity()) == 14)
    }

    @Test func aDaemonThatSavesNothingHasNoMetricsOfIt() {
        let names = Set(activity().map(\.name))
        #expect(!names.contains("gatherd_journal_bytes") && !names.contains("gatherd_snapshots_total"))
        source.persistence = EngineMetrics.Persistence(
            journalBytes: 1, isSuspended: true, saved: 2, failed: 3, duration: 4_000_000_000, time: nil)
        let expected: [(String, Double?)] = [
            ("journal_bytes", 1), ("changes_unsaved", 1), ("snapshots_total", 2), ("snapshot_failures_total", 3),
            ("snapshot_duration_seconds", 4), ("snapshot_timestamp_seconds", nil),
        ]
        for (name, number) in expected { #expect(value(name, activity()) == number, "\(name)") }
        source.persistence?.time = Timestamp(nanoseconds: 5_000_000_000)
        #expect(value("snapshot_timestamp_seconds", activity()) == 5)
    }

    @Test func aCallerThatDoesNotSeeEverythingGetsStatesAndItems() throws {
        let names = Set(try containers(isWhole: false).map(\.name))
        #expect(names == ["gatherd_container_state", "gatherd_container_items"])
        #expect(Set(try containers(isWhole: true).map(\.name)).isStrictSuperset(of: names))
    }

    @Test func eachContainerHasItsValues() throws {
        let metrics = try containers(isWhole: true)
        func values(_ name: String) -> [String] {
            metrics.filter { $0.name == "gatherd_container_" + name }.map { metric in
                "\(metric.labels?.map(\.value).joined(separator: " ") ?? "") \(Int(metric.value))"
            }
        }
        #expect(values("items") == ["a 7", "b 8"] && values("directories") == ["a 100", "b 200"])
        #expect(values("state").filter { $0.hasSuffix(" 1") } == ["a live 1", "b unavailable 1"])
        #expect(values("live_queries") == ["a 0", "b 0"])
    }
}
