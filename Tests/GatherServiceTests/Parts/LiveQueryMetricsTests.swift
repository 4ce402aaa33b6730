// The busiest live queries are measured, each with what it is.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Testing
import Varlink

@testable import GatherService

struct LiveQueryMetricsTests {
    private struct Query: MeasuredQuery {
        let peer: PeerCredentials
        var activity: QueryActivity
        let count = 3
        let pendingItems = 4

        /// A live query that told so many items.
        init(_ number: UInt64, user: UInt32 = 1, items: Int) {
            peer = PeerCredentials(processID: 9, userID: user, groupID: user, groups: [])
            activity = QueryActivity(number: number, predicate: "size > \(number)", halfTime: 100)
            activity.notePublished(items: items, now: 1_000)
        }
    }

    private func metrics(_ limit: Int, _ queries: [Query], of user: UInt32? = nil) -> [Metric] {
        var list = MetricList()
        LiveQueryMetrics(busiest: limit, of: queries, user: user, now: 1_000).add(to: &list)
        return list.metrics
    }

    /// The numbers of the live queries that are measured, in their order.
    private func numbers(_ limit: Int, _ queries: [Query], of user: UInt32? = nil) -> [String] {
        metrics(limit, queries, of: user).filter { $0.name == "gatherd_live_query_info" }
            .compactMap { metric in metric.labels?.first { $0.name == "query" }?.value }
    }

    @Test func theBusiestComeFirstAndOfEqualOnesTheNewest() {
        let queries = [(1, 5), (2, 9), (3, 5), (4, 0), (5, 7)].map { Query($0, items: $1) }
        #expect(numbers(10, queries) == ["2", "5", "3", "1", "4"])
        for limit in 0...5 {
            let expected = Array(["2", "5", "3", "1", "4"].prefix(limit))
            #expect(numbers(limit, queries) == expected)
            #expect(numbers(limit, queries.reversed()) == expected)
        }
    }

    @Test func thoseOfOneUserAreToldApart() {
        let queries = [Query(1, user: 1, items: 1), Query(2, user: 2, items: 9), Query(3, user: 1, items: 2)]
        #expect(numbers(1, queries, of: 1) == ["3"])
        #expect(numbers(9, queries, of: 3) == [])
    }

    @Test func aFamilyHasTheValuesOfAll() {
        var query = Query(7, user: 5, items: 2)
        query.activity.noteNews(read: 1_000)
        _ = query.activity.noteCaughtUp(now: 2_000_001_000)
        let metrics = metrics(2, [query, Query(8, items: 0)])
        let names = metrics.map { $0.name.dropFirst("gatherd_live_query_".count) }
        #expect(names.prefix(4) == ["info", "info", "matches", "matches"])
        func values(_ name: String) -> [Double] {
            metrics.filter { $0.name == "gatherd_live_query_" + name }.map(\.value)
        }
        #expect(values("matches") == [3, 3] && values("pending_changes") == [4, 4])
        #expect(values("deltas_total") == [1, 1] && values("delta_items_total") == [2, 0])
        #expect(values("delta_latency_seconds_count") == [1, 0] && values("longest_latency_seconds") == [2, 0])
        #expect(
            metrics.first?.labels == [
                .init("query", "7"), .init("user", "5"), .init("process", "9"), .init("predicate", "size > 7"),
            ])
    }
}
