// The messages of io.gatherd.Service.Reload.
// SPDX-License-Identifier: Apache-2.0

package import Varlink

extension ServiceInterface {
    /// Reads the configuration again.
    package enum Reload: VarlinkMethod {
        package static let name = "io.gatherd.Service.Reload"

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
