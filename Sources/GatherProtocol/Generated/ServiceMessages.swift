// The messages of io.gatherd.Service, from the text of the interface.
// Written by Packaging/dev/messages; not to be edited by hand.
// SPDX-License-Identifier: Apache-2.0

package import Varlink

extension ServiceInterface {
    /// `watches` is the number of watches in use over all containers. `watchLimit` is the most that the daemon may use:
    /// the configured share of fs.inotify.max_user_watches or user.max_inotify_watches, whichever is lower, or less if
    /// the kernel refused more. `watchShare` is the configured share. A caller who does not see all items gets the
    /// numbers of its own items, live queries and connections. While the state cannot be saved, `savingError` is the
    /// latest error and `unsavedSince` the time of the first one. Only root and the daemon's own user get these two.
    /// `contentTypes` counts the media types of the shared MIME-info database. It is 0 if the database is missing.
    package enum Status: VarlinkMethod {
        package static let name = "io.gatherd.Service.Status"

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
            package var version: String
            package var pid: Int64
            package var started: String
            package var items: Int64
            package var containers: Int64
            package var liveQueries: Int64
            package var connections: Int64
            package var residentBytes: Int64
            package var eventsRead: Int64
            package var overflows: Int64
            package var snapshotTime: String?
            package var watches: Int64?
            package var watchLimit: Int64?
            package var watchShare: Double?
            package var savingError: String?
            package var unsavedSince: String?
            package var contentTypes: Int64?

            /// The message from its fields.
            package init(
                version: String, pid: Int64, started: String, items: Int64, containers: Int64, liveQueries: Int64,
                connections: Int64, residentBytes: Int64, eventsRead: Int64, overflows: Int64,
                snapshotTime: String? = nil, watches: Int64? = nil, watchLimit: Int64? = nil, watchShare: Double? = nil,
                savingError: String? = nil, unsavedSince: String? = nil, contentTypes: Int64? = nil
            ) {
                self.version = version
                self.pid = pid
                self.started = started
                self.items = items
                self.containers = containers
                self.liveQueries = liveQueries
                self.connections = connections
                self.residentBytes = residentBytes
                self.eventsRead = eventsRead
                self.overflows = overflows
                self.snapshotTime = snapshotTime
                self.watches = watches
                self.watchLimit = watchLimit
                self.watchShare = watchShare
                self.savingError = savingError
                self.unsavedSince = unsavedSince
                self.contentTypes = contentTypes
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                let start = reader.position
                var version: String?
                var pid: Int64?
                var started: String?
                var items: Int64?
                var containers: Int64?
                var liveQueries: Int64?
                var connections: Int64?
                var residentBytes: Int64?
                var eventsRead: Int64?
                var overflows: Int64?
                var snapshotTime: String?
                var watches: Int64?
                var watchLimit: Int64?
                var watchShare: Double?
                var savingError: String?
                var unsavedSince: String?
                var contentTypes: Int64?
                try reader.beginObject()
                while try reader.nextKey() {
                    if try reader.readNullIfPresent() { continue }
                    if reader.keyIs("version") {
                        version = try reader.readString()
                    } else if reader.keyIs("pid") {
                        pid = try reader.readInteger()
                    } else if reader.keyIs("started") {
                        started = try reader.readString()
                    } else if reader.keyIs("items") {
                        items = try reader.readInteger()
                    } else if reader.keyIs("containers") {
                        containers = try reader.readInteger()
                    } else if reader.keyIs("liveQueries") {
                        liveQueries = try reader.readInteger()
                    } else if reader.keyIs("connections") {
                        connections = try reader.readInteger()
                    } else if reader.keyIs("residentBytes") {
                        residentBytes = try reader.readInteger()
                    } else if reader.keyIs("eventsRead") {
                        eventsRead = try reader.readInteger()
                    } else if reader.keyIs("overflows") {
                        overflows = try reader.readInteger()
                    } else if reader.keyIs("snapshotTime") {
                        snapshotTime = try reader.readString()
                    } else if reader.keyIs("watches") {
                        watches = try reader.readInteger()
                    } else if reader.keyIs("watchLimit") {
                        watchLimit = try reader.readInteger()
                    } else if reader.keyIs("watchShare") {
                        watchShare = try reader.readDouble()
                    } else if reader.keyIs("savingError") {
                        savingError = try reader.readString()
                    } else if reader.keyIs("unsavedSince") {
                        unsavedSince = try reader.readString()
                    } else if reader.keyIs("contentTypes") {
                        contentTypes = try reader.readInteger()
                    } else {
                        try reader.skipValue()
                    }
                }
                guard let version else { throw JSONError(.missingField("version"), at: start) }
                guard let pid else { throw JSONError(.missingField("pid"), at: start) }
                guard let started else { throw JSONError(.missingField("started"), at: start) }
                guard let items else { throw JSONError(.missingField("items"), at: start) }
                guard let containers else { throw JSONError(.missingField("containers"), at: start) }
                guard let liveQueries else { throw JSONError(.missingField("liveQueries"), at: start) }
                guard let connections else { throw JSONError(.missingField("connections"), at: start) }
                guard let residentBytes else { throw JSONError(.missingField("residentBytes"), at: start) }
                guard let eventsRead else { throw JSONError(.missingField("eventsRead"), at: start) }
                guard let overflows else { throw JSONError(.missingField("overflows"), at: start) }
                self.version = version
                self.pid = pid
                self.started = started
                self.items = items
                self.containers = containers
                self.liveQueries = liveQueries
                self.connections = connections
                self.residentBytes = residentBytes
                self.eventsRead = eventsRead
                self.overflows = overflows
                self.snapshotTime = snapshotTime
                self.watches = watches
                self.watchLimit = watchLimit
                self.watchShare = watchShare
                self.savingError = savingError
                self.unsavedSince = unsavedSince
                self.contentTypes = contentTypes
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("version", version)
                writer.field("pid", pid)
                writer.field("started", started)
                writer.field("items", items)
                writer.field("containers", containers)
                writer.field("liveQueries", liveQueries)
                writer.field("connections", connections)
                writer.field("residentBytes", residentBytes)
                writer.field("eventsRead", eventsRead)
                writer.field("overflows", overflows)
                writer.field("snapshotTime", snapshotTime)
                writer.field("watches", watches)
                writer.field("watchLimit", watchLimit)
                writer.field("watchShare", watchShare)
                writer.field("savingError", savingError)
                writer.field("unsavedSince", unsavedSince)
                writer.field("contentTypes", contentTypes)
                writer.endObject()
            }
        }
    }
}

extension ServiceInterface {
    /// Reads the configuration again and returns when it is in force. A configuration with a mistake is refused, and
    /// the running one stays in force. Only root and the daemon's own user may call this.
    package enum Reload: VarlinkMethod {
        package static let name = "io.gatherd.Service.Reload"

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

extension ServiceInterface {
    /// Returns counters and gauges, named as in OpenMetrics. `liveQueries` is the number of the busiest live queries
    /// that are included one by one. A caller who does not see all items gets the public values of the process, those
    /// of the containers that it may list, and those of its own live queries.
    package enum Metrics: VarlinkMethod {
        package static let name = "io.gatherd.Service.Metrics"

        /// The parameters of the call.
        package struct Request: JSONMessage, Hashable {
            package var liveQueries: Int64?

            /// The message from its fields.
            package init(liveQueries: Int64? = nil) {
                self.liveQueries = liveQueries
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                var liveQueries: Int64?
                try reader.beginObject()
                while try reader.nextKey() {
                    if try reader.readNullIfPresent() { continue }
                    if reader.keyIs("liveQueries") {
                        liveQueries = try reader.readInteger()
                    } else {
                        try reader.skipValue()
                    }
                }
                self.liveQueries = liveQueries
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("liveQueries", liveQueries)
                writer.endObject()
            }
        }

        /// The answer.
        package struct Reply: JSONMessage, Hashable {
            package var metrics: [Metric]

            /// The message from its fields.
            package init(metrics: [Metric]) {
                self.metrics = metrics
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                let start = reader.position
                var metrics: [Metric]?
                try reader.beginObject()
                while try reader.nextKey() {
                    if try reader.readNullIfPresent() { continue }
                    if reader.keyIs("metrics") {
                        metrics = try reader.readMessages()
                    } else {
                        try reader.skipValue()
                    }
                }
                guard let metrics else { throw JSONError(.missingField("metrics"), at: start) }
                self.metrics = metrics
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("metrics", messages: metrics)
                writer.endObject()
            }
        }
    }
}
