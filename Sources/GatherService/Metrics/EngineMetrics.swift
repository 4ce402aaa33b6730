// The metrics, and which callers get which of them.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import GatherProtocol
import Glibc
import LinuxSystem
import LiveQueries
import Metadata
import MetadataIndex
import Varlink

/// Reads the metrics of a daemon. Event loop only.
struct EngineMetrics {
    /// The engine, as far as it is measured.
    protocol Source: AnyObject {
        var counters: WatchCounters { get }
        /// Bytes of events that wait in the kernel's queue, and the events that it takes.
        var eventQueue: (bytes: Int, limit: Int) { get }
        /// Watches in use, and those that may be; nil if that is not known.
        var watches: (count: Int, limit: Int?) { get }
        var waitingLookUps: Int { get }
        var activity: ServiceActivity { get }
        var liveQueries: (count: Int, pendingItems: Int, pendingBytes: Int) { get }
        /// The timers that were set for live queries that follow the time of day.
        var clockTimers: UInt64 { get }
        var itemCount: Int { get }
        var containerCount: Int { get }
        /// Nil if nothing is saved.
        var persistence: Persistence? { get }
        func state(of record: ContainerRecord) -> WatchState
        func figures(of record: ContainerRecord) -> ContainerFigures
    }

    /// How the state is saved.
    struct Persistence {
        var journalBytes = 0
        var isSuspended = false
        /// Indexes that were saved, and that could not be.
        var saved: UInt64 = 0
        var failed: UInt64 = 0
        /// Nanoseconds that the last saving took.
        var duration: UInt64 = 0
        /// When the oldest saved index was saved; nil where one never was.
        var time: Timestamp?
    }

    private let source: any Source

    init(_ source: any Source) { self.source = source }

    /// Adds values of the process that every user can read in the process table.
    func addProcess(to list: inout MetricList, started: Timestamp) {
        list.gauge(.init("build_info", "The version that runs"), 1, [.init("version", Version.current)])
        list.gauge(
            .init("start_time_seconds", "When the daemon started, in seconds since 1970", unit: "seconds"),
            Double(started.nanoseconds) / 1e9)
        list.counter(
            .init("cpu_seconds", "Processor time that the daemon has had", unit: "seconds"),
            Double(MonotonicClock.processorTimeOfProcess()) / 1e9)
        list.gauge(
            .init("resident_memory_bytes", "Resident memory", unit: "bytes"), ProcessMemory.residentBytes)
    }

    /// Adds the activity of the whole daemon, for callers that see everything.
    func addActivity(to list: inout MetricList, connections: Int) {
        let (counters, queue, watches) = (source.counters, source.eventQueue, source.watches)
        list.counter(.init("events_read", "Events read from the kernel"), counters.eventsRead)
        list.counter(.init("events_read_bytes", "Bytes of them", unit: "bytes"), counters.bytesRead)
        list.counter(
            .init("queue_overflows", "Times that the kernel's queue of events overflowed"), counters.overflows)
        list.gauge(
            .init("queue_bytes", "Bytes of events that the kernel has queued and nobody has taken", unit: "bytes"),
            queue.bytes)
        list.gauge(
            .init("queue_limit", "Events that the kernel's queue takes before it overflows"),
            queue.limit)
        list.gauge(.init("watches", "Inotify watches in use"), watches.count)
        if let limit = watches.limit {
            list.gauge(.init("watch_limit", "Inotify watches that may be in use"), limit)
        }
        list.counter(.init("look_ups", "Entries looked at"), counters.lookUps)
        list.counter(
            .init("look_ups_merged", "Look-ups joined with another, since the entry changes all the time"),
            counters.lookUpsMerged)
        list.counter(
            .init("look_ups_deferred", "Look-ups that waited since their directory was moving"),
            counters.lookUpsDeferred)
        list.counter(
            .init("look_ups_abandoned", "Look-ups given up, which a comparison made good"),
            counters.lookUpsAbandoned)
        list.gauge(.init("look_ups_waiting", "Entries that are to be looked at"), source.waitingLookUps)
        list.counter(.init("directories_read", "Directories read"), counters.directoriesRead)
        list.counter(
            .init("directories_kept", "Directories that go on with the watch that they had before a restart"),
            counters.directoriesKept)
        list.counter(.init("renames_paired", "Renames of which both halves were heard"), counters.movesPaired)
        list.counter(
            .init("renames_unpaired", "Halves of renames from or to somewhere else"), counters.movesUnpaired)
        list.counter(
            .init("comparisons", "Comparisons of a whole container with the file system"), counters.comparisons)
        list.counter(.init("polls", "Comparisons of directories that are not watched"), counters.polls)
        list.counter(
            .init("audit_passes", "Times that the self-audit has seen a container as a whole"), counters.auditPasses)
        list.counter(
            .init("audit_repairs", "Entries that the self-audit has found out of date"), counters.auditRepairs)

        let questions = MetricList.Family("questions", "Questions asked")
        for (method, count) in zip(ServiceActivity.methods, source.activity.questions) {
            let name = method.split(separator: ".").last.map(String.init) ?? method
            list.counter(questions, count, [.init("method", name)])
        }
        list.gauge(.init("connections", "Connections that are open"), connections)
        list.gauge(.init("live_queries", "Live queries that are open"), source.liveQueries.count)
        list.counter(.init("live_queries_begun", "Live queries that have begun"), source.activity.liveQueriesBegun)
        list.counter(
            .init("clock_timers", "Timers set for live queries that follow the time of day"),
            source.clockTimers)
        list.counter(.init("deltas", "Replies that told live queries of changes"), source.activity.deltas)
        list.counter(.init("delta_items", "Items in them"), source.activity.deltaItems)
        list.counter(
            .init("deltas_held_back", "Times that changes waited for a subscriber who had not taken those before"),
            source.activity.heldBack)
        list.gauge(
            .init("pending_changes", "Changes that subscribers have not taken"), source.liveQueries.pendingItems)
        list.gauge(
            .init("pending_changes_bytes", "Bytes of them in memory", unit: "bytes"), source.liveQueries.pendingBytes)
        list.histogram(
            .init(
                "delta_latency_seconds", "From the read of an event to the reply that tells a live query of it",
                unit: "seconds"), source.activity.deltaLatency)

        list.gauge(.init("items", "Entries known in all containers"), source.itemCount)
        list.gauge(.init("containers", "Containers"), source.containerCount)
        addPersistence(to: &list)
    }

    private func addPersistence(to list: inout MetricList) {
        guard let persistence = source.persistence else { return }
        list.gauge(
            .init("journal_bytes", "Bytes of the journal on disk", unit: "bytes"), persistence.journalBytes)
        list.gauge(
            .init("changes_unsaved", "Whether changes cannot be saved at present"), persistence.isSuspended ? 1 : 0)
        list.counter(.init("snapshots", "Indexes saved"), persistence.saved)
        list.counter(.init("snapshot_failures", "Indexes that could not be saved"), persistence.failed)
        list.gauge(
            .init("snapshot_duration_seconds", "How long the last saving took", unit: "seconds"),
            Double(persistence.duration) / 1e9)
        if let time = persistence.time {
            list.gauge(
                .init(
                    "snapshot_timestamp_seconds", "When the oldest saved index was saved, in seconds since 1970",
                    unit: "seconds"), Double(time.nanoseconds) / 1e9)
        }
    }

    /// Adds each container. Callers that do not see everything get its state and the number of items that they see.
    func addContainers(
        _ records: [ContainerRecord], items: [Int], isWhole: Bool, to list: inout MetricList
    ) {
        func labels(_ record: ContainerRecord) -> MetricList.Labels { [.init("container", record.identifier)] }
        func gauges(_ family: MetricList.Family, _ value: (ContainerRecord) -> Int) {
            for record in records { list.gauge(family, value(record), labels(record)) }
        }
        func counters(_ family: MetricList.Family, _ value: (ContainerRecord) -> UInt64) {
            for record in records { list.counter(family, value(record), labels(record)) }
        }
        let states = ContainerState.allCases.filter { $0 != .other }.map(\.rawValue)
        for record in records {
            list.state(
                .init("container_state", "How a container is"), source.state(of: record).name, of: states,
                labels(record))
        }
        let family = MetricList.Family("container_items", "Entries known in a container")
        for (record, items) in zip(records, items) { list.gauge(family, items, labels(record)) }
        guard isWhole else { return }
        let figures = Dictionary(
            records.map { ($0.number, source.figures(of: $0)) }, uniquingKeysWith: { first, _ in first })
        func figure(_ record: ContainerRecord) -> ContainerFigures { figures[record.number] ?? ContainerFigures() }
        gauges(.init("container_directories", "Directories known in a container")) { figure($0).directories }
        gauges(.init("container_watches", "Directories of a container that are watched")) { figure($0).watches }
        gauges(.init("container_polled_directories", "Directories that are polled, for want of a watch")) {
            figure($0).polled
        }
        gauges(.init("container_unreadable_directories", "Directories that cannot be read")) {
            figure($0).unreadable
        }
        gauges(.init("container_outstanding_directories", "Directories that are still to be read")) {
            figure($0).outstanding
        }
        gauges(.init("container_live_queries", "Live queries that look at a container")) { $0.registry.count }
        counters(.init("container_look_ups", "Entries of a container that were looked at and found")) {
            figure($0).lookUps
        }
        counters(.init("container_changes", "Entries of a container that came, changed or went")) {
            $0.history.changeCount
        }
        gauges(.init("container_snapshot_bytes", "Bytes of a container's saved index", unit: "bytes")) {
            $0.snapshotMark.savedBytes
        }
        gauges(
            .init(
                "container_extended_attribute_bytes", "Memory that a container's extended attributes take",
                unit: "bytes")
        ) { $0.xattrs.isOff ? 0 : $0.index.xattrByteCount }
    }
}

extension Engine: EngineMetrics.Source {
    var counters: WatchCounters { watcher.counters }
    var eventQueue: (bytes: Int, limit: Int) { (watcher.waitingBytes, watcher.kernel.queueLimit) }
    var watches: (count: Int, limit: Int?) { (watcher.watchCount, watcher.watchLimit) }
    var waitingLookUps: Int { watcher.waitingLookUps }
    var liveQueries: (count: Int, pendingItems: Int, pendingBytes: Int) {
        (subscriptions.count, subscriptions.pendingItems, subscriptions.pendingBytes)
    }
    var clockTimers: UInt64 { clockFollower.timersSet }
    var containerCount: Int { containers.count }
    var persistence: EngineMetrics.Persistence? {
        guard commits.isPersistent else { return nil }
        return EngineMetrics.Persistence(
            journalBytes: commits.journalBytes, isSuspended: commits.isSuspended, saved: checkpointer.saved,
            failed: checkpointer.failed, duration: checkpointer.duration, time: snapshotTime)
    }
    func figures(of record: ContainerRecord) -> ContainerFigures { watcher.figures(of: record.number) }
}
