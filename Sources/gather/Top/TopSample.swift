// The metrics of the daemon at one moment.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit

/// The metrics of the daemon at one moment, sorted into the parts of the view.
struct TopSample {
    struct Container {
        var state = ""
        var values: [String: Double] = [:]
    }

    struct Query {
        var user = ""
        var process = ""
        var predicate = ""
        var values: [String: Double] = [:]
    }

    /// The time, in nanoseconds of a monotonic clock.
    let time: UInt64
    private(set) var version = ""
    /// Values without labels, by their names without `gatherd_`.
    private(set) var values: [String: Double] = [:]
    private(set) var containers: [String: Container] = [:]
    private(set) var queries: [UInt64: Query] = [:]
    /// The buckets of the latency histogram: upper bounds in seconds, with cumulative counts.
    private(set) var latencies: [(bound: Double, count: Double)] = []

    init(_ metrics: [DaemonMetric], time: UInt64) {
        self.time = time
        for metric in metrics where metric.name.hasPrefix("gatherd_") {
            let name = String(metric.name.dropFirst("gatherd_".count))
            if name == "build_info" {
                version = metric.label("version") ?? ""
            } else if let identifier = metric.label("container") {
                if let state = metric.label("state") {
                    if metric.value == 1 { containers[identifier, default: Container()].state = state }
                } else {
                    containers[identifier, default: Container()].values[name] = metric.value
                }
            } else if let number = metric.label("query").flatMap({ UInt64($0) }) {
                var query = queries[number] ?? Query()
                query.values[name] = metric.value
                if name == "live_query_info" {
                    query.user = metric.label("user") ?? ""
                    query.process = metric.label("process") ?? ""
                    query.predicate = metric.label("predicate") ?? ""
                }
                queries[number] = query
            } else if name == "delta_latency_seconds_bucket", let bound = metric.label("le") {
                latencies.append((bound == "+Inf" ? .infinity : Double(bound) ?? .infinity, metric.value))
            } else if metric.labels.isEmpty {
                values[name] = metric.value
            }
        }
    }

    /// The quantile of the latencies since an earlier sample, in seconds; nil if there were none.
    func latency(_ share: Double, since earlier: TopSample?) -> Double? {
        func before(_ place: Int) -> Double {
            guard let earlier, earlier.latencies.indices.contains(place) else { return 0 }
            return earlier.latencies[place].count
        }
        guard let last = latencies.indices.last, latencies[last].count > before(last) else { return nil }
        let wanted = (latencies[last].count - before(last)) * share
        var below = 0.0
        var lower = 0.0
        for (place, step) in latencies.enumerated() {
            let count = step.count - before(place)
            if count >= wanted, count > below {
                // The last bucket has no upper bound.
                guard step.bound.isFinite else { return lower }
                return lower + (step.bound - lower) * (wanted - below) / (count - below)
            }
            below = max(below, count)
            lower = step.bound.isFinite ? step.bound : lower
        }
        return lower
    }
}
