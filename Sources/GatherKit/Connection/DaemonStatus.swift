// The status of the daemon.
// SPDX-License-Identifier: Apache-2.0

internal import GatherProtocol

/// The status of the daemon.
public struct DaemonStatus: Sendable, Hashable {
    /// The version.
    public let version: String
    /// The number of its process.
    public let processID: Int
    /// The time of its start.
    public let started: Timestamp?
    /// The number of entries in all containers.
    public let items: Int
    /// The number of containers.
    public let containers: Int
    /// The number of open live queries.
    public let liveQueries: Int
    /// The number of open connections.
    public let connections: Int
    /// The resident memory in bytes.
    public let residentBytes: Int
    /// The number of events read from the kernel.
    public let eventsRead: Int
    /// The number of overflows of the kernel's event queue.
    public let overflows: Int
    /// The time of the last saved state.
    public let snapshotTime: Timestamp?
    /// The number of inotify watches in use; nil if this user is not told.
    public let watches: Int?
    /// The most watches that the daemon may use; nil if it is unknown, or if this user is not told.
    public let watchLimit: Int?
    /// The configured share of the kernel's limit of watches; nil for a daemon without this field.
    public let watchShare: Double?
    /// The latest error of saving the state; nil while saving works, or if this user is not told.
    public let savingError: String?
    /// The time of the first failure to save; nil while saving works.
    public let unsavedSince: Timestamp?
    /// The number of known media types; 0 if the shared MIME-info database is missing, nil for a daemon without this
    /// field.
    public let contentTypes: Int?

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
        watchShare = reply.watchShare
        savingError = reply.savingError
        unsavedSince = reply.unsavedSince.flatMap { Timestamp(rfc3339: $0) }
        contentTypes = reply.contentTypes.map { Int(clamping: $0) }
    }
}
