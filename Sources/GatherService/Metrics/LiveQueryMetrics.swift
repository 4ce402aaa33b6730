// The metrics of the busiest live queries.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Varlink

/// A live query that is measured.
protocol MeasuredQuery {
    var peer: PeerCredentials { get }
    var activity: QueryActivity { get }
    /// Items that match.
    var count: Int { get }
    /// Changes that its subscriber has not taken.
    var pendingItems: Int { get }
}

/// Tells the metrics of the live queries that were busiest recently.
struct LiveQueryMetrics<Query: MeasuredQuery> {
    /// The busiest first.
    private let chosen: [Query]

    /// Chooses at most `limit` live queries, of one user or of all. One pass keeps so many, since there may be ten thousand.
    init(busiest limit: Int, of queries: some Collection<Query>, user: UInt32?, now: UInt64) {
        guard limit > 0 else {
            chosen = []
            return
        }
        typealias Rank = (busyness: UInt64, number: UInt64)
        func isBefore(_ one: Rank, _ other: Rank) -> Bool {
            one.busyness != other.busyness ? one.busyness > other.busyness : one.number > other.number
        }
        var chosen: [(rank: Rank, query: Query)] = []
        for query in queries where user == nil || query.peer.userID == user {
            let rank = (query.activity.busyness(now: now), query.activity.number)
            if chosen.count == limit, let last = chosen.last, !isBefore(rank, last.rank) { continue }
            let place = chosen.firstIndex { isBefore(rank, $0.rank) } ?? chosen.count
            chosen.insert((rank, query), at: place)
            if chosen.count > limit { chosen.removeLast() }
        }
        self.chosen = chosen.map(\.query)
    }

    /// Adds their values. Each family has those of all of them.
    func add(to list: inout MetricList) {
        func each(_ body: (Query, MetricList.Labels) -> Void) {
            for query in chosen { body(query, [.init("query", "\(query.activity.number)")]) }
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
        each { list.gauge(.init("live_query_pending_changes", "Changes that it has not taken"), $0.pendingItems, $1) }
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
}

extension Subscription: MeasuredQuery {
    var pendingItems: Int { pending.items }
}
