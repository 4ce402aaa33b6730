// The messages of io.gatherd.Query.Watch.
// SPDX-License-Identifier: Apache-2.0

package import Varlink

extension QueryInterface {
    /// A live query.
    package enum Watch: VarlinkMethod {
        package static let name = "io.gatherd.Query.Watch"

        /// What is asked.
        package struct Request: JSONMessage, Hashable {
            package var predicate: String
            package var scopes: [String]?
            package var attributes: [String]?
            /// A clock of an earlier reply to the same predicate and scopes.
            package var since: String?
            /// Milliseconds that changes may be held; nil: 0.
            package var batch: Int64?
            /// Milliseconds without another reply after which an `alive` one comes.
            package var heartbeat: Int64?

            /// The message from its fields.
            package init(
                predicate: String, scopes: [String]? = nil, attributes: [String]? = nil, since: String? = nil,
                batch: Int64? = nil, heartbeat: Int64? = nil
            ) {
                self.predicate = predicate
                self.scopes = scopes
                self.attributes = attributes
                self.since = since
                self.batch = batch
                self.heartbeat = heartbeat
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                let start = reader.position
                var predicate: String?
                var scopes: [String]?
                var attributes: [String]?
                var since: String?
                var batch: Int64?
                var heartbeat: Int64?
                try reader.beginObject()
                while try reader.nextKey() {
                    if try reader.readNullIfPresent() { continue }
                    if reader.keyIs("predicate") {
                        predicate = try reader.readString()
                    } else if reader.keyIs("scopes") {
                        scopes = try reader.readStrings()
                    } else if reader.keyIs("attributes") {
                        attributes = try reader.readStrings()
                    } else if reader.keyIs("since") {
                        since = try reader.readString()
                    } else if reader.keyIs("batch") {
                        batch = try reader.readInteger()
                    } else if reader.keyIs("heartbeat") {
                        heartbeat = try reader.readInteger()
                    } else {
                        try reader.skipValue()
                    }
                }
                guard let predicate else { throw JSONError(.missingField("predicate"), at: start) }
                self.predicate = predicate
                self.scopes = scopes
                self.attributes = attributes
                self.since = since
                self.batch = batch
                self.heartbeat = heartbeat
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("predicate", predicate)
                writer.field("scopes", scopes)
                writer.field("attributes", attributes)
                writer.field("since", since)
                writer.field("batch", batch)
                writer.field("heartbeat", heartbeat)
                writer.endObject()
            }
        }

        /// The answer.
        package struct Reply: JSONMessage, Hashable {
            package var event: WatchEvent
            package var fresh: Bool?
            package var added: [Item]?
            package var changed: [Item]?
            package var removed: [Removal]?
            package var count: Int64?
            package var inexact: [String]?
            package var clock: String?

            /// The message from its fields.
            package init(
                event: WatchEvent, fresh: Bool? = nil, added: [Item]? = nil, changed: [Item]? = nil,
                removed: [Removal]? = nil, count: Int64? = nil, inexact: [String]? = nil, clock: String? = nil
            ) {
                self.event = event
                self.fresh = fresh
                self.added = added
                self.changed = changed
                self.removed = removed
                self.count = count
                self.inexact = inexact
                self.clock = clock
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                let start = reader.position
                var event: WatchEvent?
                var fresh: Bool?
                var added: [Item]?
                var changed: [Item]?
                var removed: [Removal]?
                var count: Int64?
                var inexact: [String]?
                var clock: String?
                try reader.beginObject()
                while try reader.nextKey() {
                    if try reader.readNullIfPresent() { continue }
                    if reader.keyIs("event") {
                        event = try WatchEvent(from: &reader)
                    } else if reader.keyIs("fresh") {
                        fresh = try reader.readBool()
                    } else if reader.keyIs("added") {
                        added = try reader.readMessages()
                    } else if reader.keyIs("changed") {
                        changed = try reader.readMessages()
                    } else if reader.keyIs("removed") {
                        removed = try reader.readMessages()
                    } else if reader.keyIs("count") {
                        count = try reader.readInteger()
                    } else if reader.keyIs("inexact") {
                        inexact = try reader.readStrings()
                    } else if reader.keyIs("clock") {
                        clock = try reader.readString()
                    } else {
                        try reader.skipValue()
                    }
                }
                guard let event else { throw JSONError(.missingField("event"), at: start) }
                self.event = event
                self.fresh = fresh
                self.added = added
                self.changed = changed
                self.removed = removed
                self.count = count
                self.inexact = inexact
                self.clock = clock
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("event", message: event)
                writer.field("fresh", fresh)
                writer.field("added", messages: added)
                writer.field("changed", messages: changed)
                writer.field("removed", messages: removed)
                writer.field("count", count)
                writer.field("inexact", inexact)
                writer.field("clock", clock)
                writer.endObject()
            }
        }
    }
}
