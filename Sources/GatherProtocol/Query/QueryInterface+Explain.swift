// The messages of io.gatherd.Query.Explain.
// SPDX-License-Identifier: Apache-2.0

package import Varlink

extension QueryInterface {
    /// How a predicate was understood.
    package enum Explain: VarlinkMethod {
        package static let name = "io.gatherd.Query.Explain"

        /// What is asked.
        package struct Request: JSONMessage, Hashable {
            package var predicate: String

            /// The message from its fields.
            package init(predicate: String) {
                self.predicate = predicate
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                let start = reader.position
                var predicate: String?
                try reader.beginObject()
                while try reader.nextKey() {
                    if try reader.readNullIfPresent() { continue }
                    if reader.keyIs("predicate") {
                        predicate = try reader.readString()
                    } else {
                        try reader.skipValue()
                    }
                }
                guard let predicate else { throw JSONError(.missingField("predicate"), at: start) }
                self.predicate = predicate
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("predicate", predicate)
                writer.endObject()
            }
        }

        /// The answer.
        package struct Reply: JSONMessage, Hashable {
            package var canonical: String
            package var attributes: [String]
            package var plan: String

            /// The message from its fields.
            package init(canonical: String, attributes: [String], plan: String) {
                self.canonical = canonical
                self.attributes = attributes
                self.plan = plan
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                let start = reader.position
                var canonical: String?
                var attributes: [String]?
                var plan: String?
                try reader.beginObject()
                while try reader.nextKey() {
                    if try reader.readNullIfPresent() { continue }
                    if reader.keyIs("canonical") {
                        canonical = try reader.readString()
                    } else if reader.keyIs("attributes") {
                        attributes = try reader.readStrings()
                    } else if reader.keyIs("plan") {
                        plan = try reader.readString()
                    } else {
                        try reader.skipValue()
                    }
                }
                guard let canonical else { throw JSONError(.missingField("canonical"), at: start) }
                guard let attributes else { throw JSONError(.missingField("attributes"), at: start) }
                guard let plan else { throw JSONError(.missingField("plan"), at: start) }
                self.canonical = canonical
                self.attributes = attributes
                self.plan = plan
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("canonical", canonical)
                writer.field("attributes", attributes)
                writer.field("plan", plan)
                writer.endObject()
            }
        }
    }
}
