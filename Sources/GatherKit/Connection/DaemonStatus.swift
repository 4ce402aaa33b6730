// The daemon in numbers.
// SPDX-License-Identifier: Apache-2.0

internal import GatherProtocol

/// The daemon in numbers.
public struct DaemonStatus: Sendable, Hashable {
    /// Its version.
    public let version: String
    /// Its process.
    public let processID: Int
    /// When it started.
    public let started: Timestamp?
    /// How many entries it holds.
    public let items: Int
    /// How many containers it watches.
    public let containers: Int
    /// How many live queries are open.
    public let liveQueries: Int
    /// How many connections are open.
    public let connections: Int
    /// Its resident memory.
    public let residentBytes: Int
    /// How many events it has read from the kernel.
    public let eventsRead: Int
    /// How often the kernel's queue of events overflowed.
    public let overflows: Int
    /// When its state was saved last.
    public let snapshotTime: Timestamp?
    /// How many inotify watches it uses; nil for one who is not told.
    public let watches: Int?
    /// How many it may use; nil where that is not known, and for one who is not told.
    public let watchLimit: Int?

    init(_ reply: ServiceInterface.Status.Reply) {
        version = reply.version
        processID = Int(clamping: reply.pid)
        started = Timestamp(rfc3339: reply.started)
        items = Int(clamping: reply.items)
        containers = Int(clamping: reply.containers)
        liveQueries = Int(clamping: reply.liveQueries)
        connections = Int(clamping: reply.connections)
        residentBytes = Int(clamping: reply.residentBytes)
        eventsRead = Int(clamping: reply.eventsRead)
        overflows = Int(clamping: reply.overflows)
        snapshotTime = reply.snapshotTime.flatMap { Timestamp(rfc3339: $0) }
        watches = reply.watches.map { Int(clamping: $0) }
        watchLimit = reply.watchLimit.map { Int(clamping: $0) }
    }
}
