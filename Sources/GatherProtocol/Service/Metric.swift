// io.gatherd.Service.Metric as it travels.
// SPDX-License-Identifier: Apache-2.0

package import Varlink

/// The kind of a metric, in the words of OpenMetrics.
package enum MetricKind: String, OpenEnumeration {
    case counter
    case gauge
    case histogram
    case summary
    case other
}

/// One measured value.
package struct Metric: JSONMessage, Hashable {
    /// A label that distinguishes values of the same name.
    package struct Label: Sendable, Hashable {
        package var name: String
        package var value: String

        /// A label.
        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The name of the value: that of its family, with what its kind adds to it (`_total`, `_bucket`).
    package var name: String
    package var help: String
    package var unit: String
    package var value: Double
    package var kind: MetricKind?
    /// In the order in which they came.
    package var labels: [Label]?

    /// The message from its fields.
    package init(
        name: String, help: String, unit: String, value: Double, kind: MetricKind? = nil, labels: [Label]? = nil
    ) {
        self.name = name
        self.help = help
        self.unit = unit
        self.value = value
        self.kind = kind
        self.labels = labels
    }

    package init(from reader: inout JSONReader) throws(JSONError) {
        let start = reader.position
        var name: String?
        var help: String?
        var unit: String?
        var value: Double?
        var kind: MetricKind?
        var labels: [Label]?
        try reader.beginObject()
        while try reader.nextKey() {
            if try reader.readNullIfPresent() { continue }
            if reader.keyIs("name") {
                name = try reader.readString()
            } else if reader.keyIs("help") {
                help = try reader.readString()
            } else if reader.keyIs("unit") {
                unit = try reader.readString()
            } else if reader.keyIs("value") {
                value = try reader.readDouble()
            } else if reader.keyIs("kind") {
                kind = try MetricKind(from: &reader)
            } else if reader.keyIs("labels") {
                labels = try Metric.readLabels(&reader)
            } else {
                try reader.skipValue()
            }
        }
        guard let name else { throw JSONError(.missingField("name"), at: start) }
        guard let help else { throw JSONError(.missingField("help"), at: start) }
        guard let unit else { throw JSONError(.missingField("unit"), at: start) }
        guard let value else { throw JSONError(.missingField("value"), at: start) }
        self.name = name
        self.help = help
        self.unit = unit
        self.value = value
        self.kind = kind
        self.labels = labels
    }

    private static func readLabels(_ reader: inout JSONReader) throws(JSONError) -> [Label] {
        var labels: [Label] = []
        try reader.beginObject()
        while try reader.nextKey() {
            let name = reader.key
            labels.append(Label(name, try reader.readString()))
        }
        return labels
    }

    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("name", name)
        writer.field("help", help)
        writer.field("unit", unit)
        writer.field("value", value)
        writer.field("kind", message: kind)
        if let labels {
            writer.key("labels")
            writer.beginObject()
            for label in labels {
                writer.key(escaping: label.name)
                writer.string(label.value)
            }
            writer.endObject()
        }
        writer.endObject()
    }
}
