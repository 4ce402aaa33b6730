// The messages of io.gatherd.Container.Remove.
// SPDX-License-Identifier: Apache-2.0

package import Varlink

extension ContainerInterface {
    /// Takes back what was added at run time.
    package enum Remove: VarlinkMethod {
        package static let name = "io.gatherd.Container.Remove"

        /// What is asked.
        package struct Request: JSONMessage, Hashable {
            package var identifier: String

            /// The message from its fields.
            package init(identifier: String) {
                self.identifier = identifier
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                let start = reader.position
                var identifier: String?
                try reader.beginObject()
                while try reader.nextKey() {
                    if try reader.readNullIfPresent() { continue }
                    if reader.keyIs("identifier") {
                        identifier = try reader.readString()
                    } else {
                        try reader.skipValue()
                    }
                }
                guard let identifier else { throw JSONError(.missingField("identifier"), at: start) }
                self.identifier = identifier
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("identifier", identifier)
                writer.endObject()
            }
        }

        /// The answer.
        package struct Reply: JSONMessage, Hashable {
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
    }
}
