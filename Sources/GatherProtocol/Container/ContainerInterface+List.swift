// The messages of io.gatherd.Container.List.
// SPDX-License-Identifier: Apache-2.0

package import Varlink

extension ContainerInterface {
    /// The containers that the caller may read.
    package enum List: VarlinkMethod {
        package static let name = "io.gatherd.Container.List"

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
            package var containers: [ContainerDescription]

            /// The message from its fields.
            package init(containers: [ContainerDescription]) {
                self.containers = containers
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                let start = reader.position
                var containers: [ContainerDescription]?
                try reader.beginObject()
                while try reader.nextKey() {
                    if try reader.readNullIfPresent() { continue }
                    if reader.keyIs("containers") {
                        containers = try reader.readMessages()
                    } else {
                        try reader.skipValue()
                    }
                }
                guard let containers else { throw JSONError(.missingField("containers"), at: start) }
                self.containers = containers
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("containers", messages: containers)
                writer.endObject()
            }
        }
    }
}
