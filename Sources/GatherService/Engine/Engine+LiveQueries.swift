// Updates of live queries: after changes, with time, by other plans, and after changes of the system's files.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import LiveQueries
import Logging
import Metadata
import NIOCore
import NIOPosix
import PredicateLanguage
import Varlink

extension Engine {
    /// Has the subscriptions of these queries looked at.
    /// - Parameter newsRead: when the oldest event was read that led to their changes, where that is known.
    func markOwnersReady(of queries: [LiveQuery], newsRead: UInt64? = nil) {
        for query in queries {
            guard let subscription = subscriptions.owner(of: query) else { continue }
            subscription.notePending()
            subscription.noteNews(read: newsRead)
            subscriptions.markReady(subscription)
        }
    }

    /// Sends off the background updates that a container's queries have for other threads, as users take turns. To be
    /// called after each call that may make background updates.
    func runBackgroundUpdates(of record: ContainerRecord) {
        for update in record.registry.takeBackgroundUpdates() {
            let lane = lane(of: update)
            workload.updates(lane).enter(user: update.user) { turn in self.run(update, of: record, lane, turn.leave) }
        }
    }

    /// Background updates that may take long for each row have threads of their own. So do background updates that ask for names of accounts.
    private func lane(of update: BackgroundUpdate) -> Workload.Lane {
        update.readsAccounts ? .naming : update.isCostly ? .costly : .shared
    }

    /// The lane of a background update with a query.
    private func lane(of query: LiveQuery) -> Workload.Lane {
        query.readsAccountsWhenAway ? .naming : query.isCostlyWhenAway ? .costly : .shared
    }

    private func run(
        _ update: BackgroundUpdate, of record: ContainerRecord, _ lane: Workload.Lane, _ then: @escaping () -> Void
    ) {
        scans.inTurn(lane, { update.run() }) { result in
            guard case .success = result else { return }
            self.finish(update, of: record)
            then()
        }
    }

    // MARK: Suspended live queries

    /// Brings the suspended live queries of a subscription back. Each container takes a turn of the user.
    func bringBack(_ subscription: Subscription) {
        for part in subscription.parts where part.query.suspendedSince != nil && !part.query.isReturning {
            part.query.isReturning = true
            enterToBringBack(part.query, of: part.record)
        }
    }

    /// Brings a suspended live query back when it is the user's turn. The snapshot is taken then, so that queries that wait
    /// keep no snapshots.
    private func enterToBringBack(_ query: LiveQuery, of record: ContainerRecord) {
        let lane = lane(of: query)
        workload.updates(lane).enter(user: query.user) { turn in
            // A plan that came meanwhile may need another lane.
            if self.lane(of: query) != lane {
                turn.leave()
                return self.enterToBringBack(query, of: record)
            }
            query.isReturning = false
            guard let update = self.bringBack(query, of: record) else {
                turn.leave()
                return self.barriers.resumeFlushes()
            }
            self.run(update, of: record, lane, turn.leave)
        }
    }

    private func bringBack(_ query: LiveQuery, of record: ContainerRecord) -> BackgroundUpdate? {
        guard let subscription = subscriptions.owner(of: query) else { return nil }
        // The index has unpublished changes then.
        if updateHold(of: record) {
            record.held.noteReader()
            return nil
        }
        absorb(record)
        defer { subscription.notePending() }
        return record.registry.bringBack(query, in: record.index)
    }

    /// Brings the live queries back whose subscribers began to read before the container was verified.
    func bringBackThoseWaiting(for record: ContainerRecord) {
        guard record.held.takeReader() else { return }
        markOwnersReady(of: record.registry.suspendedQueries)
    }

    private func finish(_ update: BackgroundUpdate, of record: ContainerRecord) {
        // Changes made meanwhile are also for the queries that were away, and may have to wait until they are verified.
        guard !updateHold(of: record) else { return record.held.add(update) }
        absorb(record)
        markOwnersReady(of: record.registry.finish(update, in: record.index))
        followClock()
        barriers.resumeFlushes()
        // Delivers; a query that has more to catch up with goes on afterwards.
        runIteration()
        guard !updateHold(of: record) else {
            // The container was lost and found in that very iteration.
            return record.held.add(update)
        }
        absorb(record)
        markOwnersReady(of: record.registry.goOn(after: update, in: record.index))
        runBackgroundUpdates(of: record)
        barriers.resumeFlushes()
        if subscriptions.hasReady { runIteration() }
    }

    /// Lets background updates end that came back while the container's changes were held.
    func finishReturnedUpdates(of record: ContainerRecord) {
        let updates = record.held.takeBackgroundUpdates()
        if updates.isEmpty { return }
        let bound = NIOLoopBound((self, record, updates), eventLoop: loop)
        loop.execute {
            let (engine, record, updates) = bound.value
            for update in updates { engine.finish(update, of: record) }
        }
    }

    /// Calls `completion`, on the loop, once these subscriptions have the changes until now: at once where none of them
    /// is being worked out elsewhere.
    func whenCaughtUp(_ subscriptions: [Subscription], _ completion: @escaping () -> Void) {
        let behind = subscriptions.flatMap(\.queriesBehind)
        barriers.whenCaughtUp({ behind.allSatisfy { $0.query.isCaughtUp(with: $0.clock) } }, completion)
    }

    func remove(_ subscription: Subscription) {
        if subscriptions.remove(subscription) { memory.tidySoon() }
    }

    // MARK: Plans

    /// The first plans of a live query for containers; nil for one where the predicate is too long for the loop, and the
    /// container came when it had been planned for the others.
    func firstPlans(_ question: Question, for scoped: [ScopedContainer], at now: Timestamp? = nil) -> [QueryPlan?] {
        let now = now ?? clockFollower.now
        guard question.planningBytes > limits.predicateBytesOnLoop else {
            return plans(of: question, in: scoped, at: now)
        }
        return scoped.map { planAtHand(question, for: $0, at: now) }
    }

    /// A plan for a live query that is there already; nil where so much was planned in this iteration that it has to wait for it.
    func planOnLoop(_ question: Question, for scoped: ScopedContainer) -> QueryPlan? {
        if let plan = planAtHand(question, for: scoped) { return plan }
        guard plans.takeRoomOnLoop(bytes: question.planningBytes) else { return nil }
        return plan(question, for: scoped)
    }

    /// Has a plan made for a live query, which tells nothing of the container until then.
    func awaitPlan(of query: LiveQuery, _ subscription: Subscription, in record: ContainerRecord) {
        query.awaitsPlan = true
        let user = subscription.peer.userID
        plans.add(AwaitedPlan(subscription: subscription, query: query, record: record), of: user)
        makePlans(for: user)
    }

    /// At the end of an iteration: the next may plan on the loop again, and containers may not be held any more.
    func goOnPlanning() {
        for user in plans.beginIteration() { makePlans(for: user) }
    }

    private func makePlans(for user: UInt32) {
        guard plans.begin(for: user, isPossible: { !updateHold(of: $0.record) || !isAwaited($0) }) else { return }
        workload.long.enter(user: user) { turn in self.makePlans(for: user, in: turn) }
    }

    /// Makes some of a user's plans off the loop.
    private func makePlans(for user: UInt32, in turn: TurnQueue.Place) {
        // The rows of a container that is held are not those that its queries know.
        let places = plans.take(
            of: user, bytes: { $0.subscription.question.planningBytes }, isAwaited: isAwaited,
            isHeld: { updateHold(of: $0.record) })
        let inputs = places.map { place in
            let question = place.subscription.question
            return (
                predicate: question.predicate,
                scopes: self.scopes.scopes(of: question.scopeTexts, in: place.record)?.scopes ?? [],
                environment: environment(of: place.record, for: nil)
            )
        }
        scans.runLong {
            inputs.map { QueryPlan($0.predicate, scopes: $0.scopes, environment: $0.environment) }
        } then: { result in
            guard case .success(let plans) = result else { return }
            turn.leave()
            self.plans.end(for: user)
            for (place, plan) in zip(places, plans) { self.goOn(place, with: plan) }
            self.followClock()
            for record in self.containers { self.runBackgroundUpdates(of: record) }
            self.barriers.resumeFlushes()
            // Delivers, and goes on with the next.
            self.runIteration()
        }
    }

    private func isAwaited(_ place: AwaitedPlan) -> Bool {
        place.subscription.phase != .ended && place.query.awaitsPlan
    }

    private func goOn(_ place: AwaitedPlan, with plan: QueryPlan) {
        guard isAwaited(place) else { return }
        // Its time zone may have got other rules meanwhile.
        let isPresent = plan.zone == place.subscription.question.predicate.zone
        guard !updateHold(of: place.record), stands(plan, for: place.record), isPresent else {
            return awaitPlan(of: place.query, place.subscription, in: place.record)
        }
        absorb(place.record)
        place.query.awaitsPlan = false
        place.subscription.goOn(with: plan, place.query)
    }

    // MARK: Time, accounts and time zones

    /// Accounts may have changed: live queries that go by their names ask again.
    func forgetNames() {
        system.forgetNames()
        for record in containers where !updateHold(of: record) { absorb(record) }
        for subscription in subscriptions.all { subscription.accountsChanged() }
        for record in containers { runBackgroundUpdates(of: record) }
        runIteration()
    }

    /// Brings the live queries of all containers to the present, if one follows the time of day.
    func followClock() {
        clockFollower.follow(containers) { record, moment in
            absorb(record)
            markOwnersReady(of: record.registry.advance(to: moment, in: record.index))
            runBackgroundUpdates(of: record)
        }
    }

    /// Has a live query follow the files that its answer depends on. Without such files nothing is watched.
    func followSystemFiles(for subscription: Subscription) {
        let question = subscription.question
        var paths: [String] = []
        if let source = question.source { paths += system.zones.paths(of: source.timeZone) }
        if question.dependsOnAccounts { paths += system.names.files }
        guard !paths.isEmpty else { return }
        system.watch(paths)
        // They may have changed before they were watched.
        followAccounts()
        followZones(of: [subscription])
    }

    /// A file may have changed that live queries depend on.
    func systemFilesChanged() {
        followAccounts()
        followZones(of: Array(subscriptions.all))
    }

    /// Forgets the names of accounts if their files have changed since. Complexity: two calls of stat(2).
    func followAccounts() {
        if !system.names.areCurrent { forgetNames() }
    }

    /// Reads the predicates of live queries anew whose zone has other rules now, off the loop: there may be thousands.
    private func followZones(of subscriptions: [Subscription]) {
        let (types, zones) = (system.types, system.zones)
        // Most have the same zone, which is looked up once.
        var present: [String?: LocalZone?] = [:]
        let stale = subscriptions.filter { subscription in
            guard let source = subscription.question.source else { return false }
            let zone = present[source.timeZone] ?? zones.zone(source.timeZone)
            present[source.timeZone] = .some(zone)
            return zone.map { $0 != subscription.question.predicate.zone } ?? false
        }
        guard !stale.isEmpty else { return }
        // A link may lead to another directory now.
        system.watch(present.keys.flatMap { system.zones.paths(of: $0) })
        let questions = stale.map(\.question)
        scans.runLong {
            questions.map { $0.readAnew(types: types, zones: zones) }
        } then: { result in
            guard case .success(let read) = result else { return }
            for record in self.containers where !self.updateHold(of: record) { self.absorb(record) }
            for (subscription, question) in zip(stale, read) {
                // The zone may be gone. The query keeps the rules that it had.
                if let question { subscription.zoneChanged(question) }
            }
            for record in self.containers { self.runBackgroundUpdates(of: record) }
            self.runIteration()
        }
    }
}
