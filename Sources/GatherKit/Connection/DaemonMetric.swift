// The daemon's metrics.
// SPDX-License-Identifier: Apache-2.0

internal import GatherProtocol

/// One value of a metric.
package struct DaemonMetric: Sendable, Hashable {
    /// The kind of a metric, as in OpenMetrics.
    package enum Kind: String, Sendable {
        case counter
        case gauge
        case histogram
        case summary
        /// A kind that this version does not know.
        case unknown
    }

    /// A label, which distinguishes values of the same name.
    package struct Label: Sendable, Hashable {
        package let name: String
        package let value: String

        /// Makes a label.
        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The name: that of the family, with the suffix of the kind.
    package let name: String
    /// The metric's meaning.
    package let help: String
    /// The base unit; empty for a number of things.
    package let unit: String
    /// The value.
    package let value: Double
    /// The kind.
    package let kind: Kind
    /// The labels, in order.
    package let labels: [Label]

    /// Makes a value from its parts.
    package init(
        name: String, help: String = "", unit: String = "", value: Double, kind: Kind, labels: [Label] = []
    ) {
        self.name = name
        self.help = help
        self.unit = unit
        self.value = value
        self.kind = kind
        self.labels = labels
    }

    init(_ metric: Metric) {
        self.init(
            name: metric.name, help: metric.help, unit: metric.unit, value: metric.value,
            kind: metric.kind.flatMap { Kind(rawValue: $0.rawValue) } ?? .unknown,
            labels: metric.labels?.map { Label($0.name, $0.value) } ?? [])
    }

    /// Returns the value of a label.
    package func label(_ name: String) -> String? { labels.first { $0.name == name }?.value }
}
