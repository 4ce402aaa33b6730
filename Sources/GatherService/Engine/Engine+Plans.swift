// Plans for live queries that are there already, when a container comes, or other directories become packages.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import LiveQueries
import Metadata
import NIOCore
import NIOPosix
import PredicateLanguage
import Varlink

/// Live queries that wait for plans. All of them are to have one at once, which may take seconds: a few are planned on the loop,
/// the others off it, a part at a time, and users take turns.
struct AwaitedPlans {
    /// One that waits.
    struct Place {
        let subscription: Subscription
        let query: LiveQuery
        let record: ContainerRecord
    }

    /// Bytes of predicates that were planned on the loop since the last turn.
    var bytesOnLoop = 0
    /// In the order in which they came, by user.
    var places: [UInt32: CircularBuffer<Place>] = [:]
    /// Users for whom plans are being made.
    var underWay: Set<UInt32> = []
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
        guard awaitedPlans.bytesOnLoop + question.planningBytes <= limits.predicateBytesOnLoop else { return nil }
        awaitedPlans.bytesOnLoop += question.planningBytes
        return plan(question, for: scoped)
    }

    /// Has a plan made for a live query, which tells nothing of the container until then.
    func awaitPlan(of query: LiveQuery, _ subscription: Subscription, in record: ContainerRecord) {
        query.awaitsPlan = true
        let user = subscription.peer.userID
        awaitedPlans.places[user, default: CircularBuffer()].append(
            AwaitedPlans.Place(subscription: subscription, query: query, record: record))
        makePlans(for: user)
    }

    /// At the end of a turn: the next may plan on the loop again, and containers may not be held any more.
    func goOnPlanning() {
        awaitedPlans.bytesOnLoop = 0
        for user in awaitedPlans.places.keys { makePlans(for: user) }
    }

    private func makePlans(for user: UInt32) {
        guard !awaitedPlans.underWay.contains(user),
            awaitedPlans.places[user, default: CircularBuffer()].contains(where: {
                !isHeld($0.record) || !isAwaited($0)
            })
        else { return }
        awaitedPlans.underWay.insert(user)
        workload.long.enter(user: user) { turn in self.makePlans(for: user, in: turn) }
    }

    /// Makes some of a user's plans off the loop.
    private func makePlans(for user: UInt32, in turn: TurnQueue.Place) {
        let places = takePlaces(of: user)
        let inputs = places.map { place in
            let question = place.subscription.question
            return (
                predicate: question.predicate,
                scopes: scopes(of: question.scopeTexts, in: place.record)?.scopes ?? [],
                environment: environment(of: place.record, for: nil)
            )
        }
        workload.longPool.runIfActive(eventLoop: loop) { [servesOthers] in
            if servesOthers { Threads.giveWayToAll() }
            return inputs.map { QueryPlan($0.predicate, scopes: $0.scopes, environment: $0.environment) }
        }.assumeIsolated().whenSuccess { plans in
            turn.leave()
            self.awaitedPlans.underWay.remove(user)
            for (place, plan) in zip(places, plans) { self.goOn(place, with: plan) }
            self.followClock()
            for record in self.containers { self.runErrands(of: record) }
            self.barriers.resumeFlushes()
            // Delivers, and goes on with the next.
            self.turn()
        }
    }

    /// The next of a user's live queries to be planned: as much as the loop plans in a turn, or one.
    private func takePlaces(of user: UInt32) -> [AwaitedPlans.Place] {
        var (taken, held): ([AwaitedPlans.Place], [AwaitedPlans.Place]) = ([], [])
        var bytes = 0
        var waiting = awaitedPlans.places.removeValue(forKey: user) ?? CircularBuffer()
        while let next = waiting.first {
            let size = next.subscription.question.planningBytes
            guard taken.isEmpty || bytes + size <= limits.predicateBytesOnLoop else { break }
            waiting.removeFirst()
            guard isAwaited(next) else { continue }
            // The rows of a container that is held are not those that its queries know.
            if isHeld(next.record) {
                held.append(next)
            } else {
                taken.append(next)
                bytes += size
            }
        }
        waiting.append(contentsOf: held)
        if !waiting.isEmpty { awaitedPlans.places[user] = waiting }
        return taken
    }

    private func isAwaited(_ place: AwaitedPlans.Place) -> Bool {
        place.subscription.phase != .ended && place.query.awaitsPlan
    }

    private func goOn(_ place: AwaitedPlans.Place, with plan: QueryPlan) {
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
