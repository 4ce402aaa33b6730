// The messages of io.gatherd.Query.Attributes.
// SPDX-License-Identifier: Apache-2.0

package import Varlink

extension QueryInterface {
    /// The attributes that predicates may name.
    package enum Attributes: VarlinkMethod {
        package static let name = "io.gatherd.Query.Attributes"

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
            package var attributes: [AttributeDescription]

            /// The message from its fields.
            package init(attributes: [AttributeDescription]) {
                self.attributes = attributes
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                let start = reader.position
                var attributes: [AttributeDescription]?
                try reader.beginObject()
                while try reader.nextKey() {
                    if try reader.readNullIfPresent() { continue }
                    if reader.keyIs("attributes") {
                        attributes = try reader.readMessages()
                    } else {
                        try reader.skipValue()
                    }
                }
                guard let attributes else { throw JSONError(.missingField("attributes"), at: start) }
                self.attributes = attributes
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("attributes", messages: attributes)
                writer.endObject()
            }
        }
    }
}
