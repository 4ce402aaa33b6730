// Work of live queries that would hold the event loop, on other threads.
// SPDX-License-Identifier: Apache-2.0

import LiveQueries
import NIOCore
import NIOPosix

extension Engine {
    /// Has the subscriptions of these queries looked at.
    func stirOwners(of queries: [LiveQuery]) {
        for query in queries {
            guard let subscription = owners[ObjectIdentifier(query)] else { continue }
            subscription.notePending()
            stir(subscription)
        }
    }

    /// Sends off what the queries of a container have for other threads. To be called after whatever may give them that.
    func runErrands(of record: ContainerRecord) {
        for errand in record.registry.takeErrands() {
            // Those that may take long for each row have a thread of their own.
            let pool = errand.isCostly ? workload.costlyPool : pool
            pool.runIfActive(eventLoop: loop) { errand.run() }.assumeIsolated().whenSuccess {
                // What changed meanwhile belongs to those who were away too.
                self.absorb(record)
                self.stirOwners(of: record.registry.finish(errand, in: record.index))
                self.followClock()
                self.resumeFlushes()
                // Delivers; whoever has more to catch up with goes on afterwards.
                self.turn()
                self.absorb(record)
                record.registry.goOn(after: errand, in: record.index)
                self.runErrands(of: record)
            }
        }
    }

    /// Calls `completion`, on the loop, once these subscriptions can tell what happened until now: at once where nothing of
    /// it is being worked out elsewhere.
    func whenCaughtUp(_ subscriptions: [Subscription], _ completion: @escaping () -> Void) {
        let behind = subscriptions.flatMap(\.queriesBehind)
        if behind.isEmpty { return completion() }
        flushes.append((behind, completion))
    }

    private func resumeFlushes() {
        let due = flushes.filter { $0.behind.allSatisfy { $0.query.isCaughtUp(with: $0.clock) } }
        flushes.removeAll { $0.behind.allSatisfy { $0.query.isCaughtUp(with: $0.clock) } }
        for (_, completion) in due { completion() }
    }
}
