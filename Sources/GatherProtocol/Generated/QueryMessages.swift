// The messages of io.gatherd.Query, from the text of the interface.
// Written by Packaging/dev/messages; not to be edited by hand.
// SPDX-License-Identifier: Apache-2.0

package import Varlink

package struct SortKeyMessage: JSONMessage, Hashable {
    package var attribute: String
    package var ascending: Bool

    /// The message from its fields.
    package init(attribute: String, ascending: Bool) {
        self.attribute = attribute
        self.ascending = ascending
    }

    package init(from reader: inout JSONReader) throws(JSONError) {
        let start = reader.position
        var attribute: String?
        var ascending: Bool?
        try reader.beginObject()
        while try reader.nextKey() {
            if try reader.readNullIfPresent() { continue }
            if reader.keyIs("attribute") {
                attribute = try reader.readString()
            } else if reader.keyIs("ascending") {
                ascending = try reader.readBool()
            } else {
                try reader.skipValue()
            }
        }
        guard let attribute else { throw JSONError(.missingField("attribute"), at: start) }
        guard let ascending else { throw JSONError(.missingField("ascending"), at: start) }
        self.attribute = attribute
        self.ascending = ascending
    }

    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("attribute", attribute)
        writer.field("ascending", ascending)
        writer.endObject()
    }
}

/// How often one value occurs in a result set. The field that fits the attribute's type has the value. All are
/// missing for items without the attribute.
package struct ValueCount: JSONMessage, Hashable {
    package var text: String?
    package var integer: Int64?
    package var number: Double?
    package var flag: Bool?
    package var count: Int64

    /// The message from its fields.
    package init(text: String? = nil, integer: Int64? = nil, number: Double? = nil, flag: Bool? = nil, count: Int64) {
        self.text = text
        self.integer = integer
        self.number = number
        self.flag = flag
        self.count = count
    }

    package init(from reader: inout JSONReader) throws(JSONError) {
        let start = reader.position
        var text: String?
        var integer: Int64?
        var number: Double?
        var flag: Bool?
        var count: Int64?
        try reader.beginObject()
        while try reader.nextKey() {
            if try reader.readNullIfPresent() { continue }
            if reader.keyIs("text") {
                text = try reader.readString()
            } else if reader.keyIs("integer") {
                integer = try reader.readInteger()
            } else if reader.keyIs("number") {
                number = try reader.readDouble()
            } else if reader.keyIs("flag") {
                flag = try reader.readBool()
            } else if reader.keyIs("count") {
                count = try reader.readInteger()
            } else {
                try reader.skipValue()
            }
        }
        guard let count else { throw JSONError(.missingField("count"), at: start) }
        self.text = text
        self.integer = integer
        self.number = number
        self.flag = flag
        self.count = count
    }

    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("text", text)
        writer.field("integer", integer)
        writer.field("number", number)
        writer.field("flag", flag)
        writer.field("count", count)
        writer.endObject()
    }
}

/// An item that no longer matches or no longer exists, with its last path.
package struct Removal: JSONMessage, Hashable {
    package var id: String
    package var path: String
    package var rawPath: String?

    /// The message from its fields.
    package init(id: String, path: String, rawPath: String? = nil) {
        self.id = id
        self.path = path
        self.rawPath = rawPath
    }

    package init(from reader: inout JSONReader) throws(JSONError) {
        let start = reader.position
        var id: String?
        var path: String?
        var rawPath: String?
        try reader.beginObject()
        while try reader.nextKey() {
            if try reader.readNullIfPresent() { continue }
            if reader.keyIs("id") {
                id = try reader.readString()
            } else if reader.keyIs("path") {
                path = try reader.readString()
            } else if reader.keyIs("rawPath") {
                rawPath = try reader.readString()
            } else {
                try reader.skipValue()
            }
        }
        guard let id else { throw JSONError(.missingField("id"), at: start) }
        guard let path else { throw JSONError(.missingField("path"), at: start) }
        self.id = id
        self.path = path
        self.rawPath = rawPath
    }

    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("id", id)
        writer.field("path", path)
        writer.field("rawPath", rawPath)
        writer.endObject()
    }
}

extension QueryInterface.Explain {
    /// One step of a plan, the number of items that were left after it, and its time.
    package struct Step: JSONMessage, Hashable {
        package var step: String
        package var rows: Int64
        package var microseconds: Int64

        /// The message from its fields.
        package init(step: String, rows: Int64, microseconds: Int64) {
            self.step = step
            self.rows = rows
            self.microseconds = microseconds
        }

        package init(from reader: inout JSONReader) throws(JSONError) {
            let start = reader.position
            var step: String?
            var rows: Int64?
            var microseconds: Int64?
            try reader.beginObject()
            while try reader.nextKey() {
                if try reader.readNullIfPresent() { continue }
                if reader.keyIs("step") {
                    step = try reader.readString()
                } else if reader.keyIs("rows") {
                    rows = try reader.readInteger()
                } else if reader.keyIs("microseconds") {
                    microseconds = try reader.readInteger()
                } else {
                    try reader.skipValue()
                }
            }
            guard let step else { throw JSONError(.missingField("step"), at: start) }
            guard let rows else { throw JSONError(.missingField("rows"), at: start) }
            guard let microseconds else { throw JSONError(.missingField("microseconds"), at: start) }
            self.step = step
            self.rows = rows
            self.microseconds = microseconds
        }

        package func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.field("step", step)
            writer.field("rows", rows)
            writer.field("microseconds", microseconds)
            writer.endObject()
        }
    }
}

package struct AttributeDescription: JSONMessage, Hashable {
    package var name: String
    package var type: String
    package var aliases: [String]
    package var description: String

    /// The message from its fields.
    package init(name: String, type: String, aliases: [String], description: String) {
        self.name = name
        self.type = type
        self.aliases = aliases
        self.description = description
    }

    package init(from reader: inout JSONReader) throws(JSONError) {
        let start = reader.position
        var name: String?
        var type: String?
        var aliases: [String]?
        var description: String?
        try reader.beginObject()
        while try reader.nextKey() {
            if try reader.readNullIfPresent() { continue }
            if reader.keyIs("name") {
                name = try reader.readString()
            } else if reader.keyIs("type") {
                type = try reader.readString()
            } else if reader.keyIs("aliases") {
                aliases = try reader.readStrings()
            } else if reader.keyIs("description") {
                description = try reader.readString()
            } else {
                try reader.skipValue()
            }
        }
        guard let name else { throw JSONError(.missingField("name"), at: start) }
        guard let type else { throw JSONError(.missingField("type"), at: start) }
        guard let aliases else { throw JSONError(.missingField("aliases"), at: start) }
        guard let description else { throw JSONError(.missingField("description"), at: start) }
        self.name = name
        self.type = type
        self.aliases = aliases
        self.description = description
    }

    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("name", name)
        writer.field("type", type)
        writer.field("aliases", aliases)
        writer.field("description", description)
        writer.endObject()
    }
}

extension QueryInterface {
    /// Returns the items that match now. With `more`, the answer comes in batches. Without `more`, an answer larger
    /// than 8 MiB fails with LimitExceeded. An empty predicate matches everything. `scopes` lists container
    /// identifiers, identifiers followed by /Documents or /Data, or absolute directories inside a container. A
    /// directory whose path is not UTF-8 is a URI (RFC 8089): `file://` and the path, with `%XX` for each byte that may
    /// not stand there. A directory may be named by the container's configured path or by the path to which its
    /// symbolic links lead. The default is all containers that the caller may read. The default of `attributes` is
    /// name, path, kind, size and modified. With `sync` (the default), the answer reflects every change that was made
    /// before the call. The call then waits up to `timeout` milliseconds (default 10,000) for containers that are
    /// crawling or verifying. Without `sync`, it returns what is known at once. `inexact` names the containers for
    /// which the answer may be wrong: those that are degraded or unavailable, and without `sync` also those that are
    /// not crawled yet. `timeZone` is the zone of dates without a zone, and of days, weeks, months and years: a name
    /// such as Europe/Berlin, or another text of tzset(3). The default is the daemon's own zone. A name that is unknown
    /// there fails with UnknownTimeZone if the predicate depends on the zone. Each method with a predicate has it.
    package enum Find: VarlinkMethod {
        package static let name = "io.gatherd.Query.Find"

        /// The parameters of the call.
        package struct Request: JSONMessage, Hashable {
            package var predicate: String
            package var scopes: [String]?
            package var attributes: [String]?
            package var sort: [SortKeyMessage]?
            package var limit: Int64?
            package var sync: Bool?
            package var timeout: Int64?
            package var timeZone: String?

            /// The message from its fields.
            package init(
                predicate: String, scopes: [String]? = nil, attributes: [String]? = nil, sort: [SortKeyMessage]? = nil,
                limit: Int64? = nil, sync: Bool? = nil, timeout: Int64? = nil, timeZone: String? = nil
            ) {
                self.predicate = predicate
                self.scopes = scopes
                self.attributes = attributes
                self.sort = sort
                self.limit = limit
                self.sync = sync
                self.timeout = timeout
                self.timeZone = timeZone
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                let start = reader.position
                var predicate: String?
                var scopes: [String]?
                var attributes: [String]?
                var sort: [SortKeyMessage]?
                var limit: Int64?
                var sync: Bool?
                var timeout: Int64?
                var timeZone: String?
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
                    } else if reader.keyIs("timeZone") {
                        timeZone = try reader.readString()
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
                self.timeZone = timeZone
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
                writer.field("timeZone", timeZone)
                writer.endObject()
            }
        }

        /// The answer.
        package struct Reply: JSONMessage, Hashable {
            package var items: [Item]
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

extension QueryInterface {
    /// Returns the number of items that match now.
    package enum Count: VarlinkMethod {
        package static let name = "io.gatherd.Query.Count"

        /// The parameters of the call.
        package struct Request: JSONMessage, Hashable {
            package var predicate: String
            package var scopes: [String]?
            package var sync: Bool?
            package var timeout: Int64?
            package var timeZone: String?

            /// The message from its fields.
            package init(
                predicate: String, scopes: [String]? = nil, sync: Bool? = nil, timeout: Int64? = nil,
                timeZone: String? = nil
            ) {
                self.predicate = predicate
                self.scopes = scopes
                self.sync = sync
                self.timeout = timeout
                self.timeZone = timeZone
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                let start = reader.position
                var predicate: String?
                var scopes: [String]?
                var sync: Bool?
                var timeout: Int64?
                var timeZone: String?
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
                    } else if reader.keyIs("timeZone") {
                        timeZone = try reader.readString()
                    } else {
                        try reader.skipValue()
                    }
                }
                guard let predicate else { throw JSONError(.missingField("predicate"), at: start) }
                self.predicate = predicate
                self.scopes = scopes
                self.sync = sync
                self.timeout = timeout
                self.timeZone = timeZone
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("predicate", predicate)
                writer.field("scopes", scopes)
                writer.field("sync", sync)
                writer.field("timeout", timeout)
                writer.field("timeZone", timeZone)
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

extension QueryInterface {
    /// Returns the distinct values of one attribute over the matching items. The most frequent come first, and equally
    /// frequent ones in their order. Each value of a list counts by itself. Items without the attribute count in an
    /// entry without a value. Too many distinct values fail with LimitExceeded.
    package enum Values: VarlinkMethod {
        package static let name = "io.gatherd.Query.Values"

        /// The parameters of the call.
        package struct Request: JSONMessage, Hashable {
            package var predicate: String
            package var attribute: String
            package var scopes: [String]?
            package var limit: Int64?
            package var sync: Bool?
            package var timeout: Int64?
            package var timeZone: String?

            /// The message from its fields.
            package init(
                predicate: String, attribute: String, scopes: [String]? = nil, limit: Int64? = nil, sync: Bool? = nil,
                timeout: Int64? = nil, timeZone: String? = nil
            ) {
                self.predicate = predicate
                self.attribute = attribute
                self.scopes = scopes
                self.limit = limit
                self.sync = sync
                self.timeout = timeout
                self.timeZone = timeZone
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                let start = reader.position
                var predicate: String?
                var attribute: String?
                var scopes: [String]?
                var limit: Int64?
                var sync: Bool?
                var timeout: Int64?
                var timeZone: String?
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
                    } else if reader.keyIs("timeZone") {
                        timeZone = try reader.readString()
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
                self.timeZone = timeZone
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("predicate", predicate)
                writer.field("attribute", attribute)
                writer.field("scopes", scopes)
                writer.field("limit", limit)
                writer.field("sync", sync)
                writer.field("timeout", timeout)
                writer.field("timeZone", timeZone)
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

extension QueryInterface {
    /// Starts a live query; needs `more`. The replies are started, progress (none or more), gathered, then one updated
    /// for each batch of changes, without end. An item is in `changed` if it matched before, matches now, and itself
    /// changed. A change is a new name, directory, attribute of the file, or requested attribute of its place (path,
    /// depth, scope). Attributes of the file count even if they were not requested, since the content may have changed.
    /// Changes are held for at most `batch` milliseconds (default 0) and merged. An item that came and went meanwhile
    /// is not reported. An item that changed twice is reported once. A slow reader loses nothing, since its pending
    /// changes are merged in the same way. If too many are pending, the query ends with LimitExceeded, and a new query
    /// with the last clock as `since` gets the difference. `since` is a clock of an earlier reply to the same caller. A
    /// clock serves every predicate, scope and list of attributes. Then progress replies have only the difference
    /// between the result set of that clock and now, even after a restart of the daemon. If the difference is not
    /// known, `fresh` is true in the started reply and everything is gathered again. The reason may be that a container
    /// was added or removed since, or that more has changed than is kept. It may also be that the caller's groups or
    /// access changed, or that extended attributes were not read yet at the clock. A reply has `clock` only if
    /// everything up to that clock was sent. `count` is the size of the result set, and `inexact` names the containers
    /// for which it may be wrong, in gathered and updated. A container that becomes unavailable or is removed takes its
    /// items out of the result set, and the query goes on. With `heartbeat`, an alive reply comes after that many
    /// milliseconds without another reply. The query keeps its `timeZone`. To end the query, close the connection.
    package enum Watch: VarlinkMethod {
        package static let name = "io.gatherd.Query.Watch"

        /// The parameters of the call.
        package struct Request: JSONMessage, Hashable {
            package var predicate: String
            package var scopes: [String]?
            package var attributes: [String]?
            package var since: String?
            package var batch: Int64?
            package var heartbeat: Int64?
            package var timeZone: String?

            /// The message from its fields.
            package init(
                predicate: String, scopes: [String]? = nil, attributes: [String]? = nil, since: String? = nil,
                batch: Int64? = nil, heartbeat: Int64? = nil, timeZone: String? = nil
            ) {
                self.predicate = predicate
                self.scopes = scopes
                self.attributes = attributes
                self.since = since
                self.batch = batch
                self.heartbeat = heartbeat
                self.timeZone = timeZone
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                let start = reader.position
                var predicate: String?
                var scopes: [String]?
                var attributes: [String]?
                var since: String?
                var batch: Int64?
                var heartbeat: Int64?
                var timeZone: String?
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
                    } else if reader.keyIs("timeZone") {
                        timeZone = try reader.readString()
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
                self.timeZone = timeZone
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("predicate", predicate)
                writer.field("scopes", scopes)
                writer.field("attributes", attributes)
                writer.field("since", since)
                writer.field("batch", batch)
                writer.field("heartbeat", heartbeat)
                writer.field("timeZone", timeZone)
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

extension QueryInterface {
    /// Returns when all changes made before the call were sent to the caller's live queries, or merged into their
    /// pending changes.
    package enum Flush: VarlinkMethod {
        package static let name = "io.gatherd.Query.Flush"

        /// The parameters of the call.
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
            package var clock: String

            /// The message from its fields.
            package init(clock: String) {
                self.clock = clock
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                let start = reader.position
                var clock: String?
                try reader.beginObject()
                while try reader.nextKey() {
                    if try reader.readNullIfPresent() { continue }
                    if reader.keyIs("clock") {
                        clock = try reader.readString()
                    } else {
                        try reader.skipValue()
                    }
                }
                guard let clock else { throw JSONError(.missingField("clock"), at: start) }
                self.clock = clock
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("clock", clock)
                writer.endObject()
            }
        }
    }
}

extension QueryInterface {
    /// Returns the canonical text of a predicate, the attributes that it reads, and the plan. With `analyze`, the
    /// predicate is evaluated once, as Count does over `scopes`. `steps` then has each step: the first has the number
    /// of all items, the last the number of matches.
    package enum Explain: VarlinkMethod {
        package static let name = "io.gatherd.Query.Explain"

        /// The parameters of the call.
        package struct Request: JSONMessage, Hashable {
            package var predicate: String
            package var scopes: [String]?
            package var analyze: Bool?
            package var timeZone: String?

            /// The message from its fields.
            package init(predicate: String, scopes: [String]? = nil, analyze: Bool? = nil, timeZone: String? = nil) {
                self.predicate = predicate
                self.scopes = scopes
                self.analyze = analyze
                self.timeZone = timeZone
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                let start = reader.position
                var predicate: String?
                var scopes: [String]?
                var analyze: Bool?
                var timeZone: String?
                try reader.beginObject()
                while try reader.nextKey() {
                    if try reader.readNullIfPresent() { continue }
                    if reader.keyIs("predicate") {
                        predicate = try reader.readString()
                    } else if reader.keyIs("scopes") {
                        scopes = try reader.readStrings()
                    } else if reader.keyIs("analyze") {
                        analyze = try reader.readBool()
                    } else if reader.keyIs("timeZone") {
                        timeZone = try reader.readString()
                    } else {
                        try reader.skipValue()
                    }
                }
                guard let predicate else { throw JSONError(.missingField("predicate"), at: start) }
                self.predicate = predicate
                self.scopes = scopes
                self.analyze = analyze
                self.timeZone = timeZone
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("predicate", predicate)
                writer.field("scopes", scopes)
                writer.field("analyze", analyze)
                writer.field("timeZone", timeZone)
                writer.endObject()
            }
        }

        /// The answer.
        package struct Reply: JSONMessage, Hashable {
            package var canonical: String
            package var attributes: [String]
            package var plan: String
            package var steps: [QueryInterface.Explain.Step]?

            /// The message from its fields.
            package init(
                canonical: String, attributes: [String], plan: String, steps: [QueryInterface.Explain.Step]? = nil
            ) {
                self.canonical = canonical
                self.attributes = attributes
                self.plan = plan
                self.steps = steps
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                let start = reader.position
                var canonical: String?
                var attributes: [String]?
                var plan: String?
                var steps: [QueryInterface.Explain.Step]?
                try reader.beginObject()
                while try reader.nextKey() {
                    if try reader.readNullIfPresent() { continue }
                    if reader.keyIs("canonical") {
                        canonical = try reader.readString()
                    } else if reader.keyIs("attributes") {
                        attributes = try reader.readStrings()
                    } else if reader.keyIs("plan") {
                        plan = try reader.readString()
                    } else if reader.keyIs("steps") {
                        steps = try reader.readMessages()
                    } else {
                        try reader.skipValue()
                    }
                }
                guard let canonical else { throw JSONError(.missingField("canonical"), at: start) }
                guard let attributes else { throw JSONError(.missingField("attributes"), at: start) }
                guard let plan else { throw JSONError(.missingField("plan"), at: start) }
                self.canonical = canonical
                self.attributes = attributes
                self.plan = plan
                self.steps = steps
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("canonical", canonical)
                writer.field("attributes", attributes)
                writer.field("plan", plan)
                writer.field("steps", messages: steps)
                writer.endObject()
            }
        }
    }
}

extension QueryInterface {
    /// Returns the attributes that predicates and `attributes` may name.
    package enum Attributes: VarlinkMethod {
        package static let name = "io.gatherd.Query.Attributes"

        /// The parameters of the call.
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
