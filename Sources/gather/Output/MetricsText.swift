// Metrics in the text formats of Prometheus and OpenMetrics.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit

/// Metrics as text: one family after the other, each with its help, type and unit.
///
/// The two formats differ in the name of a counter's family (OpenMetrics: without `_total`), in the lines for units and
/// in the end.
enum MetricsText {
    enum Format: String, CaseIterable {
        /// OpenMetrics 1.0 (github.com/prometheus/OpenMetrics).
        case openmetrics
        /// The exposition format 0.0.4 of Prometheus.
        case prometheus
    }

    static func text(_ metrics: [DaemonMetric], _ format: Format) -> String {
        var families: [String] = []
        var members: [String: [DaemonMetric]] = [:]
        for metric in metrics where isName(metric.name) {
            let family = family(of: metric)
            if members[family] == nil { families.append(family) }
            members[family, default: []].append(metric)
        }
        var text = ""
        for family in families {
            guard let values = members[family], let first = values.first else { continue }
            let name = format == .prometheus && first.kind == .counter ? family + "_total" : family
            // A newer daemon may have types that this command does not know.
            let kind = first.kind == .unknown && format == .prometheus ? "untyped" : first.kind.rawValue
            text += "# HELP \(name) \(escaped(first.help, quotes: format == .openmetrics))\n"
            text += "# TYPE \(name) \(kind)\n"
            if format == .openmetrics, !first.unit.isEmpty, family.hasSuffix("_" + first.unit) {
                text += "# UNIT \(name) \(first.unit)\n"
            }
            for value in values { text += value.name + labels(value.labels) + " " + number(value.value) + "\n" }
        }
        return format == .openmetrics ? text + "# EOF\n" : text
    }

    /// The name of a metric without the suffix of its type.
    static func family(of metric: DaemonMetric) -> String {
        let suffixes: [String] =
            switch metric.kind {
            case .counter: ["_total"]
            case .histogram: ["_bucket", "_count", "_sum"]
            case .summary: ["_count", "_sum"]
            case .gauge, .unknown: []
            }
        for suffix in suffixes where metric.name.hasSuffix(suffix) { return String(metric.name.dropLast(suffix.count)) }
        return metric.name
    }

    private static func labels(_ labels: [DaemonMetric.Label]) -> String {
        guard !labels.isEmpty else { return "" }
        let pairs = labels.filter { isName($0.name) && !$0.name.contains(":") }
            .map { "\($0.name)=\"\(escaped($0.value, quotes: true))\"" }
        return "{" + pairs.joined(separator: ",") + "}"
    }

    private static func escaped(_ text: String, quotes: Bool) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\"" where quotes: escaped += "\\\""
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// Whether a name fits `[a-zA-Z_:][a-zA-Z0-9_:]*`. Any other name could look like another line.
    private static func isName(_ name: String) -> Bool {
        guard let first = name.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else {
            return false
        }
        return name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: ":"):
                true
            default: false
            }
        }
    }

    /// The text of a number; whole numbers have no point.
    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return value == value.rounded() && value.magnitude < 1e15 ? String(Int64(value)) : String(value)
    }
}
