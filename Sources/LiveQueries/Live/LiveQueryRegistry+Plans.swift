// Replaces the plans of live queries.
// SPDX-License-Identifier: Apache-2.0

package import MetadataIndex

/// Queries that are about to leave with new plans in one background update.
struct Replanning {
    /// The rows that the queries are current with when they leave.
    var none: PastChanges?
    /// The rows that subscribers may have seen last, where those differ.
    var seen: PastChanges?
    var leaving: [LiveQuery] = []
    /// The changes not yet published in this loop iteration, for queries replanned in it.
    var unpublished: PastChanges?
    /// The number of rows tested twice on the event loop since the last iteration.
    var rowsOnLoop = 0

    /// The most rows tested twice on the event loop in one iteration.
    static let mostRowsOnLoop = 4_096
    /// The most queries in one background update. Changes are collected for each update, so one update for each of ten
    /// thousand queries would be too many. A query should also not wait for a thousand others.
    static let queriesInUpdate = 64
}

extension LiveQueryRegistry {
    /// Replaces the plan of a query. Items that match by one plan only, or are published differently, become pending.
    /// Returns whether any did.
    ///
    /// The new plan may be for a viewer with another access to the container, for other account names, for other rules of
    /// its time zone, or for a container that has packages now. It may also be the first plan after a provisional one.
    ///
    /// A query that is away is replanned when it is back; if many rows must be tested, a background update does it.
    /// Nothing is published by the old plan from here on. The index must have no unprocessed changes.
    ///
    /// An item that goes out of sight is published with the path that it had at the last ``settle()``, or when the
    /// answer left. If the subscriber requested paths, it gets the path that was published last.
    package func look(_ query: LiveQuery, by plan: QueryPlan, in index: MetadataIndex) -> Bool {
        // A query that left with its next plan returns with it.
        let (before, now) = (query.plan.environment, plan.environment)
        guard
            query.absence != nil || before.viewer != now.viewer || before.hasPackages != now.hasPackages
                || query.plan.isProvisional != plan.isProvisional || query.plan.zone != plan.zone
                || query.plan.hasOtherAccounts(plan, for: query.attributes)
        else { return false }
        let isLeaving = query.nextPlan != nil
        query.nextPlan = plan
        // A query that is about to leave leaves with this plan.
        guard query.absence == nil, !isLeaving else { return false }
        if replanning.unpublished == nil {
            replanning.unpublished = unpublished.map { PastChanges($0.preImageView(in: index.snapshot())) }
        }
        return adoptNextPlan(of: query, in: index, seen: replanning.unpublished)
    }

    /// Replaces the plan of a query that is not away by the waiting one. Returns whether any item became pending.
    func adoptNextPlan(of query: LiveQuery, in index: MetadataIndex, seen: PastChanges?) -> Bool {
        guard let plan = query.nextPlan else { return false }
        guard let number = query.number else {
            query.nextPlan = nil
            return false
        }
        if !takeRowsOnLoop(query, plan, index), prepare(query, in: index, seen: seen) { return false }
        query.nextPlan = nil
        unfile(query, number)
        let hasNews = query.goOn(with: plan, in: index.snapshot(), seen: seen?.preImages)
        file(query, number)
        schedule(query)
        return hasNews
    }

    /// Counts the rows of a query that is replanned on the event loop. Returns false for one that is too long for that.
    private func takeRowsOnLoop(_ query: LiveQuery, _ plan: QueryPlan, _ index: MetadataIndex) -> Bool {
        if plan.matchesNothing, query.plan.matchesNothing { return true }
        guard !plan.isCostly, !query.plan.isCostly, !plan.readsAccounts,
            !query.plan.hasOtherAccounts(plan, for: query.attributes)
        else { return false }
        replanning.rowsOnLoop += index.count
        return replanning.rowsOnLoop <= Replanning.mostRowsOnLoop
    }

    /// Adds a query to the next background update of this kind.
    private func prepare(_ query: LiveQuery, in index: MetadataIndex, seen: PastChanges?) -> Bool {
        if replanning.none.map({ $0.current.clock != index.clock }) ?? false || replanning.seen !== seen {
            sendThoseWithPlans()
        }
        if replanning.none == nil {
            guard let none = index.changes(since: index.clock) else { return false }
            replanning.none = PastChanges(none.preImageView(in: index.snapshot()))
            replanning.seen = seen
        }
        replanning.leaving.append(query)
        return true
    }

    /// Starts the background updates that replan queries, before the queries receive further changes.
    func sendThoseWithPlans() {
        guard let none = replanning.none else { return }
        let (leaving, seen) = (replanning.leaving, replanning.seen)
        (replanning.none, replanning.seen, replanning.leaving) = (nil, nil, [])
        // Some queries may have ended since, or have left with another background update.
        let present = leaving.filter { $0.number != nil && $0.absence == nil }
        for first in stride(from: 0, to: present.count, by: Replanning.queriesInUpdate) {
            let group = Array(present[first..<min(first + Replanning.queriesInUpdate, present.count)])
            send(group, none, isCounted: true, seen: seen)
        }
    }
}
