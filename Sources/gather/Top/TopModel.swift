// The model of the live view: rates, latencies and their recent history.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit

/// The recent samples, and the rates and latencies that follow from them.
struct TopModel {
    /// One line of values that are shown as a curve.
    enum Series: CaseIterable {
        case events
        case lookUps
        case items
        case queue
        case latency
    }

    struct ContainerRow {
        var identifier: String
        var state: String
        var items: Double
        /// Per second; nil if the daemon does not tell.
        var changes: Double?
        var lookUps: Double?
        var liveQueries: Double?
    }

    struct QueryRow {
        var number: UInt64
        var user: String
        var process: String
        var predicate: String
        var matches: Double
        /// Per second.
        var deltas: Double
        var items: Double
        var pending: Double
        /// The mean over the recent samples, in seconds; nil if there was none.
        var latency: Double?
    }

    /// The number of samples over which latencies are computed.
    private static let window = 60
    private static let historyKept = 512

    private(set) var samples: [TopSample] = []
    private(set) var history: [Series: [Double]] = [:]

    var latest: TopSample? { samples.last }
    private var former: TopSample? { samples.count > 1 ? samples[samples.count - 2] : nil }

    /// Whether there are two samples to compare.
    var hasRates: Bool { samples.count > 1 }

    mutating func add(_ sample: TopSample) {
        // A new daemon counts from zero.
        if let latest, let started = sample.values["start_time_seconds"],
            latest.values["start_time_seconds"] != started
        {
            samples = []
        }
        samples.append(sample)
        if samples.count > Self.window { samples.removeFirst() }
        guard hasRates else { return }
        for series in Series.allCases {
            history[series, default: []].append(value(of: series) ?? 0)
            if history[series]?.count ?? 0 > Self.historyKept { history[series]?.removeFirst() }
        }
    }

    /// Returns the growth of a counter per second; nil without two samples that have it.
    func rate(_ name: String) -> Double? { rate(former?.values[name], latest?.values[name]) }

    private func rate(_ before: Double?, _ now: Double?) -> Double? {
        guard let former, let latest, let now, latest.time > former.time else { return nil }
        // A new counter has grown from zero.
        return max(0, now - (before ?? 0)) * 1e9 / Double(latest.time - former.time)
    }

    /// Returns the present value of a series.
    func value(of series: Series) -> Double? {
        switch series {
        case .events: rate("events_read_total")
        case .lookUps: rate("look_ups_total")
        case .items: rate("delta_items_total")
        case .queue: latest?.values["queue_bytes"]
        case .latency: former.flatMap { latest?.latency(0.99, since: $0) }
        }
    }

    /// Returns a quantile of the recent latencies, in seconds.
    func latency(_ share: Double) -> Double? { latest?.latency(share, since: hasRates ? samples.first : nil) }

    var containers: [ContainerRow] {
        guard let latest else { return [] }
        return latest.containers.map { identifier, container in
            let before = former?.containers[identifier]?.values
            func rate(_ name: String) -> Double? {
                self.rate(before?[name] ?? container.values[name], container.values[name])
            }
            return ContainerRow(
                identifier: identifier, state: container.state, items: container.values["container_items"] ?? 0,
                changes: rate("container_changes_total"), lookUps: rate("container_look_ups_total"),
                liveQueries: container.values["container_live_queries"])
        }
    }

    var queries: [QueryRow] {
        guard let latest else { return [] }
        return latest.queries.map { number, query in
            let before = former?.queries[number]?.values
            func rate(_ name: String) -> Double { self.rate(before?[name] ?? 0, query.values[name]) ?? 0 }
            let oldest = samples.first { $0.queries[number] != nil && $0.time < latest.time }?.queries[number]?.values
            func grown(_ name: String) -> Double { (query.values[name] ?? 0) - (oldest?[name] ?? 0) }
            let count = grown("live_query_delta_latency_seconds_count")
            return QueryRow(
                number: number, user: query.user, process: query.process, predicate: query.predicate,
                matches: query.values["live_query_matches"] ?? 0, deltas: rate("live_query_deltas_total"),
                items: rate("live_query_delta_items_total"), pending: query.values["live_query_pending_changes"] ?? 0,
                latency: count > 0 ? grown("live_query_delta_latency_seconds_sum") / count : nil)
        }
    }

    // MARK: As an object

    /// Returns the model as a JSON object.
    func object(at time: Timestamp) -> [UInt8] {
        var line = JSONLine()
        line.add("time", time.rfc3339)
        line.add("version", latest?.version)
        for (name, key): (StaticString, String) in [
            ("eventsPerSecond", "events_read_total"), ("lookUpsPerSecond", "look_ups_total"),
            ("deltasPerSecond", "deltas_total"), ("itemsPerSecond", "delta_items_total"),
            ("processorSecondsPerSecond", "cpu_seconds_total"),
        ] {
            if let value = rate(key) { line.add(name, value) }
        }
        for (name, key): (StaticString, String) in [
            ("queueBytes", "queue_bytes"), ("overflows", "queue_overflows_total"), ("watches", "watches"),
            ("watchLimit", "watch_limit"), ("residentBytes", "resident_memory_bytes"), ("items", "items"),
            ("connections", "connections"), ("liveQueryCount", "live_queries"), ("pendingChanges", "pending_changes"),
        ] {
            if let value = latest?.values[key] { line.add(name, Int(value)) }
        }
        if let latency = latency(0.5) { line.add("latencyMedianSeconds", latency) }
        if let latency = latency(0.99) { line.add("latency99Seconds", latency) }
        line.add("containers", containers.sorted { $0.identifier < $1.identifier }.map(Self.object))
        line.add("liveQueries", queries.sorted { $0.number < $1.number }.map(Self.object))
        return line.bytes()
    }

    private static func object(_ row: ContainerRow) -> [UInt8] {
        var line = JSONLine()
        line.add("identifier", row.identifier)
        line.add("state", row.state)
        line.add("items", Int(row.items))
        if let value = row.changes { line.add("changesPerSecond", value) }
        if let value = row.lookUps { line.add("lookUpsPerSecond", value) }
        if let value = row.liveQueries { line.add("liveQueries", Int(value)) }
        return line.bytes()
    }

    private static func object(_ row: QueryRow) -> [UInt8] {
        var line = JSONLine()
        line.add("number", Int(row.number))
        if let user = Int(row.user) { line.add("userID", user) }
        if let process = Int(row.process) { line.add("pid", process) }
        line.add("predicate", row.predicate)
        line.add("matches", Int(row.matches))
        line.add("deltasPerSecond", row.deltas)
        line.add("itemsPerSecond", row.items)
        line.add("pendingChanges", Int(row.pending))
        if let latency = row.latency { line.add("latencySeconds", latency) }
        return line.bytes()
    }
}
