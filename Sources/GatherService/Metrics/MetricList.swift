// Metrics as they are named and told.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol

/// Metrics in the making. All values of one family are added one after the other (OpenMetrics wants them together).
struct MetricList {
    private(set) var metrics: [Metric] = []

    /// A name, what it means, and its base unit, with which the name of the family ends.
    struct Family {
        let name: String
        let help: String
        let unit: String

        init(_ name: String, _ help: String, unit: String = "") {
            self.name = "gatherd_" + name
            self.help = help
            self.unit = unit
        }
    }

    typealias Labels = [Metric.Label]

    /// A value that only grows.
    mutating func counter(_ family: Family, _ value: UInt64, _ labels: Labels? = nil) {
        counter(family, Double(value), labels)
    }

    mutating func counter(_ family: Family, _ value: Double, _ labels: Labels? = nil) {
        add(family, "_total", value, .counter, labels)
    }

    /// A value of now.
    mutating func gauge(_ family: Family, _ value: Int, _ labels: Labels? = nil) {
        add(family, "", Double(value), .gauge, labels)
    }

    mutating func gauge(_ family: Family, _ value: Double, _ labels: Labels? = nil) {
        add(family, "", value, .gauge, labels)
    }

    /// Which one of some states it is. OpenMetrics has a kind of its own for that, and one for what the labels alone tell,
    /// which node_exporter refuses.
    mutating func state(_ family: Family, _ state: String, of states: [String], _ labels: Labels) {
        for other in states { gauge(family, other == state ? 1 : 0, labels + [Metric.Label("state", other)]) }
    }

    /// Durations by steps, each with all below it.
    mutating func histogram(_ family: Family, _ histogram: LatencyHistogram) {
        var count: UInt64 = 0
        for (place, number) in histogram.counts.enumerated() {
            count += number
            let isLast = place == LatencyHistogram.bounds.count
            let bound = isLast ? "+Inf" : "\(Double(LatencyHistogram.bounds[place]) / 1e9)"
            add(family, "_bucket", Double(count), .histogram, [Metric.Label("le", bound)])
        }
        add(family, "_count", Double(count), .histogram, nil)
        add(family, "_sum", Double(histogram.nanoseconds) / 1e9, .histogram, nil)
    }

    /// How many durations there were, and their sum.
    mutating func summary(_ family: Family, count: UInt64, nanoseconds: UInt64, _ labels: Labels) {
        add(family, "_count", Double(count), .summary, labels)
        add(family, "_sum", Double(nanoseconds) / 1e9, .summary, labels)
    }

    private mutating func add(
        _ family: Family, _ suffix: String, _ value: Double, _ kind: MetricKind, _ labels: Labels?
    ) {
        metrics.append(
            Metric(
                name: family.name + suffix, help: family.help, unit: family.unit, value: value, kind: kind,
                labels: labels))
    }
}
