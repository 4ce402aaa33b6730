// The messages of io.gatherd.Query.Count.
// SPDX-License-Identifier: Apache-2.0

package import Varlink

extension QueryInterface {
    /// The number of items that match now.
    package enum Count: VarlinkMethod {
        package static let name = "io.gatherd.Query.Count"

        /// What is asked.
        package struct Request: JSONMessage, Hashable {
            package var predicate: String
            /// Container identifiers, these followed by `/Documents` or `/Data`, or absolute directories; nil: all containers.
            package var scopes: [String]?
            /// Whether the answer reflects every change made before; nil: it does.
            package var sync: Bool?
            /// Milliseconds; nil: 10,000.
            package var timeout: Int64?

            /// The message from its fields.
            package init(predicate: String, scopes: [String]? = nil, sync: Bool? = nil, timeout: Int64? = nil) {
                self.predicate = predicate
                self.scopes = scopes
                self.sync = sync
                self.timeout = timeout
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                let start = reader.position
                var predicate: String?
                var scopes: [String]?
                var sync: Bool?
                var timeout: Int64?
                try reader.beginObject()
                while try reader.nextKey() {
                    if try reader.readNullIfPresent() { continue }
                    if reader.keyIs("predicate") {
                        predicate = try reader.readString()
                    } else if reader.keyIs("scopes") {
                        scopes = try reader.readStrings()
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
                self.sync = sync
                self.timeout = timeout
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("predicate", predicate)
                writer.field("scopes", scopes)
                writer.field("sync", sync)
                writer.field("timeout", timeout)
                writer.endObject()
            }
        }

        /// The answer.
        package struct Reply: JSONMessage, Hashable {
            package var count: Int64
            package var inexact: [String]?
            package var clock: String

            /// The message from its fields.
            package init(count: Int64, inexact: [String]? = nil, clock: String) {
                self.count = count
                self.inexact = inexact
                self.clock = clock
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                let start = reader.position
                var count: Int64?
                var inexact: [String]?
                var clock: String?
                try reader.beginObject()
                while try reader.nextKey() {
                    if try reader.readNullIfPresent() { continue }
                    if reader.keyIs("count") {
                        count = try reader.readInteger()
                    } else if reader.keyIs("inexact") {
                        inexact = try reader.readStrings()
                    } else if reader.keyIs("clock") {
                        clock = try reader.readString()
                    } else {
                        try reader.skipValue()
                    }
                }
                guard let count else { throw JSONError(.missingField("count"), at: start) }
                guard let clock else { throw JSONError(.missingField("clock"), at: start) }
                self.count = count
                self.inexact = inexact
                self.clock = clock
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("count", count)
                writer.field("inexact", inexact)
                writer.field("clock", clock)
                writer.endObject()
            }
        }
    }
}
