// The live queries over one container.
// SPDX-License-Identifier: Apache-2.0

package import MetadataIndex

/// The live queries over one container. It lives on the event loop with the container's index, and is not `Sendable`.
///
/// Queries are filed by what they demand of an item's name, kind and directory, so that a change costs what the queries
/// cost that it can touch, however many there are besides.
package final class LiveQueryRegistry {
    private var queries: [LiveQuery?] = []
    private var free: [Int] = []
    private var still = QueryFiling()
    private var placed = QueryFiling()

    /// How many rows below directories that moved are walked whatever the queries are; beyond it scans are considered.
    private let walkLimit: Int

    package convenience init() { self.init(walkLimit: 4_096) }

    init(walkLimit: Int) { self.walkLimit = walkLimit }

    /// How many queries there are.
    package var count: Int { still.count + placed.count }

    /// Adds a live query. From here on it collects changes; the index must have none that were not processed.
    /// `attributes` are those that the subscriber asked for.
    package func add(_ plan: QueryPlan, attributes: AttributeSet) -> LiveQuery {
        let number = free.popLast() ?? queries.count
        let query = LiveQuery(plan, attributes: attributes, number: number)
        if number == queries.count { queries.append(query) } else { queries[number] = query }
        file(query, number)
        return query
    }

    /// Ends a live query. Nothing happens if it was ended before.
    package func remove(_ query: LiveQuery) {
        guard let number = query.number, queries[number] === query else { return }
        unfile(query, number)
        query.number = nil
        queries[number] = nil
        free.append(number)
    }

    private func file(_ query: LiveQuery, _ number: Int) {
        if query.isPlaceSensitive { placed.file(number, query.plan) } else { still.file(number, query.plan) }
    }

    private func unfile(_ query: LiveQuery, _ number: Int) {
        if query.isPlaceSensitive { placed.unfile(number, query.plan) } else { still.unfile(number, query.plan) }
    }

    /// Brings a change set to the queries, right after it was taken from the index. Returns the queries that have
    /// something to tell of it, each once.
    ///
    /// Complexity: O(changes × the queries that they can touch); where directories moved and a query reads what follows
    /// from the place, also O(rows below them).
    @discardableResult
    package func process(_ changes: ChangeSet, in index: MetadataIndex) -> [LiveQuery] {
        if changes.isEmpty || count == 0 { return [] }
        var pass = ChangePass(
            changes, in: index, queries: queries, still: still, placed: placed, isCounted: true,
            walkLimit: walkLimit)
        pass.run()
        return pass.touched
    }

    /// Makes pending what differs between the answer as of an earlier clock, which the subscriber holds, and the answer
    /// now. `changes` are those since then (``MetadataIndex/changes(since:)``); called once for a query that was just
    /// added, in the same turn. Its count comes later by ``LiveQuery/count(_:)``.
    package func resume(_ query: LiveQuery, from changes: ChangeSet, in index: MetadataIndex) {
        var filing = QueryFiling()
        filing.file(0, query.plan)
        let none = QueryFiling()
        var pass = ChangePass(
            changes, in: index, queries: [query], still: query.isPlaceSensitive ? none : filing,
            placed: query.isPlaceSensitive ? filing : none, isCounted: false, walkLimit: walkLimit)
        pass.run()
    }

    /// Goes on with a plan for a later moment, for a query that follows the clock (``QueryPlan/followsClock``): what
    /// matches by one plan and not by the other becomes pending. Returns whether anything did. The index must have no
    /// changes that were not processed, and the query's first results must be gathered. Complexity: O(rows).
    package func follow(_ query: LiveQuery, _ plan: QueryPlan, in index: MetadataIndex) -> Bool {
        guard let number = query.number else { return false }
        let snapshot = index.snapshot()
        let before = query.plan.selectTolerantly(in: snapshot).selection
        let (after, errors) = plan.selectTolerantly(in: snapshot)
        unfile(query, number)
        query.plan = plan
        file(query, number)
        query.errors.add(errors)
        let difference = before.symmetricDifference(after)
        for row in difference {
            guard let item = index.identifier(of: row) else { continue }
            let matches = after.contains(row)
            query.record(item, matched: !matches, matches: matches, isCounted: true, isMoved: false) {
                var path: [UInt8] = []
                index.appendPath(of: row, to: &path)
                return path
            }
        }
        return !difference.isEmpty
    }
}
