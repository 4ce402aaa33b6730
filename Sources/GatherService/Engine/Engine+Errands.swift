// Work of live queries that would hold the event loop, on other threads.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import LiveQueries
import NIOCore
import NIOPosix
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

    /// Sends off what the queries of a container have for other threads, as users take turns. To be called after each call that
    /// may make errands.
    func runErrands(of record: ContainerRecord) {
        for errand in record.registry.takeErrands() {
            let lane = lane(of: errand)
            workload.updates(lane).enter(user: errand.user) { turn in self.run(errand, of: record, lane, turn.leave) }
        }
    }

    /// Errands that may take long for each row have threads of their own. So do errands that ask for names of accounts.
    private func lane(of errand: LiveErrand) -> Workload.Lane {
        errand.readsAccounts ? .naming : errand.isCostly ? .costly : .shared
    }

    /// The lane of an errand with a query.
    private func lane(of query: LiveQuery) -> Workload.Lane {
        query.readsAccountsWhenAway ? .naming : query.isCostlyWhenAway ? .costly : .shared
    }

    private func run(
        _ errand: LiveErrand, of record: ContainerRecord, _ lane: Workload.Lane, _ then: @escaping () -> Void
    ) {
        scans.inTurn(lane, { errand.run() }) { result in
            guard case .success = result else { return }
            self.finish(errand, of: record)
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
            guard let errand = self.bringBack(query, of: record) else {
                turn.leave()
                return self.barriers.resumeFlushes()
            }
            self.run(errand, of: record, lane, turn.leave)
        }
    }

    private func bringBack(_ query: LiveQuery, of record: ContainerRecord) -> LiveErrand? {
        guard let subscription = subscriptions.owner(of: query) else { return nil }
        // The index has unpublished changes then.
        if isHeld(record) {
            record.bringsBackWhenVerified = true
            return nil
        }
        absorb(record)
        defer { subscription.notePending() }
        return record.registry.bringBack(query, in: record.index)
    }

    /// Brings the live queries back whose subscribers began to read before the container was verified.
    func bringBackThoseWaiting(for record: ContainerRecord) {
        guard record.bringsBackWhenVerified else { return }
        record.bringsBackWhenVerified = false
        markOwnersReady(of: record.registry.suspendedQueries)
    }

    private func finish(_ errand: LiveErrand, of record: ContainerRecord) {
        // What changed meanwhile belongs to those who were away too, and may have to wait until it is verified.
        guard !isHeld(record) else { return record.errandsBack.append(errand) }
        absorb(record)
        markOwnersReady(of: record.registry.finish(errand, in: record.index))
        followClock()
        barriers.resumeFlushes()
        // Delivers; whoever has more to catch up with goes on afterwards.
        turn()
        guard !isHeld(record) else {
            // The container was lost and found in that very turn.
            return record.errandsBack.append(errand)
        }
        absorb(record)
        markOwnersReady(of: record.registry.goOn(after: errand, in: record.index))
        runErrands(of: record)
        barriers.resumeFlushes()
        if subscriptions.hasReady { turn() }
    }

    /// Lets errands end that came back while the container's changes were held.
    func finishErrandsBack(of record: ContainerRecord) {
        if record.errandsBack.isEmpty { return }
        let bound = NIOLoopBound((self, record, record.errandsBack), eventLoop: loop)
        record.errandsBack = []
        loop.execute {
            let (engine, record, errands) = bound.value
            for errand in errands { engine.finish(errand, of: record) }
        }
    }

    /// Calls `completion`, on the loop, once these subscriptions can tell what happened until now: at once where nothing of
    /// it is being worked out elsewhere.
    func whenCaughtUp(_ subscriptions: [Subscription], _ completion: @escaping () -> Void) {
        let behind = subscriptions.flatMap(\.queriesBehind)
        barriers.whenCaughtUp({ behind.allSatisfy { $0.query.isCaughtUp(with: $0.clock) } }, completion)
    }
}
