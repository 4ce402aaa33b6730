// The messages of io.gatherd.Container.Rescan.
// SPDX-License-Identifier: Apache-2.0

package import Varlink

extension ContainerInterface {
    /// Compares the whole tree with the index again.
    package enum Rescan: VarlinkMethod {
        package static let name = "io.gatherd.Container.Rescan"

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
            package var added: Int64
            package var changed: Int64
            package var removed: Int64

            /// The message from its fields.
            package init(added: Int64, changed: Int64, removed: Int64) {
                self.added = added
                self.changed = changed
                self.removed = removed
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                let start = reader.position
                var added: Int64?
                var changed: Int64?
                var removed: Int64?
                try reader.beginObject()
                while try reader.nextKey() {
                    if try reader.readNullIfPresent() { continue }
                    if reader.keyIs("added") {
                        added = try reader.readInteger()
                    } else if reader.keyIs("changed") {
                        changed = try reader.readInteger()
                    } else if reader.keyIs("removed") {
                        removed = try reader.readInteger()
                    } else {
                        try reader.skipValue()
                    }
                }
                guard let added else { throw JSONError(.missingField("added"), at: start) }
                guard let changed else { throw JSONError(.missingField("changed"), at: start) }
                guard let removed else { throw JSONError(.missingField("removed"), at: start) }
                self.added = added
                self.changed = changed
                self.removed = removed
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("added", added)
                writer.field("changed", changed)
                writer.field("removed", removed)
                writer.endObject()
            }
        }
    }
}
