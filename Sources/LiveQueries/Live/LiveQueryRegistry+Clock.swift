// The part of the registry that follows the clock.
// SPDX-License-Identifier: Apache-2.0

package import Metadata
package import MetadataIndex

/// When which queries are looked at because time passes.
struct ClockSchedule {
    /// Queries by number; an entry counts where the query is scheduled for its moment.
    var heap = MinimumHeap()
    /// With fewer entries it is not looked how many of them count.
    static let leastEntries = 64
    /// Queries that an errand has to bring to the present moment, in order.
    var waiting: [LiveQuery] = []
    var errandsOut = 0
    /// The moment that was told last.
    var now = Int64.min

    /// Errands under way at once, and queries in each. What changes meanwhile is put by for each errand, so a thousand of
    /// them would be too many; and a query should not wait for a thousand others to be back.
    static let maximumErrands = 4
    static let queriesInErrand = 64
}

extension LiveQueryRegistry {
    /// The moment, in nanoseconds since 1970, at which time changes the answer to a query next, and
    /// ``advance(to:in:)`` is to be called; nil where time changes nothing. It may lie in the past, or have nothing to it when
    /// it comes.
    package var nextMoment: Int64? {
        // The next of those that wait can leave at once.
        if !clock.waiting.isEmpty, clock.errandsOut < ClockSchedule.maximumErrands { return clock.now }
        return clock.heap.first?.key
    }

    /// Notes when a query is to be looked at.
    func schedule(_ query: LiveQuery) {
        guard let number = query.number, !query.isAway, query.plan.clock != nil else { return }
        // Where the clock was set back while it was away, there is something to do at once.
        let isAhead = query.plan.environment.now.nanoseconds > clock.now
        guard let next = isAhead ? clock.now : query.nextMoment else { return }
        if let scheduled = query.scheduled, scheduled <= next { return }
        query.scheduled = next
        clock.heap.push(next, UInt32(truncatingIfNeeded: number))
        tidySchedule()
    }

    /// Lets go of entries that count no more, those of queries that have ended among them: nobody wakes for one, and they are
    /// never many. Complexity: O(1) for each entry that was made, all in all.
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

    /// Brings the queries that follow the clock to a moment: items whose time is over leave, others enter. To be called
    /// at ``nextMoment``, after each change set and, as clocks are set, now and then; also with an earlier moment than
    /// before. The index must have no changes that were not processed. Returns the queries that were looked at. Errands may
    /// be waiting afterwards: to begin with a query, at the end of a day, and where more happens than is known ahead.
    ///
    /// Complexity: O(rows whose moment has come), O(1) for each query that an errand is made for.
    package func advance(to now: Timestamp, in index: MetadataIndex) -> [LiveQuery] {
        var due: [LiveQuery] = []
        if now.nanoseconds < clock.now {
            // Clocks are set back so seldom that all queries may be asked.
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
            // Those who are away are looked at when they are back.
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
                return
            }
            // The rows that were taken are known no more; should it leave with another errand first, it must not miss them.
            query.forgetMoments()
        }
        query.waitsForClock = true
        clock.waiting.append(query)
    }

    private func sendWaiting(to now: Timestamp, in index: MetadataIndex) {
        while !clock.waiting.isEmpty, clock.errandsOut < ClockSchedule.maximumErrands,
            let none = index.changes(since: index.clock)
        {
            let leaving = clock.waiting.prefix(ClockSchedule.queriesInErrand)
            clock.waiting.removeFirst(leaving.count)
            for query in leaving { query.waitsForClock = false }
            // A change set may have taken some away meanwhile, or their subscribers left.
            let present = leaving.filter { $0.number != nil && $0.absence == nil }
            if present.isEmpty { continue }
            clock.errandsOut += send(present, none.formerView(in: index.snapshot()), moment: now)
        }
    }

    /// Nobody tells the time any more, as when the container is removed: no query waits for that.
    package func stopClock() {
        for query in clock.waiting { query.waitsForClock = false }
        clock.waiting = []
    }
}
