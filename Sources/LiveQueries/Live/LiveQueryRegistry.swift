// The live queries over one container.
// SPDX-License-Identifier: Apache-2.0

import Metadata
package import MetadataIndex

/// The live queries over one container. It lives on the event loop with the container's index, and is not `Sendable`.
///
/// Queries are filed by what they demand of an item: its name, kind, directory, path or identity, so that a change costs
/// what the queries cost that it can touch, however many there are besides. What would take the event loop long is given
/// out as errands (``takeErrands()``).
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

    /// What changed since ``settle()``.
    private(set) var untold: ChangeSet?
    /// The queries whose predicates read names of accounts.
    private var naming: Set<Int> = []
    /// Kept from pass to pass.
    private var notes = ChangePass.Notes()
    private var absences: [Int: Absence] = [:]
    private var nextErrand = 0
    private var errands: [LiveErrand] = []
    var clock = ClockSchedule()
    var replanning = Replanning()

    /// How many changed rows, and rows below directories that changed, one change set may have for its pass to be made on
    /// the event loop.
    let rowLimit: Int
    /// How many rows below directories that changed are walked whatever the queries are; beyond it scans are considered.
    private let walkLimit: Int

    /// The most that a query may have pending, and the queries of one errand together. Those that would have most are
    /// ``LiveQuery/isOverfull`` then. To be set before any are added.
    package var mostPending = Int.max

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
        let query = LiveQuery(plan, attributes: attributes, number: number, meter: meter, mostPending: mostPending)
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
        if query.scheduled != nil { tidySchedule() }
    }

    func file(_ query: LiveQuery, _ number: Int) {
        if query.isPlaceSensitive { placed.file(number, query.plan) } else { still.file(number, query.plan) }
        if query.plan.readsAccounts { naming.insert(number) }
        for bit in 0..<8 where query.causes.rawValue >> bit & 1 != 0 { dependents[bit] += 1 }
    }

    /// Goes on with a plan for another moment; what it demands may be something else then.
    private func adopt(_ plan: QueryPlan, _ query: LiveQuery) {
        if plan.clock?.isOpaque ?? false { refile(query, plan) } else { query.plan = plan }
    }

    func unfile(_ query: LiveQuery, _ number: Int) {
        if query.isPlaceSensitive { placed.unfile(number, query.plan) } else { still.unfile(number, query.plan) }
        naming.remove(number)
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
        sendThoseWithPlans()
        replanning.untold = nil
        if untold == nil { untold = changes } else { untold?.append(changes) }
        for number in absences.keys {
            if absences[number]?.changes == nil {
                absences[number]?.changes = changes
            } else {
                absences[number]?.changes?.append(changes)
            }
        }
        return bring(changes, index, absence: nil)
    }

    /// Until now everything that was brought could be told. To be called when a turn is over: what changed in the same turn
    /// in which a container was closed may have changed after that (``look(_:by:in:)``).
    package func settle() {
        untold = nil
        replanning.untold = nil
        replanning.rowsOnLoop = 0
    }

    /// Makes pending what differs between the answer as of an earlier clock, which the subscriber holds, and the answer
    /// now. `past` is what changed since then (``MetadataIndex/pastChanges(since:)``); called once for a query that was just
    /// added, in the same turn. Its count comes later by ``LiveQuery/count(_:)``. An errand may be waiting afterwards.
    package func resume(_ query: LiveQuery, from past: PastChanges) {
        // Many are merged there too.
        if past.mostCount > rowLimit || query.plan.readsAccounts {
            send([query], past, isCounted: false)
            return
        }
        let former = past.former
        let subtrees = SubtreeChanges(former, causes: query.causes)
        if isLong(former, subtrees) {
            send([query], past, isCounted: false)
            return
        }
        var filing = QueryFiling()
        filing.file(0, query.plan)
        let none = QueryFiling()
        var pass = ChangePass(
            former, subtrees, queries: [query], still: query.isPlaceSensitive ? none : filing,
            placed: query.isPlaceSensitive ? filing : none, isCounted: false, walkLimit: walkLimit)
        pass.run()
        schedule(query)
    }

    /// Brings a change set to the queries that are not away, or to those that just came back from an errand. `seen` is for
    /// those of them that have another plan to go on with, where it is not the state before these changes.
    private func bring(
        _ changes: ChangeSet, _ index: MetadataIndex, absence: Int?, seen: PastChanges? = nil
    ) -> [LiveQuery] {
        if count == 0 { return [] }
        let former = changes.formerView(in: index.snapshot())
        // One that nothing can match, as of who sees nothing of the container, is not to be kept busy by what happens there.
        func isMet(_ query: LiveQuery?) -> Bool {
            query.map { $0.absence == absence && !$0.plan.matchesNothing } ?? false
        }
        if changes.count > rowLimit {
            send(queries.compactMap { isMet($0) ? $0 : nil }, former, seen: seen)
            return []
        }
        var subtrees = SubtreeChanges(former, causes: causes)
        if isLong(former, subtrees) {
            // An item below that matches is needed for there to be anything to tell, unless it may come to match.
            send(
                queries.compactMap { query in
                    guard let query, isMet(query), subtrees.concern(query),
                        query.count > 0 || !query.isGathered || !query.plan.causes.isDisjoint(with: subtrees.causes)
                    else { return nil }
                    return query
                }, former, seen: seen)
            // Nobody who is left has to do with them.
            subtrees = subtrees.setAside
        }
        if !naming.isEmpty { send(queriesThatAsk(former, subtrees).filter(isMet), former, seen: seen) }
        var pass = ChangePass(
            former, subtrees, queries: queries, still: still, placed: placed, absence: absence, walkLimit: walkLimit,
            notes: takeNotes())
        pass.run()
        notes = pass.takeNotes()
        for query in pass.noted { schedule(query) }
        return pass.touched
    }

    /// Out of here, so that they are held once and changed where they stand.
    private func takeNotes() -> ChangePass.Notes {
        var taken = ChangePass.Notes()
        swap(&taken, &notes)
        return taken
    }

    /// Queries that have to ask for the name of an account to be brought a change: the loop does not wait for that.
    private func queriesThatAsk(_ former: FormerView, _ subtrees: SubtreeChanges) -> [LiveQuery] {
        var answers: [ObjectIdentifier: Bool] = [:]
        func isUnknown(_ status: FileStatus?, _ accounts: any AccountNaming) -> Bool {
            status.map { !accounts.knows(user: $0.owner) || !accounts.knows(group: $0.group) } ?? false
        }
        func hasUnknown(_ accounts: any AccountNaming) -> Bool {
            if let answer = answers[ObjectIdentifier(accounts)] { return answer }
            let (changes, current) = (former.changes, former.current)
            let answer = (0..<changes.count).contains { at in
                let row = changes.row(at: at)
                return isUnknown(changes.former(at: at)?.status, accounts)
                    || current.identifier(of: row) != nil && isUnknown(current.status(of: row), accounts)
            }
            answers[ObjectIdentifier(accounts)] = answer
            return answer
        }
        return naming.sorted().compactMap { queries[$0] }.filter { query in
            // Of what lies below a directory that changed nobody knows whose it is.
            hasUnknown(query.plan.environment.accounts) || !subtrees.isEmpty && subtrees.concern(query)
        }
    }

    private func isLong(_ former: FormerView, _ subtrees: @autoclosure () -> SubtreeChanges) -> Bool {
        if former.changes.count > rowLimit { return true }
        let subtrees = subtrees()
        return !subtrees.isEmpty && subtrees.rowCount(in: former.current, atMost: rowLimit) >= rowLimit
    }

    // MARK: Errands

    /// Sends the answers of queries away. Those whose costly tests are measured leave apart, the ones of each meter together:
    /// nobody waits for the tests of another user, nor for a name that another asks for. Returns how many errands that takes.
    @discardableResult
    func send(
        _ leaving: [LiveQuery], _ former: FormerView, isCounted: Bool = true, moment: Timestamp? = nil,
        seen: PastChanges? = nil
    ) -> Int {
        send(leaving, PastChanges(former), isCounted: isCounted, moment: moment, seen: seen)
    }

    @discardableResult
    func send(
        _ leaving: [LiveQuery], _ past: PastChanges, isCounted: Bool, moment: Timestamp? = nil, seen: PastChanges? = nil
    ) -> Int {
        if leaving.isEmpty { return 0 }
        struct Company: Hashable {
            let meter: ObjectIdentifier?
            let readsAccounts: Bool
        }
        var groups: [[LiveQuery]] = []
        var groupOfCompany: [Company: Int] = [:]
        for query in leaving {
            let company = Company(
                meter: query.meterWhenAway.map { ObjectIdentifier($0) },
                readsAccounts: query.plan.asksForAccounts(before: query.nextPlan, for: query.attributes))
            if let group = groupOfCompany[company] {
                groups[group].append(query)
            } else {
                groupOfCompany[company] = groups.count
                groups.append([query])
            }
        }
        for group in groups {
            let number = nextErrand
            nextErrand += 1
            let parts = group.map { query in
                (query.plannedElsewhere, query.nextPlan) = (query.nextPlan, nil)
                return LiveErrand.Part(
                    plan: query.plan, nextPlan: query.plannedElsewhere, attributes: query.attributes,
                    answer: query.lend(to: number))
            }
            absences[number] = Absence(queries: group)
            errands.append(
                LiveErrand(
                    number, past, parts, isMeasured: group[0].meterWhenAway != nil, isCounted: isCounted,
                    moment: moment,
                    seen: seen, walkLimit: walkLimit, mostPending: mostPending))
        }
        return groups.count
    }

    /// The errands that wait to be run: to be asked for whenever something else here was called.
    package func takeErrands() -> [LiveErrand] {
        sendThoseWithPlans()
        let waiting = errands
        errands = []
        return waiting
    }

    /// Brings the answers back after ``LiveErrand/run()``, and lets their queries catch up with what changed meanwhile. The
    /// index must have no changes that were not processed. Returns the queries that were away. Where there is too much to
    /// catch up with, they are behind still, and what they have can be taken in this turn, until ``goOn(after:in:)``.
    package func finish(_ errand: LiveErrand, in index: MetadataIndex) -> [LiveQuery] {
        guard let absence = absences[errand.number] else { return [] }
        let parts = errand.takeParts()
        for (part, query) in zip(parts, absence.queries) {
            query.takeBack(part.answer, as: errand.current)
            if part.isOverworked { query.isOverworked = true }
            if part.isReplanned {
                refile(query, part.plan)
                query.scheduled = nil
            } else if errand.moment != nil {
                adopt(part.plan, query)
            }
        }
        // It may be told twice that an errand is over.
        if errand.moment != nil, !parts.isEmpty { clock.errandsOut -= 1 }
        if let changes = absence.changes {
            let former = changes.formerView(in: index.snapshot())
            if isLong(former, SubtreeChanges(former, causes: causes)) { return absence.queries }
        }
        goOn(after: errand, in: index)
        return absence.queries
    }

    /// Lets the queries that an errand brought back leave again where they have more to catch up with. To be called after
    /// ``finish(_:in:)``, when their subscribers had a chance to take what there is: else a directory that is moved back and
    /// forth could keep them away for ever. The index must have no changes that were not processed. Returns the queries that
    /// caught up: they may have more to tell than before, and their subscribers may be told a clock again.
    @discardableResult
    package func goOn(after errand: LiveErrand, in index: MetadataIndex) -> [LiveQuery] {
        guard let absence = absences.removeValue(forKey: errand.number) else { return [] }
        // By the plan before: what of it came after the container was closed nobody knows.
        let seen =
            absence.queries.contains { $0.nextPlan != nil } ? errand.past(with: absence.changes, in: index) : nil
        if let changes = absence.changes { _ = bring(changes, index, absence: errand.number, seen: seen) }
        let back = absence.queries.filter { $0.absence == errand.number }
        for query in back {
            query.catchUp()
            schedule(query)
            _ = adoptNextPlan(of: query, in: index, seen: seen)
        }
        sendThoseWithPlans()
        return back
    }

    func refile(_ query: LiveQuery, _ plan: QueryPlan) {
        guard let number = query.number else {
            query.plan = plan
            return
        }
        unfile(query, number)
        query.plan = plan
        file(query, number)
    }
}
