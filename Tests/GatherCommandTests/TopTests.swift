// The live view: its figures, its rows at any size, and its keys.
// SPDX-License-Identifier: Apache-2.0

import GatherKit
import Testing

@testable import gather

struct TopTests {
    private typealias Label = DaemonMetric.Label

    /// The metrics of a daemon that has been at work for so many seconds.
    private func metrics(
        _ seconds: Double, containers: [String] = ["box"],
        queries: [(number: Int, predicate: String, items: Double)] = [],
        latencies: [Double] = [0, 0, 0], started: Double = 5
    ) -> [DaemonMetric] {
        func value(_ name: String, _ value: Double, _ labels: [Label] = []) -> DaemonMetric {
            DaemonMetric(name: "gatherd_" + name, value: value, kind: .gauge, labels: labels)
        }
        var metrics = [
            value("build_info", 1, [Label("version", "9.9")]), value("start_time_seconds", started),
            value("events_read_total", 100 * seconds), value("look_ups_total", 50 * seconds),
            value("delta_items_total", 7 * seconds),
            value("deltas_total", seconds), value("queue_bytes", 4_096), value("queue_overflows_total", 0),
            value("items", 1_234_567),
            value("live_queries", Double(queries.count)), value("resident_memory_bytes", 30e6),
            value("cpu_seconds_total", seconds / 10),
            value("watches", 101), value("watch_limit", 50_000), value("connections", 3),
        ]
        for (bound, count) in zip(["0.001", "0.01", "+Inf"], latencies) {
            metrics.append(value("delta_latency_seconds_bucket", count, [Label("le", bound)]))
        }
        for container in containers {
            metrics.append(value("container_state", 1, [Label("container", container), Label("state", "live")]))
            metrics.append(value("container_state", 0, [Label("container", container), Label("state", "crawling")]))
            metrics.append(value("container_items", 10, [Label("container", container)]))
            metrics.append(value("container_changes_total", 3 * seconds, [Label("container", container)]))
        }
        for query in queries {
            let label = Label("query", "\(query.number)")
            metrics.append(
                value(
                    "live_query_info", 1,
                    [label, Label("user", "1000"), Label("process", "42"), Label("predicate", query.predicate)]))
            metrics.append(value("live_query_delta_items_total", query.items * seconds, [label]))
            metrics.append(value("live_query_delta_latency_seconds_count", seconds, [label]))
            metrics.append(value("live_query_delta_latency_seconds_sum", 0.002 * seconds, [label]))
        }
        return metrics
    }

    private func sample(_ seconds: Double, _ metrics: [DaemonMetric]) -> TopSample {
        TopSample(metrics, time: UInt64(seconds * 1e9))
    }

    @Test func `Rates are what counters grew by in a second`() throws {
        var model = TopModel()
        let queries = [(number: 4, predicate: "p", items: 2.0)]
        model.add(sample(10, metrics(10, queries: queries)))
        #expect(!model.hasRates && model.rate("events_read_total") == nil)
        model.add(sample(10.5, metrics(10.5, queries: queries)))
        #expect(model.rate("events_read_total") == 100)
        #expect(model.value(of: .lookUps) == 50)
        #expect(model.value(of: .queue) == 4_096)
        #expect(model.rate("no_such_thing") == nil)
        let container = try #require(model.containers.first)
        #expect(container.identifier == "box" && container.state == "live" && container.items == 10)
        #expect(container.changes == 3 && container.lookUps == nil)
        let query = try #require(model.queries.first)
        #expect(query.number == 4 && query.items == 2 && query.process == "42")
        #expect(abs((query.latency ?? 0) - 0.002) < 1e-9)
        // One that was started anew counts from nothing.
        model.add(sample(11, metrics(0.1, started: 10.9)))
        #expect(!model.hasRates)
        model.add(sample(12, metrics(1.1, started: 10.9)))
        #expect(abs((model.rate("events_read_total") ?? 0) - 100) < 1e-6)
    }

    @Test func `Latencies lie where the steps say`() {
        let before = sample(1, metrics(1, latencies: [5, 5, 5]))
        #expect(before.latency(0.5, since: before) == nil)
        let after = sample(2, metrics(2, latencies: [5 + 50, 5 + 100, 5 + 100]))
        func isNear(_ value: Double?, _ expected: Double) -> Bool { abs((value ?? -1) - expected) < 1e-9 }
        #expect(isNear(after.latency(0.25, since: before), 0.0005))
        #expect(isNear(after.latency(0.5, since: before), 0.001))
        #expect(isNear(after.latency(0.75, since: before), 0.0055))
        #expect(isNear(after.latency(1, since: before), 0.01))
        let beyond = sample(3, metrics(3, latencies: [55, 105, 305]))
        #expect(isNear(beyond.latency(0.99, since: after), 0.01), "nothing is known above the last bound")
    }

    @Test func `Whatever the size, no line is too wide and there are not too many`() {
        let names = (0..<12).map { "container-\($0)-漢字-\u{1B}[31m" }
        let queries = (1...30).map {
            (number: $0, predicate: "name == '漢字\n\u{1B}]0;x\u{7}' AND size > \($0)", items: Double($0))
        }
        var model = TopModel()
        var screen = TopScreen()
        screen.userName = { _ in "someone-with-a-long-name" }
        for seconds in 1...100 {
            model.add(sample(Double(seconds), metrics(Double(seconds), containers: names, queries: queries)))
        }
        for (width, height) in [(80, 24), (200, 50), (40, 10), (20, 5), (10, 3), (1, 1), (300, 8), (61, 100)] {
            for variant in 0..<4 {
                (screen.width, screen.height) = (width, height)
                screen.showsHelp = variant == 1
                screen.message = variant == 2 ? "gatherd cannot be reached at /some/where; trying again" : nil
                screen.queryOffset = variant == 3 ? 1_000 : 0
                let lines = screen.lines(model, socket: "/s").map { $0.map(\.text).joined() }
                #expect(lines.count <= height)
                for line in lines {
                    #expect(DisplayWidth.of(line) <= width, "\(width)x\(height): \(line)")
                    #expect(!line.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F })
                }
                if width >= 40, height >= 10, variant == 0 {
                    #expect(lines.contains { $0.hasPrefix("events/s") && $0.contains("100") && $0.contains("█") })
                    #expect(lines.contains { $0.hasPrefix("p50 / p99") })
                    #expect(lines.contains { $0.hasPrefix("contain") })
                    #expect(lines.contains { $0.hasPrefix("30 ") }, "the busiest first")
                }
                if variant == 2, height > 1, width >= 40 {
                    #expect(lines.last?.hasPrefix("gatherd cannot be reached") == true)
                }
                if variant == 3, height >= 24 { #expect(lines.contains { $0.hasPrefix("1 ") }, "the end of the list") }
            }
        }
    }

    @Test func `A caller who is not told what happens in all sees the rest`() {
        func told(_ seconds: Double) -> [DaemonMetric] {
            let hidden = ["events_read", "look_ups", "delta", "queue", "watch", "container_changes"]
            return metrics(seconds, queries: [(number: 3, predicate: "p", items: 1)]).filter { metric in
                metric.name.hasPrefix("gatherd_live_query") || !hidden.contains { metric.name.contains($0) }
            }
        }
        var model = TopModel()
        for seconds in [1.0, 2, 3] { model.add(sample(seconds, told(seconds))) }
        let lines = TopScreen().lines(model, socket: "/s").map { $0.map(\.text).joined() }
        #expect(!lines.contains { $0.hasPrefix("events/s") || $0.hasPrefix("queue") || $0.hasPrefix("p50") })
        #expect(lines.contains { $0.hasPrefix("box") && $0.contains("live") })
        #expect(lines.contains { $0.hasPrefix("3 ") && $0.hasSuffix("p") })
        #expect(TopScreen().plainLines(model).contains { $0.hasPrefix("box") })
    }

    @Test func `A line for each thing, for a file`() {
        var model = TopModel()
        model.add(sample(1, metrics(1)))
        model.add(sample(2, metrics(2, queries: [(number: 1, predicate: "", items: 1)])))
        let lines = TopScreen().plainLines(model)
        #expect(lines.first == "gatherd 9.9  1,234,567 items in 1 container, 1 live query")
        #expect(lines.contains("events/s  100"))
        #expect(lines.contains { $0.hasPrefix("box") && $0.contains("live") })
        #expect(lines.contains { $0.hasSuffix("(everything)") })
        #expect(lines.allSatisfy { !$0.hasSuffix(" ") && !$0.contains("\u{1B}") })
    }

    @Test func keys() {
        func keys(_ text: String) -> [TopKey] { TopKey.keys(in: Array(text.utf8)) }
        #expect(keys("q") == [.quit])
        #expect(keys("\u{1B}[A\u{1B}[Bx\u{1B}[5~h") == [.move(-1), .move(1), .move(-10), .help])
        #expect(keys("\u{1B}[1;5Cm") == [.order(.size)], "another key's sequence is passed over")
        #expect(keys("\u{1B}").isEmpty && keys("\u{1B}[").isEmpty && keys("\u{1B}[12").isEmpty)
        #expect(keys("amlnr\t+- ").count == 9)
        var screen = TopScreen()
        for key in keys("\u{1B}[Bjj+l") { screen.apply(key) }
        #expect(screen.queryOffset == 0 && screen.order == .latency && screen.interval == 0.5)
        for key in keys("jj\tjr") { screen.apply(key) }
        #expect(screen.queryOffset == 2 && screen.containerOffset == 1 && screen.isReversed)
        for _ in 0..<20 { screen.apply(.faster) }
        #expect(screen.interval == TopScreen.shortestInterval)
    }

    @Test(arguments: [
        (0.0, "0"), (0.004, "0.00"), (0.05, "0.05"), (1.5, "1.50"), (9.999, "10.00"), (12.34, "12.3"), (99.99, "100.0"),
        (1_234.4, "1,234"), (1e18, "-"),
    ])
    func numbers(_ value: Double, _ text: String) { #expect(TopScreen.number(value) == text) }

    @Test(arguments: [(0.000012, "12 µs"), (0.0012, "1.20 ms"), (0.0999, "99.9 ms"), (3.4, "3.40 s")])
    func times(_ value: Double, _ text: String) { #expect(TopScreen.time(value) == text) }
}
