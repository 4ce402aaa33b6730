// The live queries over one container.
// SPDX-License-Identifier: Apache-2.0

import Metadata
package import MetadataIndex

/// The live queries over one container. It lives on the event loop with the container's index, and is not `Sendable`.
///
/// Queries are indexed by conditions on an item: its name, kind, directory, path or identifier. So the cost of a change
/// depends on the queries that it can affect, not on the number of queries. Work that is too long for the event loop is
/// done in background updates (``takeBackgroundUpdates()``).
package final class LiveQueryRegistry {
    private(set) var queries: [LiveQuery?] = []
    private var free: [Int] = []
    private var still = SubscriptionIndex()
    private var placed = SubscriptionIndex()
    /// The number of queries that depend on each cause, by the number of its bit.
    private var dependents = [Int](repeating: 0, count: 8)

    /// Queries whose answers are away, and the changes since they left.
    private struct Absence {
        var queries: [LiveQuery]
        var changes: ChangeSet?
    }

    /// The changes since ``settle()``.
    private(set) var unpublished: ChangeSet?
    /// The queries whose predicates read account names.
    private var naming: Set<Int> = []
    /// The queries that follow the time of day, without suspended ones.
    private(set) var following: Set<Int> = []
    /// Reused from pass to pass.
    private var notes = ChangePass.Notes()
    private var absences: [Int: Absence] = [:]
    private var nextUpdate = 0
    var updates: [BackgroundUpdate] = []
    var clock = ClockSchedule()
    var replanning = Replanning()
    var suspensions = Suspensions()

    /// The limit of changed rows, and of rows below changed directories, for one pass on the event loop.
    let rowLimit: Int
    /// The number of rows below changed directories that are always walked. With more, scans are considered.
    private let walkLimit: Int

    /// The limit of pending items of one query, and of the queries of one background update together. Beyond it, the
    /// queries with most become ``LiveQuery/isOverfull``. Must be set before a query is added.
    package var mostPending = Int.max

    /// Whether a subscriber does not read at present. Only such queries are suspended, and the owner of the registry
    /// calls ``bringBack(_:in:)`` as soon as the subscriber reads.
    package var isUnread: (LiveQuery) -> Bool = { _ in false }

    /// The approximate memory of one pending item without its path, in bytes.
    package static let bytesOfPendingItem = PendingItems.bytesOfItem

    /// The limit ``LiveQueryRegistry/pendingBeforeSuspension``, which a test may lower.
    package var pendingBeforeSuspension = LiveQueryRegistry.pendingBeforeSuspension

    /// The default of ``rowLimit``. A row takes a microsecond or less if it can affect few queries.
    package static let rowsOnLoop = 1_024

    package convenience init() { self.init(rowLimit: LiveQueryRegistry.rowsOnLoop, walkLimit: 4_096) }

    init(rowLimit: Int, walkLimit: Int) {
        self.rowLimit = rowLimit
        self.walkLimit = walkLimit
    }

    /// The number of queries.
    package var count: Int { still.count + placed.count + suspensions.queries.count }

    // MARK: Queries

    /// Adds a live query, which collects changes from here on. The index must have no unprocessed changes.
    ///
    /// `attributes` are those that the subscriber requested. `meter` limits the event-loop time of costly tests, for
    /// all queries that share it. A background update has the queries of one `user`.
    package func add(
        _ plan: QueryPlan, attributes: AttributeSet, user: UInt32 = 0, meter: WorkMeter? = nil
    ) -> LiveQuery {
        let number = free.popLast() ?? queries.count
        let query = LiveQuery(
            plan, attributes: attributes, number: number, user: user, meter: meter, mostPending: mostPending)
        if number == queries.count { queries.append(query) } else { queries[number] = query }
        file(query, number)
        schedule(query)
        return query
    }

    /// Removes a live query, even while its answer is away. A query that was removed before is ignored.
    package func remove(_ query: LiveQuery) {
        guard let number = query.number, queries[number] === query else { return }
        // A suspended query is not in the subscription index.
        if suspensions.queries.removeValue(forKey: number) == nil { unfile(query, number) }
        query.number = nil
        queries[number] = nil
        free.append(number)
        if query.scheduled != nil { tidySchedule() }
    }

    func file(_ query: LiveQuery, _ number: Int) {
        if query.isPlaceSensitive { placed.file(number, query.plan) } else { still.file(number, query.plan) }
        if query.plan.readsAccounts { naming.insert(number) }
        if query.plan.clock != nil { following.insert(number) }
        for bit in 0..<8 where query.causes.rawValue >> bit & 1 != 0 { dependents[bit] += 1 }
    }

    /// Continues with a plan for another moment, whose conditions may differ.
    private func adopt(_ plan: QueryPlan, _ query: LiveQuery) {
        if plan.clock?.isOpaque ?? false { refile(query, plan) } else { query.plan = plan }
    }

    func unfile(_ query: LiveQuery, _ number: Int) {
        if query.isPlaceSensitive { placed.unfile(number, query.plan) } else { still.unfile(number, query.plan) }
        naming.remove(number)
        following.remove(number)
        for bit in 0..<8 where query.causes.rawValue >> bit & 1 != 0 { dependents[bit] -= 1 }
    }

    /// The properties of directories that any query depends on.
    private var causes: SubtreeChange.Causes {
        SubtreeChange.Causes(
            rawValue: dependents.indices.reduce(0) { dependents[$1] > 0 ? $0 | 1 << UInt8($1) : $0 })
    }

    // MARK: Changes

    /// Applies a change set to the queries, directly after it was taken from the index. Returns the queries with
    /// pending items from it, each once. Background updates may be waiting afterwards.
    ///
    /// Complexity: O(changes × affected queries) for at most ``rowsOnLoop`` changes and rows below changed directories.
    /// More rows take a background update, which costs O(queries) here.
    @discardableResult
    package func process(_ changes: ChangeSet, in index: MetadataIndex) -> [LiveQuery] {
        if changes.isEmpty { return [] }
        sendThoseWithPlans()
        let suspended =
            suspendThoseBehind(at: changes.since, in: index) + checkSuspensions(after: changes.count, in: index)
        replanning.unpublished = nil
        if unpublished == nil { unpublished = changes } else { unpublished?.append(changes) }
        for number in absences.keys {
            if absences[number]?.changes == nil {
                absences[number]?.changes = changes
            } else {
                absences[number]?.changes?.append(changes)
            }
        }
        return bring(changes, index, absence: nil) + suspended
    }

    /// Marks the end of a loop iteration: all changes so far may be published. If a container loses access in an
    /// iteration, later changes in that iteration must not be seen (``look(_:by:in:)``).
    package func settle() {
        unpublished = nil
        replanning.unpublished = nil
        replanning.rowsOnLoop = 0
    }

    /// Makes the difference pending between the answer at an earlier clock, which the subscriber holds, and the present
    /// answer.
    ///
    /// `past` has the changes since that clock (``MetadataIndex/pastChanges(since:)``). Must be called once for a
    /// query, in the loop iteration that added it. ``LiveQuery/count(_:)`` provides the count later. A background
    /// update may be waiting afterwards.
    package func resume(_ query: LiveQuery, from past: PastChanges) {
        // A background update also merges long changes.
        if past.mostCount > rowLimit || query.plan.readsAccounts {
            send([query], past, isCounted: false)
            return
        }
        let former = past.preImages
        let subtrees = SubtreeChanges(former, causes: query.causes)
        if isLong(former, subtrees) {
            send([query], past, isCounted: false)
            return
        }
        var subscriptions = SubscriptionIndex()
        subscriptions.file(0, query.plan)
        let none = SubscriptionIndex()
        var pass = ChangePass(
            former, subtrees, queries: [query], still: query.isPlaceSensitive ? none : subscriptions,
            placed: query.isPlaceSensitive ? subscriptions : none, isCounted: false, walkLimit: walkLimit)
        pass.run()
        schedule(query)
    }

    /// Applies a change set to the queries that are not away, or to those of one background update. `seen` has the rows
    /// for queries with another plan to continue with, if these are not the rows before the changes.
    private func bring(
        _ changes: ChangeSet, _ index: MetadataIndex, absence: Int?, seen: PastChanges? = nil
    ) -> [LiveQuery] {
        if count == 0 { return [] }
        let former = changes.preImageView(in: index.snapshot())
        // A viewer without access to the container has a plan that matches nothing. Changes must cost it nothing.
        func isMet(_ query: LiveQuery?) -> Bool {
            query.map { $0.absence == absence && !$0.plan.matchesNothing } ?? false
        }
        if changes.count > rowLimit {
            if absence == nil { suspendUnread(at: changes.since, in: index) }
            send(queries.compactMap { isMet($0) ? $0 : nil }, former, seen: seen)
            return []
        }
        var subtrees = SubtreeChanges(former, causes: causes)
        if isLong(former, subtrees) {
            if absence == nil { suspendUnread(at: changes.since, in: index) }
            // There is nothing to publish unless an item below matches, or can start to match.
            send(
                queries.compactMap { query in
                    guard let query, isMet(query), subtrees.concern(query),
                        query.count > 0 || !query.isGathered || !query.plan.causes.isDisjoint(with: subtrees.causes)
                    else { return nil }
                    return query
                }, former, seen: seen)
            // The remaining queries do not depend on them.
            subtrees = subtrees.setAside
        }
        if !naming.isEmpty { send(queriesThatAsk(former, subtrees).filter(isMet), former, seen: seen) }
        var pass = ChangePass(
            former, subtrees, queries: queries, still: still, placed: placed, absence: absence, walkLimit: walkLimit,
            notes: takeNotes())
        pass.run()
        notes = pass.takeNotes()
        for query in pass.noted { schedule(query) }
        for query in pass.touched { noteBehind(query) }
        return pass.touched
    }

    /// Swapped out, so that the notes have one owner and are changed in place.
    private func takeNotes() -> ChangePass.Notes {
        var taken = ChangePass.Notes()
        swap(&taken, &notes)
        return taken
    }

    /// The queries that must look up an account name for a change. A look-up may block, so the event loop does not make
    /// it.
    private func queriesThatAsk(_ former: PreImageView, _ subtrees: SubtreeChanges) -> [LiveQuery] {
        var answers: [ObjectIdentifier: Bool] = [:]
        func isUnknown(_ status: FileStatus?, _ accounts: any AccountNaming) -> Bool {
            status.map { !accounts.knows(user: $0.owner) || !accounts.knows(group: $0.group) } ?? false
        }
        func hasUnknown(_ accounts: any AccountNaming) -> Bool {
            if let answer = answers[ObjectIdentifier(accounts)] { return answer }
            let (changes, current) = (former.changes, former.current)
            let answer = (0..<changes.count).contains { at in
                let row = changes.row(at: at)
                return isUnknown(changes.preImage(at: at)?.status, accounts)
                    || current.identifier(of: row) != nil && isUnknown(current.status(of: row), accounts)
            }
            answers[ObjectIdentifier(accounts)] = answer
            return answer
        }
        return naming.sorted().compactMap { queries[$0] }.filter { query in
            // The owners of items below a changed directory are unknown.
            hasUnknown(query.plan.environment.accounts) || !subtrees.isEmpty && subtrees.concern(query)
        }
    }

    private func isLong(_ former: PreImageView, _ subtrees: @autoclosure () -> SubtreeChanges) -> Bool {
        if former.changes.count > rowLimit { return true }
        let subtrees = subtrees()
        return !subtrees.isEmpty && subtrees.rowCount(in: former.current, atMost: rowLimit) >= rowLimit
    }

    // MARK: Background updates

    /// Sends the answers of queries away, and returns the number of background updates.
    ///
    /// An update has the queries of one user, so that users take turns. Queries with metered tests and queries that
    /// look up account names have updates of their own.
    @discardableResult
    func send(
        _ leaving: [LiveQuery], _ former: PreImageView, isCounted: Bool = true, moment: Timestamp? = nil,
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
            let user: UInt32
            let meter: ObjectIdentifier?
            let readsAccounts: Bool
        }
        var groups: [[LiveQuery]] = []
        var groupOfCompany: [Company: Int] = [:]
        for query in leaving {
            let company = Company(
                user: query.user,
                meter: query.meterWhenAway.map { ObjectIdentifier($0) },
                readsAccounts: query.readsAccountsWhenAway)
            if let group = groupOfCompany[company] {
                groups[group].append(query)
            } else {
                groupOfCompany[company] = groups.count
                groups.append([query])
            }
        }
        for group in groups {
            let number = nextUpdate
            nextUpdate += 1
            let parts = group.map { query in
                (query.plannedElsewhere, query.nextPlan) = (query.nextPlan, nil)
                return BackgroundUpdate.Part(
                    plan: query.plan, nextPlan: query.plannedElsewhere, attributes: query.attributes,
                    answer: query.lend(to: number))
            }
            absences[number] = Absence(queries: group)
            updates.append(
                BackgroundUpdate(
                    number, past, parts, user: group[0].user, isMeasured: group[0].meterWhenAway != nil,
                    isCounted: isCounted,
                    moment: moment,
                    seen: seen, walkLimit: walkLimit, mostPending: mostPending))
        }
        return groups.count
    }

    /// Returns the background updates that wait to run. Must be called after every other method.
    package func takeBackgroundUpdates() -> [BackgroundUpdate] {
        sendThoseWithPlans()
        let waiting = updates
        updates = []
        return waiting
    }

    /// Brings answers back after ``BackgroundUpdate/run()``, and applies the changes that were made meanwhile. Returns the
    /// queries of the update. The index must have no unprocessed changes.
    ///
    /// If there are too many changes, the queries stay away. Their pending items can be taken in this loop iteration,
    /// until ``goOn(after:in:)``.
    package func finish(_ update: BackgroundUpdate, in index: MetadataIndex) -> [LiveQuery] {
        guard let absence = absences[update.number] else { return [] }
        let parts = update.takeParts()
        for (part, query) in zip(parts, absence.queries) {
            query.takeBack(part.answer, as: update.current)
            if part.isOverworked { query.isOverworked = true }
            if part.isReplanned {
                refile(query, part.plan)
                query.scheduled = nil
            } else if update.moment != nil {
                adopt(part.plan, query)
            }
        }
        // The end of an update may be reported twice.
        if update.moment != nil, !parts.isEmpty { clock.updatesOut -= 1 }
        if let changes = absence.changes {
            let former = changes.preImageView(in: index.snapshot())
            if isLong(former, SubtreeChanges(former, causes: causes)) { return absence.queries }
        }
        goOn(after: update, in: index, suspending: false)
        return absence.queries
    }

    /// Sends queries away again that have more changes to apply. Returns the queries that are current now, and those
    /// that are suspended instead. They may have more pending items than before, and a clock may be published again.
    ///
    /// Must be called after ``finish(_:in:)``, when subscribers had a chance to take pending items. Otherwise a
    /// directory that is moved to and fro could keep the queries away for ever. A query with many pending items is
    /// suspended instead if its subscriber does not read. The index must have no unprocessed changes.
    @discardableResult
    package func goOn(after update: BackgroundUpdate, in index: MetadataIndex) -> [LiveQuery] {
        goOn(after: update, in: index, suspending: true)
    }

    @discardableResult
    private func goOn(after update: BackgroundUpdate, in index: MetadataIndex, suspending: Bool) -> [LiveQuery] {
        guard let absence = absences.removeValue(forKey: update.number) else { return [] }
        var suspended: [LiveQuery] = []
        if suspending, absence.changes != nil {
            // A query with a next plan needs the rows that were published last, which are known only here.
            let behind = absence.queries.filter {
                $0.absence == update.number && $0.nextPlan == nil && isBehind($0)
            }
            suspended = suspendUnread(behind, at: update.current.clock, in: index)
        }
        // By the former plan: changes after the loss of access cannot be told apart from earlier ones.
        let seen =
            absence.queries.contains { $0.nextPlan != nil } ? update.past(with: absence.changes, in: index) : nil
        if let changes = absence.changes { _ = bring(changes, index, absence: update.number, seen: seen) }
        let back = absence.queries.filter { $0.absence == update.number }
        for query in back {
            query.catchUp()
            schedule(query)
            _ = adoptNextPlan(of: query, in: index, seen: seen)
            noteBehind(query)
        }
        sendThoseWithPlans()
        return back + suspended
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
