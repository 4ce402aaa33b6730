// One live query over one container: what its subscriber knows and what it has still to be told.
// SPDX-License-Identifier: Apache-2.0

import Metadata
package import MetadataIndex
import PredicateLanguage

/// One live query over one container, of one subscriber. It lives on the event loop with its index, and is not `Sendable`.
///
/// Its life: ``LiveQueryRegistry/add(_:attributes:)`` and a snapshot in the same turn; ``QueryPlan/selectTolerantly(in:)``
/// on that snapshot, on any thread, while changes are collected here; ``gather(_:errors:)`` with what it found;
/// ``takeFirst(limit:)`` until that is empty, then ``take(limit:in:)`` whenever something is pending. Or instead of
/// gathering ``LiveQueryRegistry/resume(_:from:in:)`` and ``count(_:)``.
///
/// Now and then it is behind (``isAway``): its answer is away with work that is too long for the event loop, or came back
/// from it and goes on at once with what changed meanwhile. No clock may be told then, and there is nothing to take but in
/// the turn between the two, as of a snapshot (``snapshot(of:)``).
package final class LiveQuery {
    /// What it asks.
    package internal(set) var plan: QueryPlan {
        didSet {
            endOfUnits = plan.clock?.endOfUnits(from: plan.environment.now)
            meter = plan.isCostly ? meterOfUser : nil
        }
    }
    /// The attributes that the subscriber asked for.
    package let attributes: AttributeSet

    /// Whether its tests took more of the event loop than they may: it is no longer tested, and must end.
    package internal(set) var isOverworked = false

    /// Whether one of its tests took so long that it was counted.
    var wasCharged = false
    /// What its tests are measured by, where they are costly.
    private(set) var meter: WorkMeter?
    private let meterOfUser: WorkMeter?
    /// Its place in the registry, nil after it was removed.
    var number: Int?
    /// What it goes on with when its answer is back, where that is known already: a plan for a viewer who sees more or less
    /// than before. Nothing is taken by the old plan meanwhile.
    var nextPlan: QueryPlan?
    /// The same, where the answer has left with it.
    var plannedElsewhere: QueryPlan?
    /// Whether it is going to be given a plan that is being made (``LiveQueryRegistry/look(_:by:in:)``), and nothing is told by
    /// the one that it has.
    package var awaitsPlan = false
    /// What ends its scans, where they are bounded.
    var scanGuard: ScanGuard?
    /// The errand that its answer is away with.
    var absence: Int?
    /// What the answer is as of, where it came back and is about to leave again; nil where it is the index as it is.
    private var view: IndexSnapshot?
    /// The clock of the last change set that it was brought while it was away.
    private var broughtClock: UInt64 = 0
    private var answer = LiveAnswer()
    /// When the units of time that its plan compares with are over.
    private var endOfUnits: Int64?
    /// The moment at which the registry is going to look at it.
    var scheduled: Int64?
    /// Whether it waits for an errand to bring it to the present moment.
    var waitsForClock = false
    /// What came while the answer was away.
    private var whenBack: [(inout LiveAnswer) -> Void] = []

    init(
        _ plan: QueryPlan, attributes: AttributeSet, number: Int, meter: WorkMeter? = nil, mostPending: Int = .max
    ) {
        answer.mostPending = mostPending
        meterOfUser = meter
        self.meter = plan.isCostly ? meter : nil
        self.plan = plan
        self.attributes = attributes
        self.number = number
        let now = plan.environment.now
        endOfUnits = plan.clock?.endOfUnits(from: now)
        if plan.clock != nil { answer.moments = MomentQueue(now: now.nanoseconds) }
    }

    /// How many items match now. Right once ``isGathered`` and not ``isAway``.
    package var count: Int { answer.count }
    /// Items for which the predicate had no answer, and why for the first.
    package var errors: EvaluationErrors { answer.errors }
    /// Whether the first results, or their number where they are not wanted, are known.
    package var isGathered: Bool { answer.isGathered }
    /// Whether it is behind: what there is to take is not all that there is to tell.
    package var isAway: Bool { absence != nil || waitsForClock || owesPlan }

    /// Whether another plan than the one that it has is what is told by.
    private var owesPlan: Bool { nextPlan != nil || awaitsPlan }

    /// The plan that it was given last, which it may have to go on with yet.
    package var latestPlan: QueryPlan { nextPlan ?? plannedElsewhere ?? plan }

    /// What the tests of an errand are measured by that may take it to its next plan.
    var meterWhenAway: WorkMeter? { plan.isCostly || latestPlan.isCostly ? meterOfUser : nil }

    /// Whether it was brought all changes up to a clock of the index, so that they can be taken if they are not told yet.
    package func isCaughtUp(with clock: UInt64) -> Bool {
        number == nil || !awaitsPlan && (absence == nil || broughtClock >= clock)
    }

    /// The rows that what can be taken now is told of.
    package func snapshot(of index: MetadataIndex) -> IndexSnapshot { view ?? index.snapshot() }

    /// What of the directories above an item its answer depends on.
    var causes: SubtreeChange.Causes {
        var causes = plan.causes
        if attributes.followFromPlace { causes.insert(.place) }
        if attributes.contains(.inPackage) { causes.insert(.package) }
        return causes
    }

    /// Whether a directory that changes may touch it for what lies below.
    package var isPlaceSensitive: Bool { !causes.isEmpty }

    /// Whether the predicate or the subscriber reads what takes system calls of its own.
    package var readsExtras: Bool { plan.readsExtras || attributes.containsExtras }

    // MARK: First results

    /// Tells what matched when the query was registered.
    package func gather(_ selection: RowSelection, errors: EvaluationErrors = EvaluationErrors()) {
        change { $0.gather(selection, errors: errors) }
    }

    /// Tells only how many items matched when the query was registered, for a subscriber that holds them already.
    package func count(_ matching: Int) {
        change { $0.count(matching) }
    }

    private func change(_ body: @escaping (inout LiveAnswer) -> Void) {
        if absence != nil { whenBack.append(body) } else { body(&answer) }
    }

    /// How many of the first results were not taken yet; those that changed meanwhile are pending items instead.
    package var firstCount: Int { owesPlan ? 0 : answer.first.count }

    /// Takes some of the first results, in the order of rows. All of them match now.
    package func takeFirst(limit: Int) -> [Row] { answer.takeFirst(limit: limit) }

    /// Gives back first results that were taken, from a snapshot of that moment, and were not told after all.
    package func putBackFirst(_ rows: some Sequence<Row>, from snapshot: IndexSnapshot) {
        let items = rows.compactMap { snapshot.identifier(of: $0) }
        change { $0.putBackFirst(items) }
    }

    // MARK: Changes

    /// How many items have changes that were not taken yet; long paths that have to be told with them count as several.
    package var pendingCount: Int { answer.pendingCount }

    /// Whether more became pending than may (``LiveQueryRegistry/mostPending``), and was let go of: it must end.
    package var isOverfull: Bool { answer.isOverfull }

    /// Whether the first results are gathered and taken, and something is pending that can be taken.
    package var hasPending: Bool { !owesPlan && answer.hasPending }

    /// Takes the pending item that changed first; nil where none is left. To be called in a turn in which all changes of the
    /// index were processed, so that the row that it names is that of the item. `snapshot` is ``snapshot(of:)``.
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

    /// Goes through the rows of the items that are taken next, at most `limit`, but for those that no longer match.
    package func forEachPendingRow(limit: Int, _ body: (Row) -> Void) {
        answer.pending.forEachNext(limit: limit) { if $1.matches { body($0.row) } }
    }

    /// The path that the subscriber knows, where it is not the present one.
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

    /// Notes what became of an item: ``LiveAnswer/record(_:matched:matches:isCounted:isMoved:below:formerPath:)``.
    func record(
        _ identifier: ItemIdentifier, matched: Bool, matches: Bool, isCounted: Bool, isMoved: Bool,
        below: PendingItems.KnownPath? = nil, formerPath: () -> [UInt8]
    ) {
        answer.record(
            identifier, matched: matched, matches: matches, isCounted: isCounted,
            isMoved: isMoved && attributes.contains(.path), below: below, formerPath: formerPath)
    }

    func note(_ error: EvaluationError) { answer.errors.add(error) }

    /// A test of an item, counted by the meter where tests of this query are costly; nil where it may not be made any more.
    @inline(__always)
    func measured<Answer>(_ test: () -> Answer) -> Answer? {
        guard let meter else { return test() }
        let start = MonotonicTime.now
        guard meter.admits(self, at: start) else { return nil }
        defer { meter.charge(self, from: start, to: MonotonicTime.now) }
        return test()
    }

    // MARK: Away and back

    /// Gives the answer away.
    func lend(to errand: Int) -> LiveAnswer {
        absence = errand
        view = nil
        let lent = answer
        answer = LiveAnswer(standingFor: lent)
        return lent
    }

    /// Takes back what was lent, as of a snapshot; what came meanwhile is done now. The query stays behind until
    /// ``catchUp()``.
    func takeBack(_ lent: consuming LiveAnswer, as view: IndexSnapshot? = nil) {
        answer = lent
        plannedElsewhere = nil
        self.view = view
        if let view { broughtClock = view.clock }
        for body in whenBack { body(&answer) }
        whenBack = []
    }

    /// It was brought everything.
    func catchUp() {
        absence = nil
        view = nil
    }

    /// The answer, for whoever made the query only to work on it.
    func surrender() -> LiveAnswer { answer }
}

// MARK: The clock

extension LiveQuery {
    /// How long a query is left alone of which nobody knows when its answer changes (``ClockDependence``).
    static let opaqueInterval: Int64 = 5_000_000_000

    /// When its answer changes next though nothing else does, in nanoseconds since 1970.
    var nextMoment: Int64? {
        guard let clock = plan.clock else { return nil }
        if clock.isOpaque { return plan.environment.now.nanoseconds.addingReportingOverflow(Self.opaqueInterval).0 }
        return [answer.moments?.next, endOfUnits].compactMap { $0 }.min()
    }

    /// Whether it can go on to a moment by looking at the rows that it knows of.
    func knowsAll(until now: Int64) -> Bool {
        guard let clock = plan.clock, !clock.isOpaque, let moments = answer.moments else { return false }
        return now >= plan.environment.now.nanoseconds && moments.covers(now) && endOfUnits.map { now < $0 } ?? true
    }

    /// Knows no moment any more: other rows than before may have one.
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

    /// Notes when the clock changes the answer for a row next. Says whether that comes before the registry looks.
    func noteMoment(_ row: Row, in snapshot: IndexSnapshot, _ place: inout ItemPlace) -> Bool {
        // To find it out takes as long as a test.
        guard let moment = measured({ plan.nextMoment(of: row, in: snapshot, &place) }) ?? nil else { return false }
        answer.moments?.note(row, moment)
        return scheduled.map { moment < $0 } ?? true
    }

    /// Goes on to another moment, for the rows that may have another answer then.
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
        _ item: ItemIdentifier, matched: Bool, matches: Bool, in snapshot: IndexSnapshot, seen: FormerView? = nil
    ) {
        record(item, matched: matched, matches: matches, isCounted: true, isMoved: false) {
            var path: [UInt8] = []
            // Where paths were asked for the present one is the one that the subscriber knows, or another is kept.
            if let seen, !attributes.contains(.path) {
                if seen.identifier(of: item.row) == item { seen.appendPath(of: item.row, to: &path) }
            } else {
                snapshot.appendPath(of: item.row, to: &path)
            }
            return path
        }
    }

    /// Goes on with a plan for another viewer. Returns whether that makes a difference. Complexity: O(rows).
    ///
    /// What goes from sight is told with a path that was seen: names that were given since `seen` may have been given after
    /// the container was closed.
    func goOn(with plan: QueryPlan, in snapshot: IndexSnapshot, seen: FormerView?) -> Bool {
        defer { forgetMoments() }
        return compare(with: plan, in: snapshot, seen: seen)
    }

    /// The same on a thread where names of accounts may be asked for. Most reloads find those that there were.
    func goOnElsewhere(with plan: QueryPlan, in snapshot: IndexSnapshot, seen: FormerView?) {
        let (before, now) = (self.plan.environment, plan.environment)
        if !plan.followsClock, !self.plan.isProvisional, before.viewer == now.viewer,
            before.hasPackages == now.hasPackages,
            before.accounts.agrees(with: now.accounts)
        {
            self.plan = plan
        } else {
            _ = goOn(with: plan, in: snapshot, seen: seen)
        }
    }

    /// Goes on with another plan; what matches by one and not by the other becomes pending, and what is told otherwise.
    private func compare(with plan: QueryPlan, in snapshot: IndexSnapshot, seen: FormerView? = nil) -> Bool {
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

    /// The same by scans, wherever the former moment lies: also back, and past what is known. Complexity: O(rows).
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
