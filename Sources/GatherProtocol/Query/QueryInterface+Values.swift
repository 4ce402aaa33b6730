// The messages of io.gatherd.Query.Values.
// SPDX-License-Identifier: Apache-2.0

package import Varlink

extension QueryInterface {
    /// The distinct values of one attribute over the matching items.
    package enum Values: VarlinkMethod {
        package static let name = "io.gatherd.Query.Values"

        /// What is asked.
        package struct Request: JSONMessage, Hashable {
            package var predicate: String
            package var attribute: String
            /// Container identifiers, these followed by `/Documents` or `/Data`, or absolute directories; nil: all containers.
            package var scopes: [String]?
            package var limit: Int64?
            /// Whether the answer reflects every change made before; nil: it does.
            package var sync: Bool?
            /// Milliseconds; nil: 10,000.
            package var timeout: Int64?

            /// The message from its fields.
            package init(
                predicate: String, attribute: String, scopes: [String]? = nil, limit: Int64? = nil, sync: Bool? = nil,
                timeout: Int64? = nil
            ) {
                self.predicate = predicate
                self.attribute = attribute
                self.scopes = scopes
                self.limit = limit
                self.sync = sync
                self.timeout = timeout
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                let start = reader.position
                var predicate: String?
                var attribute: String?
                var scopes: [String]?
                var limit: Int64?
                var sync: Bool?
                var timeout: Int64?
                try reader.beginObject()
                while try reader.nextKey() {
                    if try reader.readNullIfPresent() { continue }
                    if reader.keyIs("predicate") {
                        predicate = try reader.readString()
                    } else if reader.keyIs("attribute") {
                        attribute = try reader.readString()
                    } else if reader.keyIs("scopes") {
                        scopes = try reader.readStrings()
                    } else if reader.keyIs("limit") {
                        limit = try reader.readInteger()
                    } else if reader.keyIs("sync") {
                        sync = try reader.readBool()
                    } else if reader.keyIs("timeout") {
                        timeout = try reader.readInteger()
                    } else {
                        try reader.skipValue()
                    }
                }
                guard let predicate else { throw JSONError(.missingField("predicate"), at: start) }
                guard let attribute else { throw JSONError(.missingField("attribute"), at: start) }
                self.predicate = predicate
                self.attribute = attribute
                self.scopes = scopes
                self.limit = limit
                self.sync = sync
                self.timeout = timeout
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("predicate", predicate)
                writer.field("attribute", attribute)
                writer.field("scopes", scopes)
                writer.field("limit", limit)
                writer.field("sync", sync)
                writer.field("timeout", timeout)
                writer.endObject()
            }
        }

        /// The answer.
        package struct Reply: JSONMessage, Hashable {
            package var values: [ValueCount]
            package var inexact: [String]?
            package var clock: String

            /// The message from its fields.
            package init(values: [ValueCount], inexact: [String]? = nil, clock: String) {
                self.values = values
                self.inexact = inexact
                self.clock = clock
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                let start = reader.position
                var values: [ValueCount]?
                var inexact: [String]?
                var clock: String?
                try reader.beginObject()
                while try reader.nextKey() {
                    if try reader.readNullIfPresent() { continue }
                    if reader.keyIs("values") {
                        values = try reader.readMessages()
                    } else if reader.keyIs("inexact") {
                        inexact = try reader.readStrings()
                    } else if reader.keyIs("clock") {
                        clock = try reader.readString()
                    } else {
                        try reader.skipValue()
                    }
                }
                guard let values else { throw JSONError(.missingField("values"), at: start) }
                guard let clock else { throw JSONError(.missingField("clock"), at: start) }
                self.values = values
                self.inexact = inexact
                self.clock = clock
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("values", messages: values)
                writer.field("inexact", inexact)
                writer.field("clock", clock)
                writer.endObject()
            }
        }
    }
}
