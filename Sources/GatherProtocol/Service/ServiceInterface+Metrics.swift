// The messages of io.gatherd.Service.Metrics.
// SPDX-License-Identifier: Apache-2.0

package import Varlink

extension ServiceInterface {
    /// Counters and gauges.
    package enum Metrics: VarlinkMethod {
        package static let name = "io.gatherd.Service.Metrics"

        /// What is asked.
        package struct Request: JSONMessage, Hashable {
            /// The message from its fields.
            package init() {}

            package init(from reader: inout JSONReader) throws(JSONError) {
                try reader.beginObject()
                while try reader.nextKey() { try reader.skipValue() }
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.endObject()
            }
        }

        /// The answer.
        package struct Reply: JSONMessage, Hashable {
            package var metrics: [Metric]

            /// The message from its fields.
            package init(metrics: [Metric]) {
                self.metrics = metrics
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                let start = reader.position
                var metrics: [Metric]?
                try reader.beginObject()
                while try reader.nextKey() {
                    if try reader.readNullIfPresent() { continue }
                    if reader.keyIs("metrics") {
                        metrics = try reader.readMessages()
                    } else {
                        try reader.skipValue()
                    }
                }
                guard let metrics else { throw JSONError(.missingField("metrics"), at: start) }
                self.metrics = metrics
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("metrics", messages: metrics)
                writer.endObject()
            }
        }
    }
}
