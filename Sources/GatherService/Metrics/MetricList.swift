// Builds a list of metrics.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol

/// Builds a list of metrics. The values of a family must be added one after the other, as OpenMetrics wants them.
struct MetricList {
    private(set) var metrics: [Metric] = []

    /// A family: its name, its meaning, and its base unit, which is the suffix of the name.
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

    /// Adds a value that only grows.
    mutating func counter(_ family: Family, _ value: UInt64, _ labels: Labels? = nil) {
        counter(family, Double(value), labels)
    }

    mutating func counter(_ family: Family, _ value: Double, _ labels: Labels? = nil) {
        add(family, "_total", value, .counter, labels)
    }

    /// Adds a present value.
    mutating func gauge(_ family: Family, _ value: Int, _ labels: Labels? = nil) {
        add(family, "", Double(value), .gauge, labels)
    }

    mutating func gauge(_ family: Family, _ value: Double, _ labels: Labels? = nil) {
        add(family, "", value, .gauge, labels)
    }

    /// Adds a state as one value per possible state. OpenMetrics has kinds for states and for information, but
    /// node_exporter refuses both.
    mutating func state(_ family: Family, _ state: String, of states: [String], _ labels: Labels) {
        for other in states { gauge(family, other == state ? 1 : 0, labels + [Metric.Label("state", other)]) }
    }

    /// Adds durations by buckets. Each bucket includes all below it.
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

    /// Adds a number of durations and their sum.
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
