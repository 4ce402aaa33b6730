// The messages of io.gatherd.Query.Flush.
// SPDX-License-Identifier: Apache-2.0

package import Varlink

extension QueryInterface {
    /// Waits until everything changed before has been sent.
    package enum Flush: VarlinkMethod {
        package static let name = "io.gatherd.Query.Flush"

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
            package var clock: String

            /// The message from its fields.
            package init(clock: String) {
                self.clock = clock
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                let start = reader.position
                var clock: String?
                try reader.beginObject()
                while try reader.nextKey() {
                    if try reader.readNullIfPresent() { continue }
                    if reader.keyIs("clock") {
                        clock = try reader.readString()
                    } else {
                        try reader.skipValue()
                    }
                }
                guard let clock else { throw JSONError(.missingField("clock"), at: start) }
                self.clock = clock
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("clock", clock)
                writer.endObject()
            }
        }
    }
}
