// One live query over one container, and the state of its subscriber.
// SPDX-License-Identifier: Apache-2.0

import Metadata
package import MetadataIndex
import PredicateLanguage

/// One live query over one container, of one subscriber. It lives on the event loop with its index, and is not
/// `Sendable`.
///
/// The life of a query:
/// - ``LiveQueryRegistry/add(_:attributes:user:meter:)`` and a snapshot, in one loop iteration.
/// - ``QueryPlan/selectTolerantly(in:guard:)`` on that snapshot, on any thread. Changes are collected meanwhile.
/// - ``gather(_:errors:)`` with the result of the scan, then ``takeFirst(limit:)`` until it returns nothing.
/// - ``takeNext(in:)`` whenever something is pending.
///
/// A query with a clock starts with ``LiveQueryRegistry/resume(_:from:)`` and ``count(_:)`` instead.
///
/// A query is away (``isAway``) while a background update has its answer, and while it must catch up afterwards. No
/// clock may be published then. Between two updates, pending items can be taken in one loop iteration, as of
/// ``snapshot(of:)``.
package final class LiveQuery {
    /// The plan that evaluates the predicate.
    package internal(set) var plan: QueryPlan {
        didSet {
            endOfUnits = plan.clock?.endOfUnits(from: plan.environment.now)
            meter = plan.isCostly ? meterOfUser : nil
        }
    }
    /// The attributes that the subscriber requested.
    package let attributes: AttributeSet

    /// Whether the tests exceeded their share of the event loop. The query is not tested any more, and must end.
    package internal(set) var isOverworked = false

    /// Whether the meter has counted a test of this query.
    var wasCharged = false
    /// The meter for tests, if the plan is costly.
    private(set) var meter: WorkMeter?
    private let meterOfUser: WorkMeter?
    /// The number in the registry; nil after the query was removed.
    var number: Int?
    /// The user that subscribed. A background update has the queries of one user.
    package let user: UInt32
    /// Set while the query receives no change sets (``LiveQueryRegistry/bringBack(_:in:)``).
    private(set) var suspension: Suspension?
    /// Whether the suspended query is about to be brought back, since its subscriber reads.
    package var isReturning = false
    /// Whether the change log no longer reaches back to the suspension. The query must end.
    package private(set) var hasLostChanges = false
    /// The plan to continue with when the answer is back, if it is known: a plan for a viewer with other access.
    /// Nothing is published by the old plan meanwhile.
    var nextPlan: QueryPlan?
    /// The plan to continue with that a background update has taken along.
    var plannedElsewhere: QueryPlan?
    /// Whether a new plan is being made (``LiveQueryRegistry/look(_:by:in:)``). Nothing is published by the present
    /// plan.
    package var awaitsPlan = false
    /// Ends scans at a limit; nil if there is no limit.
    var scanGuard: ScanGuard?
    /// The background update that has the answer.
    var absence: Int?
    /// The rows that a returned answer is current with, if it is about to leave again. Nil for the present rows.
    private var view: IndexSnapshot?
    /// The clock of the last change set that was applied while the answer was away.
    private var broughtClock: UInt64 = 0
    private var answer = LiveAnswer()
    /// The end of the units of time that the plan compares with.
    private var endOfUnits: Int64?
    /// The moment for which the registry has scheduled the query.
    var scheduled: Int64?
    /// Whether the query waits for a background update to the present moment.
    var waitsForClock = false
    /// Changes to the answer that were made while it was away.
    private var whenBack: [(inout LiveAnswer) -> Void] = []

    init(
        _ plan: QueryPlan, attributes: AttributeSet, number: Int, user: UInt32 = 0, meter: WorkMeter? = nil,
        mostPending: Int = .max
    ) {
        answer.mostPending = mostPending
        self.user = user
        meterOfUser = meter
        self.meter = plan.isCostly ? meter : nil
        self.plan = plan
        self.attributes = attributes
        self.number = number
        let now = plan.environment.now
        endOfUnits = plan.clock?.endOfUnits(from: now)
        if plan.clock != nil { answer.moments = MomentQueue(now: now.nanoseconds) }
    }

    /// The number of items that match now. Valid if ``isGathered`` and not ``isAway``.
    package var count: Int { answer.count }
    /// The items for which the evaluation failed, and the first error.
    package var errors: EvaluationErrors { answer.errors }
    /// Whether the first results are known, or their number if the subscriber does not want them.
    package var isGathered: Bool { answer.isGathered }
    /// Whether the query is behind: there are changes that cannot be taken yet.
    package var isAway: Bool { absence != nil || waitsForClock || owesPlan }

    /// Whether changes must be published by another plan than ``plan``.
    private var owesPlan: Bool { nextPlan != nil || awaitsPlan }

    /// The last plan that was set, even if it is not in use yet.
    package var latestPlan: QueryPlan { nextPlan ?? plannedElsewhere ?? plan }

    /// The meter for the tests of a background update, which may continue with another plan.
    var meterWhenAway: WorkMeter? { isCostlyWhenAway ? meterOfUser : nil }

    /// Whether a background update may take long for each row.
    package var isCostlyWhenAway: Bool { plan.isCostly || latestPlan.isCostly }

    /// Whether a background update may look up account names.
    package var readsAccountsWhenAway: Bool { plan.asksForAccounts(before: nextPlan, for: attributes) }

    /// Whether the query has received all changes up to a clock of the index, or will receive them only when its
    /// subscriber reads.
    package func isCaughtUp(with clock: UInt64) -> Bool {
        if number == nil || hasLostChanges || suspension != nil && !isReturning { return true }
        return !awaitsPlan && (absence == nil || broughtClock >= clock)
    }

    /// The rows that pending items refer to.
    package func snapshot(of index: MetadataIndex) -> IndexSnapshot { view ?? index.snapshot() }

    /// The properties of the directories above an item that the answer depends on.
    var causes: SubtreeChange.Causes {
        var causes = plan.causes
        if attributes.followFromPlace { causes.insert(.place) }
        if attributes.contains(.inPackage) { causes.insert(.package) }
        return causes
    }

    /// Whether a change of a directory may change the answer for items below it. Those of archives, which concern nearly all queries,
    /// do not count.
    package var isPlaceSensitive: Bool { !causes.subtracting(.archive).isEmpty }

    /// Whether the predicate or the subscriber reads attributes that take system calls of their own.
    package var readsXattrs: Bool { plan.readsXattrs || attributes.containsXattrs }

    /// Whether the subscriber reads the number of conflict versions.
    var readsConflicts: Bool {
        attributes.contains(.hasUnresolvedConflicts) || attributes.contains(.conflictVersions)
    }

    // MARK: First results

    /// Records the matches of the moment at which the query was added.
    package func gather(_ selection: RowSelection, errors: EvaluationErrors = EvaluationErrors()) {
        change { $0.gather(selection, errors: errors) }
    }

    /// Records the number of matches at the moment at which the query was added, if the subscriber holds them already.
    package func count(_ matching: Int) {
        change { $0.count(matching) }
    }

    private func change(_ body: @escaping (inout LiveAnswer) -> Void) {
        if absence != nil { whenBack.append(body) } else { body(&answer) }
    }

    /// The number of first results that were not taken. Results that changed meanwhile are pending items instead.
    package var firstCount: Int { owesPlan ? 0 : answer.first.count }

    /// Takes some of the first results, in the order of rows. All of them match now.
    package func takeFirst(limit: Int) -> [Row] { answer.takeFirst(limit: limit) }

    /// Returns first results that were taken from a snapshot and not published.
    package func putBackFirst(_ rows: some Sequence<Row>, from snapshot: IndexSnapshot) {
        let items = rows.compactMap { snapshot.identifier(of: $0) }
        change { $0.putBackFirst(items) }
    }

    // MARK: Changes

    /// The number of items with changes that were not taken. A long path counts as several. Changes in the change log
    /// for a suspended query do not count.
    package var pendingCount: Int { suspension?.answer.pendingCount ?? answer.pendingCount }

    /// The approximate memory of ``pendingCount`` items, in bytes.
    package var pendingBytes: Int { suspension?.answer.pendingBytes ?? answer.pendingBytes }

    /// Whether the limit of pending items (``LiveQueryRegistry/mostPending``) was exceeded. The query must end.
    package var isOverfull: Bool { answer.isOverfull }

    /// Whether the first results are gathered and taken, and a pending item can be taken.
    package var hasPending: Bool { !owesPlan && answer.hasPending }

    /// Takes the pending item that changed first; nil if there is none.
    ///
    /// All changes of the index must have been processed in this loop iteration, so that rows and items agree.
    /// `snapshot` is ``snapshot(of:)``.
    package func takeNext(in snapshot: IndexSnapshot) -> DeltaItem? {
        guard let (identifier, entry) = answer.popPending() else { return nil }
        if !entry.matches {
            var path: [UInt8] = []
            if case .bytes(let known) = entry.path { path = known }
            return .removed(DeltaItem.Removed(identifier: identifier, path: path))
        }
        guard entry.isHeld else { return .added(identifier.row) }
        let asksPath = attributes.contains(.path)
        let previous = asksPath ? previousPath(of: identifier.row, entry.path, in: snapshot) : nil
        return .changed(DeltaItem.Changed(row: identifier.row, previousPath: previous))
    }

    /// Visits the rows of the next items to take that still match, at most `limit`.
    package func forEachPendingRow(limit: Int, _ body: (Row) -> Void) {
        answer.pending.forEachNext(limit: limit) { if $1.matches { body($0.row) } }
    }

    /// The path that the subscriber knows, if it differs from the present one.
    private func previousPath(of row: Row, _ known: PendingItems.KnownPath, in snapshot: IndexSnapshot) -> [UInt8]? {
        if case .present = known { return nil }
        var present: [UInt8] = []
        snapshot.appendPath(of: row, to: &present)
        let path =
            switch known {
            case .present: present
            case .bytes(let path): path
            case .below(let former, let count): former + present[count...]
            }
        return path == present ? nil : path
    }

    /// Records a change of an item (``LiveAnswer/record(_:matched:matches:isCounted:isMoved:below:formerPath:)``).
    func record(
        _ identifier: ItemIdentifier, matched: Bool, matches: Bool, isCounted: Bool, isMoved: Bool,
        below: PendingItems.KnownPath? = nil, formerPath: () -> [UInt8]
    ) {
        answer.record(
            identifier, matched: matched, matches: matches, isCounted: isCounted,
            isMoved: isMoved && attributes.contains(.path), below: below, formerPath: formerPath)
    }

    func note(_ error: EvaluationError) { answer.errors.add(error) }

    /// Runs a test, and charges it to the meter if the query is costly. Nil if no further test is admitted.
    @inline(__always)
    func measured<Answer>(_ test: () -> Answer) -> Answer? {
        guard let meter else { return test() }
        let start = MonotonicTime.now
        guard meter.admits(self, at: start) else { return nil }
        defer { meter.charge(self, from: start, to: MonotonicTime.now) }
        return test()
    }

    // MARK: Away and back

    /// Lends the answer to a background update.
    func lend(to update: Int) -> LiveAnswer {
        absence = update
        view = nil
        let lent = suspension?.answer ?? answer
        suspension = nil
        answer = LiveAnswer(standingFor: lent)
        return lent
    }

    /// Takes a lent answer back, as of a snapshot, and applies the changes that were made meanwhile. The query stays
    /// away until ``catchUp()``.
    func takeBack(_ lent: consuming LiveAnswer, as view: IndexSnapshot? = nil) {
        answer = lent
        plannedElsewhere = nil
        self.view = view
        if let view { broughtClock = view.clock }
        for body in whenBack { body(&answer) }
        whenBack = []
    }

    /// Ends the absence: the query has received all changes.
    func catchUp() {
        absence = nil
        view = nil
    }

    /// Returns the answer of a query that was made for a background update.
    func surrender() -> LiveAnswer { answer }
}

// MARK: Suspension

extension LiveQuery {
    /// The answer of a suspended query, and the index clock that it is current with. A suspended query gets no change
    /// sets.
    struct Suspension {
        let clock: UInt64
        let answer: LiveAnswer
    }

    /// The ``absence`` of a suspended query. Background updates have numbers from 0 on.
    private static let suspended = -1

    /// The index clock at which the query was suspended; nil if it is not suspended.
    package var suspendedSince: UInt64? { suspension?.clock }

    /// Suspends the query, whose answer is as of `clock`. It receives no further change sets.
    func suspend(at clock: UInt64) {
        suspension = Suspension(clock: clock, answer: answer)
        answer = LiveAnswer(standingFor: answer)
        absence = Self.suspended
        view = nil
        broughtClock = clock
        scheduled = nil
    }

    /// Drops the answer of a suspended query whose changes are no longer in the log.
    func loseChanges() {
        suspension = nil
        hasLostChanges = true
    }
}

// MARK: The clock

extension LiveQuery {
    /// The interval between two checks of a query for which the next moment is unknown (``ClockDependence``), in
    /// nanoseconds.
    static let opaqueInterval: Int64 = 5_000_000_000

    /// The next moment at which the clock alone changes the answer, in nanoseconds since 1970.
    var nextMoment: Int64? {
        guard let clock = plan.clock else { return nil }
        if clock.isOpaque { return plan.environment.now.nanoseconds.addingReportingOverflow(Self.opaqueInterval).0 }
        return [answer.moments?.next, endOfUnits].compactMap { $0 }.min()
    }

    /// Whether the known rows are enough to advance to a moment.
    func knowsAll(until now: Int64) -> Bool {
        guard let clock = plan.clock, !clock.isOpaque, let moments = answer.moments else { return false }
        return now >= plan.environment.now.nanoseconds && moments.covers(now) && endOfUnits.map { now < $0 } ?? true
    }

    /// Forgets all moments, because other rows than before may have one.
    func forgetMoments() {
        if plan.clock != nil { answer.moments = MomentQueue(now: plan.environment.now.nanoseconds) }
        scheduled = nil
    }

    /// Takes up to `limit` rows whose moment has come.
    func takeDue(_ now: Int64, limit: Int) -> [Row] {
        var rows: [Row] = []
        while rows.count < limit, let row = answer.moments?.popDue(now) { rows.append(row) }
        return rows
    }

    /// Records the next moment at which the clock changes the answer for a row. Returns whether it comes before the
    /// scheduled one.
    func noteMoment(_ row: Row, in snapshot: IndexSnapshot, _ place: inout ItemPlace) -> Bool {
        // Finding the moment takes as long as a test.
        guard let moment = measured({ plan.nextMoment(of: row, in: snapshot, &place) }) ?? nil else { return false }
        answer.moments?.note(row, moment)
        return scheduled.map { moment < $0 } ?? true
    }

    /// Advances to another moment, for the rows whose answer may differ then.
    func advance(_ rows: some Sequence<Row>, to plan: QueryPlan, in snapshot: IndexSnapshot) {
        let former = self.plan
        self.plan = plan
        var place = ItemPlace()
        for row in rows {
            guard row != .root, let item = snapshot.identifier(of: row) else { continue }
            place.forget()
            let matched = holds(former, row, snapshot, &place)
            let matches = holds(plan, row, snapshot, &place)
            if matched != matches { record(item, matched: matched, matches: matches, in: snapshot) }
            _ = noteMoment(row, in: snapshot, &place)
        }
    }

    private func holds(_ plan: QueryPlan, _ row: Row, _ snapshot: IndexSnapshot, _ place: inout ItemPlace) -> Bool {
        measured { test(plan, row, snapshot, &place) } ?? false
    }

    private func test(_ plan: QueryPlan, _ row: Row, _ snapshot: IndexSnapshot, _ place: inout ItemPlace) -> Bool {
        do throws(EvaluationError) {
            return try plan.matches(row, in: snapshot, at: &place)
        } catch {
            note(error)
            return false
        }
    }

    func record(
        _ item: ItemIdentifier, matched: Bool, matches: Bool, in snapshot: IndexSnapshot, seen: PreImageView? = nil
    ) {
        record(item, matched: matched, matches: matches, isCounted: true, isMoved: false) {
            var path: [UInt8] = []
            // If the subscriber requested paths, it knows the present one, or the pending item has another.
            if let seen, !attributes.contains(.path) {
                if seen.identifier(of: item.row) == item { seen.appendPath(of: item.row, to: &path) }
            } else {
                snapshot.appendPath(of: item.row, to: &path)
            }
            return path
        }
    }

    /// Continues with a plan for another viewer. Returns whether anything becomes pending. Complexity: O(rows).
    ///
    /// Items that go out of sight are published with a path that was seen. Names given since `seen` may be newer than
    /// the loss of access to the container.
    func goOn(with plan: QueryPlan, in snapshot: IndexSnapshot, seen: PreImageView?) -> Bool {
        defer { forgetMoments() }
        return compare(with: plan, in: snapshot, seen: seen)
    }

    /// Continues with another plan on a thread that may look up account names. If the viewer, the names and the dates are the
    /// same as before, no rows are compared.
    func goOnElsewhere(with plan: QueryPlan, in snapshot: IndexSnapshot, seen: PreImageView?) {
        let (before, now) = (self.plan.environment, plan.environment)
        if !plan.followsClock, !self.plan.isProvisional, before.viewer == now.viewer,
            before.hasPackages == now.hasPackages, self.plan.zone == plan.zone,
            before.accounts.agrees(with: now.accounts)
        {
            self.plan = plan
        } else {
            _ = goOn(with: plan, in: snapshot, seen: seen)
        }
    }

    /// Continues with another plan. Items that match by one plan only, or are published differently, become pending.
    private func compare(with plan: QueryPlan, in snapshot: IndexSnapshot, seen: PreImageView? = nil) -> Bool {
        let former = self.plan
        let before = self.plan.selectTolerantly(in: snapshot, guard: scanGuard).selection
        let (after, errors) = plan.selectTolerantly(in: snapshot, guard: scanGuard)
        if let first = errors.first { note(first) }
        self.plan = plan
        if let scanGuard, scanGuard.ended != .going {
            isOverworked = true
            return false
        }
        let difference = before.symmetricDifference(after)
        for row in difference {
            guard let item = snapshot.identifier(of: row) else { continue }
            record(item, matched: before.contains(row), matches: after.contains(row), in: snapshot, seen: seen)
        }
        let isRenamed = recordRenamed(in: before, and: after, since: former, in: snapshot)
        return !difference.isEmpty || isRenamed
    }

    /// Advances to a moment by scans. The moment may be earlier, or beyond the known ones. Complexity: O(rows).
    func advanceByScan(to now: Timestamp, in snapshot: IndexSnapshot) {
        guard let clock = plan.clock else { return }
        let plan = plan.at(now)
        if clock.isOpaque {
            _ = compare(with: plan, in: snapshot)
            return
        }
        let crossing = self.plan.select(
            self.plan.ofSeen(clock.crossing(self.plan.environment.now, now)), in: snapshot, guard: scanGuard)
        answer.moments?.beginFilling(at: now.nanoseconds)
        advance(crossing, to: plan, in: snapshot)
        let ahead = clock.ages.map {
            PlanNode.test(.number($0.column, .greaterOrEqual, plan.environment.threshold($0.seconds)))
        }
        var place = ItemPlace()
        let open = plan.select(.all([.any(ahead), plan.upper, .not(plan.lower)]), in: snapshot, guard: scanGuard)
        for row in open {
            place.forget()
            _ = noteMoment(row, in: snapshot, &place)
        }
        if let scanGuard, scanGuard.ended != .going { isOverworked = true }
    }
}
