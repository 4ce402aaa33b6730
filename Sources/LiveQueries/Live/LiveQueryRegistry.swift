// The live queries over one container.
// SPDX-License-Identifier: Apache-2.0

import Metadata
package import MetadataIndex

/// The live queries over one container. It lives on the event loop with the container's index, and is not `Sendable`.
///
/// Queries are filed by what they demand of an item's name, kind and directory, so that a change costs what the queries
/// cost that it can touch, however many there are besides. What would take the event loop long is given out as errands
/// (``takeErrands()``).
package final class LiveQueryRegistry {
    private(set) var queries: [LiveQuery?] = []
    private var free: [Int] = []
    private var still = QueryFiling()
    private var placed = QueryFiling()
    /// How many queries depend on each cause, by the number of its bit.
    private var dependents = [Int](repeating: 0, count: 8)

    /// Queries whose answers are away, and what changed since they left.
    private struct Absence {
        var queries: [LiveQuery]
        var changes: ChangeSet?
    }

    private var absences: [Int: Absence] = [:]
    private var nextErrand = 0
    private var errands: [LiveErrand] = []
    var clock = ClockSchedule()

    /// How many changed rows, and rows below directories that changed, one change set may have for its pass to be made on
    /// the event loop.
    let rowLimit: Int
    /// How many rows below directories that changed are walked whatever the queries are; beyond it scans are considered.
    private let walkLimit: Int

    /// A row takes a microsecond or less with few queries that it can touch.
    package static let rowsOnLoop = 1_024

    package convenience init() { self.init(rowLimit: LiveQueryRegistry.rowsOnLoop, walkLimit: 4_096) }

    init(rowLimit: Int, walkLimit: Int) {
        self.rowLimit = rowLimit
        self.walkLimit = walkLimit
    }

    /// How many queries there are.
    package var count: Int { still.count + placed.count }

    // MARK: Queries

    /// Adds a live query. From here on it collects changes; the index must have none that were not processed.
    /// `attributes` are those that the subscriber asked for; `meter` bounds what costly tests of this query take of the
    /// loop, together with others that it is given to.
    package func add(_ plan: QueryPlan, attributes: AttributeSet, meter: WorkMeter? = nil) -> LiveQuery {
        let number = free.popLast() ?? queries.count
        let query = LiveQuery(plan, attributes: attributes, number: number, meter: meter)
        if number == queries.count { queries.append(query) } else { queries[number] = query }
        file(query, number)
        schedule(query)
        return query
    }

    /// Ends a live query, wherever its answer is. Nothing happens if it was ended before.
    package func remove(_ query: LiveQuery) {
        guard let number = query.number, queries[number] === query else { return }
        unfile(query, number)
        query.number = nil
        queries[number] = nil
        free.append(number)
    }

    private func file(_ query: LiveQuery, _ number: Int) {
        if query.isPlaceSensitive { placed.file(number, query.plan) } else { still.file(number, query.plan) }
        for bit in 0..<8 where query.causes.rawValue >> bit & 1 != 0 { dependents[bit] += 1 }
    }

    /// Goes on with a plan for another moment; what it demands may be something else then.
    private func adopt(_ plan: QueryPlan, _ query: LiveQuery) {
        guard let number = query.number, plan.clock?.isOpaque ?? false else {
            query.plan = plan
            return
        }
        unfile(query, number)
        query.plan = plan
        file(query, number)
    }

    private func unfile(_ query: LiveQuery, _ number: Int) {
        if query.isPlaceSensitive { placed.unfile(number, query.plan) } else { still.unfile(number, query.plan) }
        for bit in 0..<8 where query.causes.rawValue >> bit & 1 != 0 { dependents[bit] -= 1 }
    }

    /// What of the directories above an item any query depends on.
    private var causes: SubtreeChange.Causes {
        SubtreeChange.Causes(
            rawValue: dependents.indices.reduce(0) { dependents[$1] > 0 ? $0 | 1 << UInt8($1) : $0 })
    }

    // MARK: Changes

    /// Brings a change set to the queries, right after it was taken from the index. Returns the queries that have
    /// something to tell of it, each once. Errands may be waiting afterwards.
    ///
    /// Complexity: O(changes × the queries that they can touch), for at most ``rowsOnLoop`` changes and rows below
    /// directories that changed; whatever is more is an errand, and costs O(queries) here.
    @discardableResult
    package func process(_ changes: ChangeSet, in index: MetadataIndex) -> [LiveQuery] {
        if changes.isEmpty { return [] }
        for number in absences.keys {
            if absences[number]?.changes == nil {
                absences[number]?.changes = changes
            } else {
                absences[number]?.changes?.append(changes)
            }
        }
        return bring(changes, index, absence: nil)
    }

    /// Makes pending what differs between the answer as of an earlier clock, which the subscriber holds, and the answer
    /// now. `changes` are those since then (``MetadataIndex/changes(since:)``); called once for a query that was just
    /// added, in the same turn. Its count comes later by ``LiveQuery/count(_:)``. An errand may be waiting afterwards.
    package func resume(_ query: LiveQuery, from changes: ChangeSet, in index: MetadataIndex) {
        let former = changes.formerView(in: index.snapshot())
        let subtrees = SubtreeChanges(former, causes: query.causes)
        if isLong(former, subtrees) { return send([query], former, isCounted: false) }
        var filing = QueryFiling()
        filing.file(0, query.plan)
        let none = QueryFiling()
        var pass = ChangePass(
            former, subtrees, queries: [query], still: query.isPlaceSensitive ? none : filing,
            placed: query.isPlaceSensitive ? filing : none, isCounted: false, walkLimit: walkLimit)
        pass.run()
        schedule(query)
    }

    /// Brings a change set to the queries that are not away, or to those that just came back from an errand.
    private func bring(_ changes: ChangeSet, _ index: MetadataIndex, absence: Int?) -> [LiveQuery] {
        if count == 0 { return [] }
        let former = changes.formerView(in: index.snapshot())
        // One that nothing can match, as of who sees nothing of the container, is not to be kept busy by what happens there.
        func isMet(_ query: LiveQuery?) -> Bool {
            query.map { $0.absence == absence && !$0.plan.matchesNothing } ?? false
        }
        if changes.count > rowLimit {
            send(queries.compactMap { isMet($0) ? $0 : nil }, former)
            return []
        }
        var subtrees = SubtreeChanges(former, causes: causes)
        if isLong(former, subtrees) {
            // An item below that matches is needed for there to be anything to tell, unless it may come to match.
            send(
                queries.compactMap { query in
                    guard let query, isMet(query), subtrees.concern(query),
                        query.count > 0 || !query.isGathered || !query.plan.causes.isEmpty
                    else { return nil }
                    return query
                }, former)
            // Nobody who is left has to do with them.
            subtrees = subtrees.setAside
        }
        var pass = ChangePass(
            former, subtrees, queries: queries, still: still, placed: placed, absence: absence, walkLimit: walkLimit)
        pass.run()
        for query in pass.noted { schedule(query) }
        return pass.touched
    }

    private func isLong(_ former: FormerView, _ subtrees: SubtreeChanges) -> Bool {
        former.changes.count > rowLimit
            || !subtrees.isEmpty && subtrees.rowCount(in: former.current, atMost: rowLimit) >= rowLimit
    }

    // MARK: Errands

    /// Sends the answers of queries away.
    func send(_ leaving: [LiveQuery], _ former: FormerView, isCounted: Bool = true, moment: Timestamp? = nil) {
        if leaving.isEmpty { return }
        let number = nextErrand
        nextErrand += 1
        let parts = leaving.map {
            LiveErrand.Part(plan: $0.plan, attributes: $0.attributes, answer: $0.lend(to: number))
        }
        absences[number] = Absence(queries: leaving)
        errands.append(LiveErrand(number, former, parts, isCounted: isCounted, moment: moment, walkLimit: walkLimit))
    }

    /// The errands that wait to be run: to be asked for whenever something else here was called.
    package func takeErrands() -> [LiveErrand] {
        let waiting = errands
        errands = []
        return waiting
    }

    /// Brings the answers back after ``LiveErrand/run()``, and lets their queries catch up with what changed meanwhile. The
    /// index must have no changes that were not processed. Returns the queries that were away. Where there is too much to
    /// catch up with, they are behind still, and what they have can be taken in this turn, until ``goOn(after:in:)``.
    package func finish(_ errand: LiveErrand, in index: MetadataIndex) -> [LiveQuery] {
        guard let absence = absences[errand.number] else { return [] }
        for (part, query) in zip(errand.takeParts(), absence.queries) {
            query.takeBack(part.answer, as: errand.former.current)
            if errand.moment != nil { adopt(part.plan, query) }
            if let plan = query.nextPlan { replacePlan(of: query, by: plan, in: errand.former.current) }
        }
        if errand.moment != nil { clock.errandsOut -= 1 }
        if let changes = absence.changes {
            let former = changes.formerView(in: index.snapshot())
            if isLong(former, SubtreeChanges(former, causes: causes)) { return absence.queries }
        }
        goOn(after: errand, in: index)
        return absence.queries
    }

    /// Lets the queries that an errand brought back leave again where they have more to catch up with. To be called after
    /// ``finish(_:in:)``, when their subscribers had a chance to take what there is: else a directory that is moved back and
    /// forth could keep them away for ever. The index must have no changes that were not processed.
    package func goOn(after errand: LiveErrand, in index: MetadataIndex) {
        guard let absence = absences.removeValue(forKey: errand.number) else { return }
        if let changes = absence.changes { _ = bring(changes, index, absence: errand.number) }
        for query in absence.queries where query.absence == errand.number {
            query.catchUp()
            schedule(query)
        }
    }

    // MARK: Viewers

    /// Goes on with a plan for a viewer who sees more or less of the container than before, since the container's own
    /// directory or one above it has other permissions: what matches by one plan and not by the other becomes pending.
    /// Returns whether anything did; a query that is away does it when it is back. The index must have no changes that were
    /// not processed. Complexity: O(rows).
    package func look(_ query: LiveQuery, by plan: QueryPlan, in index: MetadataIndex) -> Bool {
        guard (query.nextPlan ?? query.plan).environment.viewer != plan.environment.viewer else { return false }
        guard query.isAway else { return replacePlan(of: query, by: plan, in: index.snapshot()) }
        query.nextPlan = plan
        return false
    }

    @discardableResult
    private func replacePlan(of query: LiveQuery, by plan: QueryPlan, in snapshot: IndexSnapshot) -> Bool {
        query.nextPlan = nil
        guard let number = query.number else { return false }
        let before = query.plan.selectTolerantly(in: snapshot).selection
        let after = plan.selectTolerantly(in: snapshot).selection
        unfile(query, number)
        query.plan = plan
        file(query, number)
        query.forgetMoments()
        schedule(query)
        let difference = before.symmetricDifference(after)
        for row in difference {
            guard let item = snapshot.identifier(of: row) else { continue }
            let matches = after.contains(row)
            query.record(item, matched: !matches, matches: matches, isCounted: true, isMoved: false) {
                var path: [UInt8] = []
                snapshot.appendPath(of: row, to: &path)
                return path
            }
        }
        return !difference.isEmpty
    }
}
