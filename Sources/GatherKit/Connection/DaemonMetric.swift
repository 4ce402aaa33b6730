// What the daemon measures, value by value.
// SPDX-License-Identifier: Apache-2.0

internal import GatherProtocol

/// One value that the daemon measures.
package struct DaemonMetric: Sendable, Hashable {
    /// What kind of value it is, in the words of OpenMetrics.
    package enum Kind: String, Sendable {
        case counter
        case gauge
        case histogram
        case summary
        /// One that is not known here.
        case unknown
    }

    /// A label, which tells one value from others of the same name.
    package struct Label: Sendable, Hashable {
        package let name: String
        package let value: String

        /// A label.
        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Its name: that of its family, with what its kind adds to it.
    package let name: String
    /// What it means.
    package let help: String
    /// Its base unit; empty where it counts.
    package let unit: String
    /// The value.
    package let value: Double
    /// Its kind.
    package let kind: Kind
    /// Its labels, in order.
    package let labels: [Label]

    /// A value from its parts.
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

    /// The value of a label.
    package func label(_ name: String) -> String? { labels.first { $0.name == name }?.value }
}
