// The messages of io.gatherd.Container.Get.
// SPDX-License-Identifier: Apache-2.0

package import Varlink

extension ContainerInterface {
    /// One container.
    package enum Get: VarlinkMethod {
        package static let name = "io.gatherd.Container.Get"

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
            package var container: ContainerDescription

            /// The message from its fields.
            package init(container: ContainerDescription) {
                self.container = container
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                let start = reader.position
                var container: ContainerDescription?
                try reader.beginObject()
                while try reader.nextKey() {
                    if try reader.readNullIfPresent() { continue }
                    if reader.keyIs("container") {
                        container = try ContainerDescription(from: &reader)
                    } else {
                        try reader.skipValue()
                    }
                }
                guard let container else { throw JSONError(.missingField("container"), at: start) }
                self.container = container
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("container", message: container)
                writer.endObject()
            }
        }
    }
}
