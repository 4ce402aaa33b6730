// Live queries go on with other plans.
// SPDX-License-Identifier: Apache-2.0

package import MetadataIndex

/// Queries that are about to leave with other plans, together.
struct Replanning {
    /// They leave as of these rows, which they have been brought to.
    var none: PastChanges?
    /// What their subscribers may have seen last, where that is something else.
    var seen: PastChanges?
    var leaving: [LiveQuery] = []
    /// What was not told in this turn, for those who are looked at in it.
    var untold: PastChanges?
    /// Rows that were looked at on the event loop since the last turn.
    var rowsOnLoop = 0

    /// How many rows are looked at twice on the event loop in a turn.
    static let mostRowsOnLoop = 4_096
    /// Queries that leave with one errand. What changes meanwhile is put by for each errand, so one for each of ten thousand
    /// queries would be too many; and a query should not wait for a thousand others to be back.
    static let queriesInErrand = 64
}

extension LiveQueryRegistry {
    /// Goes on with a plan for a viewer who sees more or less of the container than before, since the container's own
    /// directory or one above it has other permissions, for a container that has packages from now on, by other names of
    /// accounts, or with the first plan after one that was provisional: what matches by one and not by the other, or is told
    /// otherwise, becomes pending. Returns whether anything did; a query that is away does it when it is back, and where there
    /// is much to look at an errand is made of it. Nothing is told by the plan before from here on.
    /// The index must have no changes that were not processed. What goes from sight is told with the path that it had at the
    /// last ``settle()``, or when the answer left that is away, unless paths were asked for: then with the one that was told.
    package func look(_ query: LiveQuery, by plan: QueryPlan, in index: MetadataIndex) -> Bool {
        // One that is out with its next plan comes back to it.
        let (before, now) = (query.plan.environment, plan.environment)
        guard
            query.absence != nil || before.viewer != now.viewer || before.hasPackages != now.hasPackages
                || query.plan.isProvisional != plan.isProvisional
                || query.plan.hasOtherAccounts(plan, for: query.attributes)
        else { return false }
        let isLeaving = query.nextPlan != nil
        query.nextPlan = plan
        // One that is about to leave leaves with this.
        guard query.absence == nil, !isLeaving else { return false }
        if replanning.untold == nil {
            replanning.untold = untold.map { PastChanges($0.formerView(in: index.snapshot())) }
        }
        return adoptNextPlan(of: query, in: index, seen: replanning.untold)
    }

    /// Goes on with the plan that waits for a query that is here. Returns whether anything became pending by that.
    func adoptNextPlan(of query: LiveQuery, in index: MetadataIndex, seen: PastChanges?) -> Bool {
        guard let plan = query.nextPlan else { return false }
        guard let number = query.number else {
            query.nextPlan = nil
            return false
        }
        if !isShort(query, plan, index), prepare(query, in: index, seen: seen) { return false }
        query.nextPlan = nil
        unfile(query, number)
        let hasNews = query.goOn(with: plan, in: index.snapshot(), seen: seen?.former)
        file(query, number)
        schedule(query)
        return hasNews
    }

    /// Whether a query goes on with its next plan on the event loop.
    private func isShort(_ query: LiveQuery, _ plan: QueryPlan, _ index: MetadataIndex) -> Bool {
        if plan.matchesNothing, query.plan.matchesNothing { return true }
        guard !plan.isCostly, !query.plan.isCostly, !plan.readsAccounts,
            !query.plan.hasOtherAccounts(plan, for: query.attributes)
        else { return false }
        replanning.rowsOnLoop += index.count
        return replanning.rowsOnLoop <= Replanning.mostRowsOnLoop
    }

    /// Has a query leave with the next errand of this kind.
    private func prepare(_ query: LiveQuery, in index: MetadataIndex, seen: PastChanges?) -> Bool {
        if replanning.none.map({ $0.current.clock != index.clock }) ?? false || replanning.seen !== seen {
            sendThoseWithPlans()
        }
        if replanning.none == nil {
            guard let none = index.changes(since: index.clock) else { return false }
            replanning.none = PastChanges(none.formerView(in: index.snapshot()))
            replanning.seen = seen
        }
        replanning.leaving.append(query)
        return true
    }

    /// Sends off the queries that go on with other plans elsewhere: before anything is brought to them.
    func sendThoseWithPlans() {
        guard let none = replanning.none else { return }
        let (leaving, seen) = (replanning.leaving, replanning.seen)
        (replanning.none, replanning.seen, replanning.leaving) = (nil, nil, [])
        // Some may have ended meanwhile, or have left with another errand.
        let present = leaving.filter { $0.number != nil && $0.absence == nil }
        for first in stride(from: 0, to: present.count, by: Replanning.queriesInErrand) {
            let group = Array(present[first..<min(first + Replanning.queriesInErrand, present.count)])
            send(group, none, isCounted: true, seen: seen)
        }
    }
}
