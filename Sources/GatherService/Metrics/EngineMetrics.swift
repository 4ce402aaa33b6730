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
    private let engine: Engine

    init(_ engine: Engine) { self.engine = engine }

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

    /// Adds the engine.activity of the whole daemon, for callers that see everything.
    func addActivity(to list: inout MetricList, connections: Int) {
        let counters = engine.watcher.counters
        list.counter(.init("events_read", "Events read from the kernel"), counters.eventsRead)
        list.counter(.init("events_read_bytes", "Bytes of them", unit: "bytes"), counters.bytesRead)
        list.counter(
            .init("queue_overflows", "Times that the kernel's queue of events overflowed"), counters.overflows)
        list.gauge(
            .init("queue_bytes", "Bytes of events that the kernel has queued and nobody has taken", unit: "bytes"),
            engine.watcher.waitingBytes)
        list.gauge(
            .init("queue_limit", "Events that the kernel's queue takes before it overflows"),
            engine.watcher.kernel.queueLimit)
        list.gauge(.init("watches", "Inotify watches in use"), engine.watcher.watchCount)
        if let limit = engine.watcher.watchLimit {
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
        list.gauge(.init("look_ups_waiting", "Entries that are to be looked at"), engine.watcher.waitingLookUps)
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
        for (method, count) in zip(ServiceActivity.methods, engine.activity.questions) {
            let name = method.split(separator: ".").last.map(String.init) ?? method
            list.counter(questions, count, [.init("method", name)])
        }
        list.gauge(.init("connections", "Connections that are open"), connections)
        list.gauge(.init("live_queries", "Live queries that are open"), engine.subscriptions.count)
        list.counter(.init("live_queries_begun", "Live queries that have begun"), engine.activity.liveQueriesBegun)
        list.counter(
            .init("clock_timers", "Timers set for live queries that follow the time of day"),
            engine.clockFollower.timersSet)
        list.counter(.init("deltas", "Replies that told live queries of changes"), engine.activity.deltas)
        list.counter(.init("delta_items", "Items in them"), engine.activity.deltaItems)
        list.counter(
            .init("deltas_held_back", "Times that changes waited for a subscriber who had not taken those before"),
            engine.activity.heldBack)
        list.gauge(
            .init("pending_changes", "Changes that subscribers have not taken"), engine.subscriptions.pendingItems)
        list.gauge(
            .init("pending_changes_bytes", "Bytes of them in memory", unit: "bytes"), engine.subscriptions.pendingBytes)
        list.histogram(
            .init(
                "delta_latency_seconds", "From the read of an event to the reply that tells a live query of it",
                unit: "seconds"), engine.activity.deltaLatency)

        list.gauge(.init("items", "Entries known in all containers"), engine.itemCount)
        list.gauge(.init("containers", "Containers"), engine.containers.count)
        addSaving(to: &list)
    }

    private func addSaving(to list: inout MetricList) {
        guard engine.commits.isKept else { return }
        list.gauge(
            .init("journal_bytes", "Bytes of the journal on disk", unit: "bytes"), engine.commits.journalBytes)
        list.gauge(
            .init("changes_unsaved", "Whether changes cannot be saved at present"), engine.commits.isSuspended ? 1 : 0)
        list.counter(.init("snapshots", "Indexes saved"), engine.checkpointer.saved)
        list.counter(.init("snapshot_failures", "Indexes that could not be saved"), engine.checkpointer.failed)
        list.gauge(
            .init("snapshot_duration_seconds", "How long the last saving took", unit: "seconds"),
            Double(engine.checkpointer.duration) / 1e9)
        if let time = engine.snapshotTime {
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
        let states = GatherProtocol.ContainerState.allCases.filter { $0 != .other }.map(\.rawValue)
        for record in records {
            list.state(
                .init("container_state", "How a container is"), engine.state(of: record).name, of: states,
                labels(record))
        }
        let family = MetricList.Family("container_items", "Entries known in a container")
        for (record, items) in zip(records, items) { list.gauge(family, items, labels(record)) }
        guard isWhole else { return }
        let figures = Dictionary(
            records.map { ($0.number, engine.watcher.figures(of: $0.number)) }, uniquingKeysWith: { first, _ in first })
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
            $0.saving.savedBytes
        }
        gauges(
            .init(
                "container_extended_attribute_bytes", "Memory that a container's extended attributes take",
                unit: "bytes")
        ) { $0.extras.isOff ? 0 : $0.index.extrasByteCount }
    }

    /// Adds the live queries that were busiest recently, of one user or of all.
    func addLiveQueries(_ limit: Int, of user: UInt32?, to list: inout MetricList) {
        guard limit > 0 else { return }
        let chosen = busiest(limit, of: user)
        func each(_ body: (Subscription, MetricList.Labels) -> Void) {
            for subscription in chosen { body(subscription, [.init("query", "\(subscription.activity.number)")]) }
        }
        each {
            list.gauge(
                .init("live_query_info", "A live query and whose it is"), 1,
                $1 + [
                    .init("user", "\($0.peer.userID)"), .init("process", "\($0.peer.processID)"),
                    .init("predicate", $0.activity.predicate),
                ])
        }
        each { list.gauge(.init("live_query_matches", "Items that match"), $0.count, $1) }
        each { list.gauge(.init("live_query_pending_changes", "Changes that it has not taken"), $0.pending.items, $1) }
        each { list.counter(.init("live_query_deltas", "Replies that told it of changes"), $0.activity.deltas, $1) }
        each { list.counter(.init("live_query_delta_items", "Items in them"), $0.activity.items, $1) }
        each {
            list.summary(
                .init(
                    "live_query_delta_latency_seconds", "From the read of an event to the reply that tells of it",
                    unit: "seconds"),
                count: $0.activity.latencies, nanoseconds: $0.activity.latencyNanoseconds, $1)
        }
        each {
            list.gauge(
                .init("live_query_longest_latency_seconds", "The longest of these", unit: "seconds"),
                Double($0.activity.longestLatency) / 1e9, $1)
        }
    }

    /// Returns the busiest live queries first. One pass keeps at most `limit`, since there may be ten thousand.
    private func busiest(_ limit: Int, of user: UInt32?) -> [Subscription] {
        typealias Rank = (busyness: UInt64, number: UInt64)
        func isBefore(_ one: Rank, _ other: Rank) -> Bool {
            one.busyness != other.busyness ? one.busyness > other.busyness : one.number > other.number
        }
        let now = MonotonicClock.now()
        var chosen: [(rank: Rank, subscription: Subscription)] = []
        for subscription in engine.subscriptions.all where user == nil || subscription.peer.userID == user {
            let rank = (subscription.activity.busyness(now: now), subscription.activity.number)
            if chosen.count == limit, let last = chosen.last, !isBefore(rank, last.rank) { continue }
            let place = chosen.firstIndex { isBefore(rank, $0.rank) } ?? chosen.count
            chosen.insert((rank, subscription), at: place)
            if chosen.count > limit { chosen.removeLast() }
        }
        return chosen.map(\.subscription)
    }
}
