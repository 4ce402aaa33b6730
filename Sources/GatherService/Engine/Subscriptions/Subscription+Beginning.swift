// How a live query begins: it waits for its containers, takes up its clock, registers and scans, in one iteration.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import LiveQueries
import Logging
import Metadata
import MetadataIndex
import PredicateLanguage
import Varlink

extension Subscription {
    /// Begins: waits for the containers, then sends the matching items, or the differences from the clock `since`.
    func start(_ scoped: [ScopedContainer], since: String?) {
        guard !call.hasEnded else { return }
        engine.subscriptions.add(self)
        call.onClose = { self.end() }
        call.onWritable = { self.advance() }
        engine.followSystemFiles(for: self)
        let clock = since.flatMap { QueryClock(text: $0) }.flatMap { isKnown($0) ? $0 : nil }
        // Whether a clock of this run and question still reaches back is known only once the containers are exact.
        if clock == nil { sendStarted(fresh: since == nil ? nil : true) }
        wait(for: scoped.map(\.record), since: clock)
    }

    private func wait(for records: [ContainerRecord], since clock: QueryClock?) {
        let waiter = engine.whenExact(records, xattrs: question.readsXattrs, timeout: nil) { _ in
            self.begin(since: clock)
        }
        first.wait(waiter)
    }

    /// Whether the difference since a clock can be told: this daemon or one before it gave the clock to this caller, and the
    /// answer of that moment can be worked out. If the predicate follows the time of day, the clock must have its moment,
    /// and the moments at which the answer changes must be known.
    private func isKnown(_ clock: QueryClock) -> Bool {
        guard engine.commits.isKnown(clock), engine.isClock(clock, of: question) || engine.serves(clock, question)
        else {
            return false
        }
        guard question.followsClock else { return true }
        let latest = engine.clockFollower.latest.nanoseconds
        return !question.isAskedAgain && clock.moment.map { $0 <= latest } ?? false
    }

    /// Whether the extended attributes of a container were in the index at a clock. A clock of this very question says so.
    private func knewXattrs(of record: ContainerRecord, at clock: QueryClock) -> Bool {
        !question.readsXattrs || engine.isClock(clock, of: question)
            || record.xattrs.wereFilled(at: clock.sequence)
    }

    /// Registers and looks, in one iteration.
    private func begin(since clock: QueryClock?) {
        first.waitIsOver()
        guard phase == .waiting else { return leaveTurn() }
        // Scopes are looked up again: containers may have come or gone while this waited.
        let scoped: [ScopedContainer]
        do {
            scoped = try engine.scopes.resolve(question.scopeTexts, for: question.caller)
        } catch {
            call.fail(error.varlinkError)
            return end()
        }
        let records = scoped.map(\.record)
        guard engine.areSettled(records, xattrs: question.readsXattrs) else {
            leaveTurn()
            return wait(for: records, since: clock)
        }
        if clock != nil {
            // The caller's view of these will be known when they are verified, and then only the differences are sent.
            let unsure = unsureContainers
            guard unsure.isEmpty else {
                leaveTurn()
                return wait(for: records + unsure, since: clock)
            }
        }
        guard requestTurn(scoped, clock) else { return }
        for record in records { engine.absorb(record) }
        let looked = scoped + closedContainers(besides: records)
        phase = .gathering
        let isResumed = clock.map { resume(from: $0, looked) } ?? false
        first.noteResumed(isResumed)
        if !isResumed {
            for (scoped, plan) in zip(looked, engine.firstPlans(question, for: looked)) { add(scoped, plan) }
        }
        if clock != nil { sendStarted(fresh: isResumed ? nil : true) }
        // Before the scan, which may be over at once: a subscriber that comes back gets the items that left with time
        // in the first phase.
        engine.followClock()
        scan(onlyCounting: isResumed)
    }

    /// Containers of which it is not known yet whether this caller sees the same items as before the daemon started.
    private var unsureContainers: [ContainerRecord] {
        guard question.caller != nil else { return [] }
        return engine.containers.filter {
            $0.access.isUnsure && engine.scopes.scopes(of: question.scopeTexts, in: $0) != nil
        }
    }

    /// Containers that are closed to this caller may be opened: they are part of the question, and have nothing to say.
    private func closedContainers(besides open: [ContainerRecord]) -> [ScopedContainer] {
        guard question.caller != nil else { return [] }
        return engine.containers.compactMap { record in
            guard !open.contains(where: { $0 === record }),
                let scoped = engine.scopes.scopes(of: question.scopeTexts, in: record)
            else { return nil }
            if question.readsXattrs { engine.fillXattrs(record) }
            if !engine.updateHold(of: record) { engine.absorb(record) }
            return scoped
        }
    }

    /// Returns whether the scan may begin. One that leaves the loop waits for its turn first: the query is registered and its
    /// snapshots are taken when that has come, so that waiting queries keep nothing.
    private func requestTurn(_ scoped: [ScopedContainer], _ clock: QueryClock?) -> Bool {
        if first.hasTurn { return true }
        let scans = zip(scoped, engine.firstPlans(question, for: scoped)).compactMap { scoped, plan in
            plan.map { (plan: $0, snapshot: scoped.record.index.snapshot()) }
        }
        let lane = engine.scans.lane(of: scans.map(\.plan), naming: question.readsAccounts)
        // For a subscriber that comes back after long, as much is merged as others scan.
        let changes = clock.map { changeCount(since: $0, in: scoped) } ?? 0
        guard engine.scans.leavesLoop(rows: max(engine.scans.weight(scans), changes), lane) else { return true }
        first.awaitTurn(in: lane)
        let turn = engine.workload.turns(lane).enter(user: peer.userID) { turn in
            self.first.take(turn)
            self.begin(since: clock)
        }
        guard turn.isWaiting else { return false }
        first.take(turn)
        // A query that waits for an ordinary scan may wait as long as for a crawl: a live query is there to stay.
        if lane != .shared {
            let bounds = engine.workload.bounds(lane)
            engine.questions.endWaiting(turn, of: call, own: bounds.own, inAll: bounds.inAll)
        }
        return false
    }

    private func changeCount(since clock: QueryClock, in scoped: [ScopedContainer]) -> Int {
        scoped.reduce(0) { sum, scoped in
            let record = scoped.record
            return sum + (record.history.indexClock(at: clock.sequence).flatMap(record.index.changeCount) ?? 0)
        }
    }

    private func leaveTurn() { first.giveTurn()?.leave() }

    /// Registers in a container; without a plan the query waits for one, and has nothing to tell of the container until then.
    @discardableResult
    func add(_ scoped: ScopedContainer, _ plan: QueryPlan?) -> LiveQuery {
        let engine = engine
        let meter = engine.workload.meter(of: peer.userID) { [unowned engine] query in
            if let subscription = engine.subscriptions.owner(of: query) { engine.subscriptions.markReady(subscription) }
        }
        let query = scoped.record.registry.add(
            plan ?? QueryPlan(provisionalIn: engine.environment(of: scoped.record, for: question.caller)),
            attributes: question.attributes, user: peer.userID, meter: meter)
        engine.subscriptions.setOwner(self, of: query)
        // From now on somebody listens, so a crawl of this container is news.
        scoped.record.entry.recordsCrawl = true
        parts.append(
            Part(
                record: scoped.record, query: query,
                renderer: ItemRenderer(
                    record: scoped.record, attributes: question.attributes, names: engine.system.names,
                    types: engine.system.types, caller: question.caller)))
        if plan == nil { engine.awaitPlan(of: query, self, in: scoped.record) }
        return query
    }

    /// Makes live queries that are filled with the difference between a clock and now; false, and none, where that is not
    /// known. A predicate that follows the time of day is asked as of the moment of the clock first, and brought to now by
    /// the registry, as any other is when time passes.
    private func resume(from clock: QueryClock, _ scoped: [ScopedContainer]) -> Bool {
        guard isKnown(clock) else { return false }
        var changes: [PastChanges?] = []
        let moment = question.followsClock ? clock.moment.map { Timestamp(nanoseconds: $0) } : nil
        let plans = engine.firstPlans(question, for: scoped, at: moment).compactMap(\.self)
        guard plans.count == scoped.count else { return false }
        // That of a long predicate is not compiled on the event loop for the day of the clock.
        if let moment, plans.contains(where: { $0.environment.now != moment }) { return false }
        for (record, plan) in zip(scoped.map(\.record), plans) {
            if question.caller != nil {
                // Whatever else changed, the way to the container is as it was then.
                guard record.access.isSame(since: clock.sequence) else { return false }
                if plan.matchesNothing {
                    changes.append(nil)
                    continue
                }
            }
            guard knewXattrs(of: record, at: clock),
                let indexClock = record.history.indexClock(at: clock.sequence),
                let past = record.history.changes(since: indexClock, of: record.index)
            else { return false }
            changes.append(past)
        }
        // More than may be pending: it is gathered again, which takes a bit for each item.
        guard changes.reduce(0, { $0 + ($1?.mostCount ?? 0) }) <= engine.limits.pendingItems else { return false }
        for ((scoped, plan), past) in zip(zip(scoped, plans), changes) {
            let query = add(scoped, plan)
            if let past { scoped.record.registry.resume(query, from: past) }
            engine.runBackgroundUpdates(of: scoped.record)
        }
        notePending()
        return true
    }

    /// Finds the present matches; for a subscriber that comes back only how many.
    func scan(onlyCounting: Bool) {
        let scans = parts.map { (plan: $0.query.plan, snapshot: $0.record.index.snapshot()) }
        let scanGuard = engine.workload.scanGuard()
        first.beginScan(scanGuard)
        let work = { @Sendable in scans.map { $0.plan.selectTolerantly(in: $0.snapshot, guard: scanGuard) } }
        func finish(_ found: [(selection: RowSelection, errors: EvaluationErrors)]) {
            self.first.endScan()?.leave()
            guard self.phase == .gathering else { return }
            guard scanGuard.ended == .going else {
                return self.fail(.evaluationFailed(message: "the predicate takes too much time"))
            }
            for (part, found) in zip(self.parts, found) {
                if onlyCounting {
                    part.query.count(found.selection.count)
                } else {
                    part.query.gather(found.selection, errors: found.errors)
                }
            }
            self.logFailures()
            self.advance()
        }
        guard first.hasTurn else { return finish(work()) }
        engine.scans.inTurn(first.lane, work) { result in
            // It fails only when the pool has been shut down, and then no call waits any more.
            if case .success(let found) = result { finish(found) }
        }
    }

    /// Items for which the predicate has no answer count as not matching; that is logged once for a query, after its scan.
    private func logFailures() {
        guard let part = parts.first(where: { $0.query.errors.count > 0 }) else { return }
        engine.logger.warning(
            "a live query cannot be evaluated for some items of container '\(part.record.identifier)'; they count as not matching",
            metadata: [
                "container": "\(part.record.identifier)",
                "predicate": "\(question.predicate.canonical.prefix(Subscription.predicateLogged))",
                "error": "\(part.query.errors.first.map { "\($0)" } ?? "")",
            ])
    }

    /// How many characters of a predicate the log gets.
    private static let predicateLogged = 300
}
