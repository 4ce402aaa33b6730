// Suspends live queries whose subscribers do not read. The change log keeps their changes.
// SPDX-License-Identifier: Apache-2.0

package import MetadataIndex

/// The suspended queries of a registry.
struct Suspensions {
    /// The queries by number.
    var queries: [Int: LiveQuery] = [:]
    /// Queries with many pending items after the last pass. They are suspended if their subscribers do not read
    /// before the next change set.
    var behind: [LiveQuery] = []
    /// The number of changes since the last check of the suspended queries.
    var uncheckedChanges = 0

    /// The number of changes between two checks. A check visits each suspended query.
    static let changesBetweenChecks = 4_096
}

extension LiveQueryRegistry {
    /// The number of pending items at which a query is suspended if its subscriber does not read.
    package static let pendingBeforeSuspension = 256

    // MARK: Suspending

    /// Whether a query has too many pending items for changes to be merged on the event loop.
    func isBehind(_ query: LiveQuery) -> Bool {
        query.number != nil && !query.isOverfull && query.pendingCount >= pendingBeforeSuspension
    }

    /// Notes a query for ``suspendThoseBehind(at:in:)`` if it has many pending items.
    func noteBehind(_ query: LiveQuery) {
        if query.absence == nil, isBehind(query) { suspensions.behind.append(query) }
    }

    /// Suspends the noted queries whose subscribers do not read. Returns them.
    ///
    /// `clock` is the index clock before the next change set. Complexity: O(noted queries).
    func suspendThoseBehind(at clock: UInt64, in index: MetadataIndex) -> [LiveQuery] {
        if suspensions.behind.isEmpty { return [] }
        let noted = suspensions.behind
        suspensions.behind = []
        return suspendUnread(noted.filter { $0.absence == nil && isBehind($0) }, at: clock, in: index)
    }

    /// Suspends all queries that are not read, before a long change set. A background update would otherwise make all
    /// of its rows pending for each of them. `clock` is the index clock before the change set. Complexity: O(queries).
    func suspendUnread(at clock: UInt64, in index: MetadataIndex) {
        suspendUnread(
            queries.compactMap { query in
                query.flatMap { $0.absence == nil && !$0.plan.matchesNothing && !$0.isOverfull ? $0 : nil }
            }, at: clock, in: index)
    }

    /// Suspends those of these queries whose subscribers do not read. Returns them.
    ///
    /// Their answers are as of `clock`. A query is not suspended if the change log does not reach back to that clock,
    /// for example after a change set that is longer than the log.
    @discardableResult
    func suspendUnread(_ queries: [LiveQuery], at clock: UInt64, in index: MetadataIndex) -> [LiveQuery] {
        guard clock >= index.earliestClock else { return [] }
        let unread = queries.filter(isUnread)
        for query in unread { suspend(query, at: clock) }
        return unread
    }

    /// Suspends a query whose answer is as of `clock`: it leaves the subscription index.
    private func suspend(_ query: LiveQuery, at clock: UInt64) {
        guard let number = query.number else { return }
        unfile(query, number)
        query.suspend(at: clock)
        suspensions.queries[number] = query
    }

    // MARK: Returning

    /// Resumes a suspended query when its subscriber reads again. Returns the background update with the changes of
    /// the meantime, merged from the change log. Nil if the query is not suspended, or the log no longer reaches back
    /// (``LiveQuery/hasLostChanges``).
    ///
    /// The index must have no unprocessed changes. Complexity: O(1), and a snapshot.
    package func bringBack(_ query: LiveQuery, in index: MetadataIndex) -> BackgroundUpdate? {
        guard let number = query.number, let clock = query.suspendedSince else { return nil }
        guard let past = index.pastChanges(since: clock) else {
            query.loseChanges()
            return nil
        }
        suspensions.queries[number] = nil
        file(query, number)
        send([query], past, isCounted: true)
        return updates.popLast()
    }

    /// Finds, now and then, the suspended queries that the change log no longer reaches back to. Returns all suspended
    /// queries after a check, so that their pending changes are counted again.
    func checkSuspensions(after changes: Int, in index: MetadataIndex) -> [LiveQuery] {
        if suspensions.queries.isEmpty {
            suspensions.uncheckedChanges = 0
            return []
        }
        suspensions.uncheckedChanges += changes
        guard suspensions.uncheckedChanges >= Suspensions.changesBetweenChecks else { return [] }
        suspensions.uncheckedChanges = 0
        for query in suspensions.queries.values {
            if let clock = query.suspendedSince, clock < index.earliestClock { query.loseChanges() }
        }
        return suspendedQueries
    }

    /// The suspended queries. Complexity: O(suspended queries).
    package var suspendedQueries: [LiveQuery] { Array(suspensions.queries.values) }
}
