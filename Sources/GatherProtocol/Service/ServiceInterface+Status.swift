// The messages of io.gatherd.Service.Status.
// SPDX-License-Identifier: Apache-2.0

package import Varlink

extension ServiceInterface {
    /// The daemon in numbers.
    package enum Status: VarlinkMethod {
        package static let name = "io.gatherd.Service.Status"

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

            /// The message from its fields.
            package init(
                version: String, pid: Int64, started: String, items: Int64, containers: Int64, liveQueries: Int64,
                connections: Int64, residentBytes: Int64, eventsRead: Int64, overflows: Int64,
                snapshotTime: String? = nil, watches: Int64? = nil, watchLimit: Int64? = nil
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
                writer.endObject()
            }
        }
    }
}
