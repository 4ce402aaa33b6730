// The messages of io.gatherd.Service.Metrics.
// SPDX-License-Identifier: Apache-2.0

package import Varlink

extension ServiceInterface {
    /// Counters and gauges.
    package enum Metrics: VarlinkMethod {
        package static let name = "io.gatherd.Service.Metrics"

        /// What is asked.
        package struct Request: JSONMessage, Hashable {
            /// How many live queries are told of one by one.
            package var liveQueries: Int64?

            /// The message from its fields.
            package init(liveQueries: Int64? = nil) { self.liveQueries = liveQueries }

            package init(from reader: inout JSONReader) throws(JSONError) {
                var liveQueries: Int64?
                try reader.beginObject()
                while try reader.nextKey() {
                    if try reader.readNullIfPresent() { continue }
                    if reader.keyIs("liveQueries") {
                        liveQueries = try reader.readInteger()
                    } else {
                        try reader.skipValue()
                    }
                }
                self.liveQueries = liveQueries
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("liveQueries", liveQueries)
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
