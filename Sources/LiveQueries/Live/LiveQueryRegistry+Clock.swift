// Live queries that follow the clock.
// SPDX-License-Identifier: Apache-2.0

package import Metadata
package import MetadataIndex

/// The schedule of live queries that change as time passes.
struct ClockSchedule {
    /// Queries by number. An entry is valid if its moment is the one that the query is scheduled for.
    var heap = MinimumHeap()
    /// With fewer entries, invalid ones are not counted.
    static let leastEntries = 64
    /// Queries that wait for a background update to the present moment, in order.
    var waiting: [LiveQuery] = []
    var updatesOut = 0
    /// The moment of the last ``LiveQueryRegistry/advance(to:in:)``.
    var now = Int64.min

    /// The limits of background updates at once, and of queries in one. Changes are collected for each update, so a
    /// thousand updates would be too many. A query should also not wait for a thousand others.
    static let maximumUpdates = 4
    static let queriesInUpdate = 64
}

extension LiveQueryRegistry {
    /// The next moment at which time changes an answer, in nanoseconds since 1970; nil if there is none. Call
    /// ``advance(to:in:)`` then. The moment may be in the past, and an answer need not differ then.
    package var nextMoment: Int64? {
        // The next waiting queries can leave at once.
        if !clock.waiting.isEmpty, clock.updatesOut < ClockSchedule.maximumUpdates { return clock.now }
        return clock.heap.first?.key
    }

    /// Whether the time of day changes the answer to any query.
    package var followsClock: Bool { !following.isEmpty }

    /// Whether queries have advanced beyond this moment, because the clock was set back. Call ``advance(to:in:)`` then,
    /// even without a ``nextMoment``. Until then, changed files are compared with a moment in the future.
    package func isAhead(of now: Timestamp) -> Bool { followsClock && now.nanoseconds < clock.now }

    /// Schedules a query for its next moment.
    func schedule(_ query: LiveQuery) {
        guard let number = query.number, !query.isAway, query.plan.clock != nil else { return }
        // If the clock was set back while the answer was away, the query is due at once.
        let isAhead = query.plan.environment.now.nanoseconds > clock.now
        guard let next = isAhead ? clock.now : query.nextMoment else { return }
        if let scheduled = query.scheduled, scheduled <= next { return }
        query.scheduled = next
        clock.heap.push(next, UInt32(truncatingIfNeeded: number))
        tidySchedule()
    }

    /// Removes invalid entries, such as those of removed queries, so that they cause no wake-ups and stay few.
    /// Complexity: O(1) for each entry, amortized.
    func tidySchedule() {
        func counts(_ entry: MinimumHeap.Entry) -> Bool {
            let number = Int(entry.number)
            return queries.indices.contains(number) && queries[number]?.scheduled == entry.key
        }
        while let first = clock.heap.first, !counts(first) { clock.heap.pop() }
        guard clock.heap.count > max(2 * count, ClockSchedule.leastEntries) else { return }
        clock.heap = MinimumHeap()
        for (number, query) in queries.enumerated() {
            if let moment = query?.scheduled { clock.heap.push(moment, UInt32(truncatingIfNeeded: number)) }
        }
    }

    /// Advances the queries that follow the clock to a moment: items whose time is over leave, others enter. Returns
    /// the queries that were due. Background updates may be waiting afterwards.
    ///
    /// Call it at ``nextMoment``, after each change set, and when the clock was set. The moment may be earlier than the
    /// last one. The index must have no unprocessed changes. A background update does the first pass of a query, the
    /// pass at the end of a day, and passes with more rows than were known.
    ///
    /// Complexity: O(rows whose moment has come), and O(1) for each query in a background update.
    package func advance(to now: Timestamp, in index: MetadataIndex) -> [LiveQuery] {
        var due: [LiveQuery] = []
        if now.nanoseconds < clock.now {
            // The clock is rarely set back, so all queries may be checked.
            for case let query? in queries
            where query.plan.clock != nil && !query.isAway && query.plan.environment.now > now {
                query.scheduled = nil
                due.append(query)
            }
        }
        clock.now = now.nanoseconds
        while let first = clock.heap.first, first.key <= now.nanoseconds {
            clock.heap.pop()
            let number = Int(first.number)
            guard queries.indices.contains(number), let query = queries[number], query.scheduled == first.key else {
                continue
            }
            query.scheduled = nil
            // Queries that are away are checked when they are back.
            if !query.isAway { due.append(query) }
        }
        if !due.isEmpty {
            let snapshot = index.snapshot()
            for query in due { advance(query, to: now, in: snapshot) }
        }
        sendWaiting(to: now, in: index)
        return due
    }

    private func advance(_ query: LiveQuery, to now: Timestamp, in snapshot: IndexSnapshot) {
        if query.knowsAll(until: now.nanoseconds), !query.plan.readsAccounts {
            let rows = query.takeDue(now.nanoseconds, limit: rowLimit)
            if rows.count < rowLimit {
                query.advance(rows, to: query.plan.at(now), in: snapshot)
                schedule(query)
                noteBehind(query)
                return
            }
            // The taken rows are forgotten. If the query first leaves with another update, it must find them again.
            query.forgetMoments()
        }
        query.waitsForClock = true
        clock.waiting.append(query)
    }

    private func sendWaiting(to now: Timestamp, in index: MetadataIndex) {
        while !clock.waiting.isEmpty, clock.updatesOut < ClockSchedule.maximumUpdates,
            let none = index.changes(since: index.clock)
        {
            let leaving = clock.waiting.prefix(ClockSchedule.queriesInUpdate)
            clock.waiting.removeFirst(leaving.count)
            for query in leaving { query.waitsForClock = false }
            // A change set may have sent some away meanwhile, or their subscribers may have left.
            let present = leaving.filter { $0.number != nil && $0.absence == nil }
            if present.isEmpty { continue }
            clock.updatesOut += send(present, none.preImageView(in: index.snapshot()), moment: now)
        }
    }

    /// Ends waiting for the clock, for a container that is removed and gets no further moments.
    package func stopClock() {
        for query in clock.waiting { query.waitsForClock = false }
        clock.waiting = []
    }
}
