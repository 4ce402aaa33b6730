// The messages of io.gatherd.Query.Find.
// SPDX-License-Identifier: Apache-2.0

package import Varlink

extension QueryInterface {
    /// Items that match now.
    package enum Find: VarlinkMethod {
        package static let name = "io.gatherd.Query.Find"

        /// What is asked.
        package struct Request: JSONMessage, Hashable {
            package var predicate: String
            /// Container identifiers, these followed by `/Documents` or `/Data`, or absolute directories; nil: all containers.
            package var scopes: [String]?
            /// The fields wanted; nil: name, path, kind, size and modified.
            package var attributes: [String]?
            package var sort: [SortKey]?
            package var limit: Int64?
            /// Whether the answer reflects every change made before; nil: it does.
            package var sync: Bool?
            /// Milliseconds; nil: 10,000.
            package var timeout: Int64?

            /// The message from its fields.
            package init(
                predicate: String, scopes: [String]? = nil, attributes: [String]? = nil, sort: [SortKey]? = nil,
                limit: Int64? = nil, sync: Bool? = nil, timeout: Int64? = nil
            ) {
                self.predicate = predicate
                self.scopes = scopes
                self.attributes = attributes
                self.sort = sort
                self.limit = limit
                self.sync = sync
                self.timeout = timeout
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                let start = reader.position
                var predicate: String?
                var scopes: [String]?
                var attributes: [String]?
                var sort: [SortKey]?
                var limit: Int64?
                var sync: Bool?
                var timeout: Int64?
                try reader.beginObject()
                while try reader.nextKey() {
                    if try reader.readNullIfPresent() { continue }
                    if reader.keyIs("predicate") {
                        predicate = try reader.readString()
                    } else if reader.keyIs("scopes") {
                        scopes = try reader.readStrings()
                    } else if reader.keyIs("attributes") {
                        attributes = try reader.readStrings()
                    } else if reader.keyIs("sort") {
                        sort = try reader.readMessages()
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
                self.predicate = predicate
                self.scopes = scopes
                self.attributes = attributes
                self.sort = sort
                self.limit = limit
                self.sync = sync
                self.timeout = timeout
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("predicate", predicate)
                writer.field("scopes", scopes)
                writer.field("attributes", attributes)
                writer.field("sort", messages: sort)
                writer.field("limit", limit)
                writer.field("sync", sync)
                writer.field("timeout", timeout)
                writer.endObject()
            }
        }

        /// The answer.
        package struct Reply: JSONMessage, Hashable {
            package var items: [Item]
            /// The containers for which the answer may be wrong.
            package var inexact: [String]?
            package var clock: String

            /// The message from its fields.
            package init(items: [Item], inexact: [String]? = nil, clock: String) {
                self.items = items
                self.inexact = inexact
                self.clock = clock
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                let start = reader.position
                var items: [Item]?
                var inexact: [String]?
                var clock: String?
                try reader.beginObject()
                while try reader.nextKey() {
                    if try reader.readNullIfPresent() { continue }
                    if reader.keyIs("items") {
                        items = try reader.readMessages()
                    } else if reader.keyIs("inexact") {
                        inexact = try reader.readStrings()
                    } else if reader.keyIs("clock") {
                        clock = try reader.readString()
                    } else {
                        try reader.skipValue()
                    }
                }
                guard let items else { throw JSONError(.missingField("items"), at: start) }
                guard let clock else { throw JSONError(.missingField("clock"), at: start) }
                self.items = items
                self.inexact = inexact
                self.clock = clock
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("items", messages: items)
                writer.field("inexact", inexact)
                writer.field("clock", clock)
                writer.endObject()
            }
        }
    }
}
