// Work of live queries that would hold the event loop, on other threads.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import LiveQueries
import NIOCore
import NIOPosix

extension Engine {
    /// Has the subscriptions of these queries looked at.
    /// - Parameter newsRead: when the oldest event was read that led to their changes, where that is known.
    func stirOwners(of queries: [LiveQuery], newsRead: UInt64? = nil) {
        for query in queries {
            guard let subscription = owners[ObjectIdentifier(query)] else { continue }
            subscription.notePending()
            subscription.noteNews(read: newsRead)
            stir(subscription)
        }
    }

    /// Sends off what the queries of a container have for other threads. To be called after whatever may give them that.
    func runErrands(of record: ContainerRecord) {
        for errand in record.registry.takeErrands() {
            // Those that may take long for each row have a thread of their own, and those that ask for names.
            let lane: Workload.Lane = errand.readsAccounts ? .naming : errand.isCostly ? .costly : .shared
            pool(of: lane).runIfActive(eventLoop: loop) { [servesOthers] in
                if servesOthers { lane.giveWay() }
                errand.run()
            }.assumeIsolated().whenSuccess {
                self.finish(errand, of: record)
            }
        }
    }

    private func finish(_ errand: LiveErrand, of record: ContainerRecord) {
        // What changed meanwhile belongs to those who were away too, and may have to wait until it is verified.
        guard !isHeld(record) else { return record.errandsBack.append(errand) }
        absorb(record)
        stirOwners(of: record.registry.finish(errand, in: record.index))
        followClock()
        resumeFlushes()
        // Delivers; whoever has more to catch up with goes on afterwards.
        turn()
        guard !isHeld(record) else {
            // The container was lost and found in that very turn.
            return record.errandsBack.append(errand)
        }
        absorb(record)
        stirOwners(of: record.registry.goOn(after: errand, in: record.index))
        runErrands(of: record)
        resumeFlushes()
        if !stirred.isEmpty { turn() }
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
        let behind = subscriptions.flatMap(\.queriesBehind).filter { !$0.query.isCaughtUp(with: $0.clock) }
        if behind.isEmpty { return completion() }
        flushes.append((behind, completion))
    }

    func resumeFlushes() {
        let due = flushes.filter { $0.behind.allSatisfy { $0.query.isCaughtUp(with: $0.clock) } }
        flushes.removeAll { $0.behind.allSatisfy { $0.query.isCaughtUp(with: $0.clock) } }
        for (_, completion) in due { completion() }
    }
}
