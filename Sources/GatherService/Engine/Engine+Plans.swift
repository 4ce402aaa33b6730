// Plans for live queries that are there already, when a container comes, or other directories become packages.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import LiveQueries
import Metadata
import NIOCore
import NIOPosix
import PredicateLanguage
import Varlink

/// A live query that waits for a plan.
struct AwaitedPlan {
    let subscription: Subscription
    let query: LiveQuery
    let record: ContainerRecord
}

extension Engine {
    /// The first plans of a live query for containers; nil for one where the predicate is too long for the loop, and the
    /// container came when it had been planned for the others.
    func firstPlans(_ question: Question, for scoped: [ScopedContainer], at now: Timestamp? = nil) -> [QueryPlan?] {
        let now = now ?? clockFollower.now
        guard question.planningBytes > limits.predicateBytesOnLoop else {
            return plans(of: question, in: scoped, at: now)
        }
        return scoped.map { planAtHand(question, for: $0, at: now) }
    }

    /// A plan for a live query that is there already; nil where so much was planned in this turn that it has to wait for it.
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

    /// At the end of a turn: the next may plan on the loop again, and containers may not be held any more.
    func goOnPlanning() {
        for user in plans.beginIteration() { makePlans(for: user) }
    }

    private func makePlans(for user: UInt32) {
        guard plans.begin(for: user, isPossible: { !isHeld($0.record) || !isAwaited($0) }) else { return }
        workload.long.enter(user: user) { turn in self.makePlans(for: user, in: turn) }
    }

    /// Makes some of a user's plans off the loop.
    private func makePlans(for user: UInt32, in turn: TurnQueue.Place) {
        // The rows of a container that is held are not those that its queries know.
        let places = plans.take(
            of: user, bytes: { $0.subscription.question.planningBytes }, isAwaited: isAwaited,
            isHeld: { isHeld($0.record) })
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
            for record in self.containers { self.runErrands(of: record) }
            self.barriers.resumeFlushes()
            // Delivers, and goes on with the next.
            self.turn()
        }
    }

    private func isAwaited(_ place: AwaitedPlan) -> Bool {
        place.subscription.phase != .ended && place.query.awaitsPlan
    }

    private func goOn(_ place: AwaitedPlan, with plan: QueryPlan) {
        guard isAwaited(place) else { return }
        // Its time zone may have got other rules meanwhile.
        let isPresent = plan.zone == place.subscription.question.predicate.zone
        guard !isHeld(place.record), stands(plan, for: place.record), isPresent else {
            return awaitPlan(of: place.query, place.subscription, in: place.record)
        }
        absorb(place.record)
        place.query.awaitsPlan = false
        place.subscription.goOn(with: plan, place.query)
    }
}
