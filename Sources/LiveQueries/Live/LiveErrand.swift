// Work on live queries that is too long for the event loop.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import MetadataIndex
import Synchronization

/// Work on live queries that is too long for the event loop: many rows that changed, or that lie below directories that did.
///
/// It takes the answers of its queries along (``LiveQuery/isAway``); until ``LiveQueryRegistry/finish(_:in:)`` brings them
/// back, what changes is put by for them, and they catch up then. So every query is told of every change set in order,
/// the ones that stay never wait, and the loop does nothing that grows with the rows.
package final class LiveErrand: Sendable {
    /// One query that is away.
    struct Part: Sendable {
        var plan: QueryPlan
        /// What it goes on with in the end, where that is another plan.
        var nextPlan: QueryPlan?
        let attributes: AttributeSet
        var answer: LiveAnswer
        /// Whether ``plan`` is what was ``nextPlan``.
        var isReplanned = false
        /// Whether its tests took more than they may: the answer is of no use.
        var isOverworked = false

        /// Whether working on it may take asking for names of accounts.
        var asksForAccounts: Bool { plan.asksForAccounts(before: nextPlan, for: attributes) }

        init(plan: QueryPlan, nextPlan: QueryPlan?, attributes: AttributeSet, answer: consuming LiveAnswer) {
            self.plan = plan
            self.nextPlan = nextPlan
            self.attributes = attributes
            self.answer = answer
        }
    }

    /// What the costly tests of one user may take in one errand: those that are quick are free, as on the event loop.
    private static let allowance = WorkMeter.Allowance(
        free: 5_000, most: 10_000_000, capacity: 10_000_000_000, perSecond: 0)
    /// How long one such errand may scan, in nanoseconds.
    private static let scanTime: UInt64 = 10_000_000_000

    /// Its number in the registry.
    let number: Int
    /// What changed. Where that is long, it is merged with the work.
    private let past: PastChanges
    /// Whether one of its queries may take long for each row.
    package let isCostly: Bool
    /// Whether it may ask for the names of accounts, which may take for ever; its queries all do then.
    package let readsAccounts: Bool
    /// Whether what its costly tests take is bounded.
    private let isMeasured: Bool
    private let isCounted: Bool
    private let walkLimit: Int
    /// The most that its queries may have pending together when it is done.
    private let mostPending: Int
    /// Where the queries are to be brought to it: the moment.
    let moment: Timestamp?
    /// What subscribers may have seen last, for what goes from sight by another plan; nil where that is as it was before what
    /// changed.
    let seen: PastChanges?
    /// Taken by ``run()`` on one thread, and by the registry when that is done: never by two at once.
    private let parts: Mutex<[Part]>

    init(
        _ number: Int, _ past: PastChanges, _ parts: [Part], isMeasured: Bool, isCounted: Bool, moment: Timestamp?,
        seen: PastChanges?, walkLimit: Int, mostPending: Int
    ) {
        self.number = number
        self.past = past
        self.isMeasured = isMeasured
        isCostly = parts.contains { $0.plan.isCostly || $0.nextPlan?.isCostly ?? false }
        readsAccounts = parts.contains(where: \.asksForAccounts)
        self.parts = Mutex(parts)
        self.isCounted = isCounted
        self.moment = moment
        self.seen = seen
        self.walkLimit = walkLimit
        self.mostPending = mostPending
    }

    /// The rows that its answers are as of when it is done.
    var current: IndexSnapshot { past.current }

    /// Does the work, once, on any thread. Complexity: O(rows that changed and rows below directories that did).
    ///
    /// So many queries at a time as may have all of these rows pending. Past ``mostPending`` those that have most lose what
    /// they have (``LiveAnswer/isOverfull``), before the next ones come: a directory of a million files that goes is a million
    /// entries for each query that had them, and nobody has counted them yet.
    package func run() {
        let meter = isMeasured ? WorkMeter(LiveErrand.allowance, onOverwork: { _ in }) : nil
        let scanGuard = isMeasured ? ScanGuard(nanoseconds: LiveErrand.scanTime) : nil
        let former = past.former
        parts.withLock { parts in
            if readsAccounts, let accounts = parts.first?.plan.environment.accounts {
                askForNames(accounts, former)
            }
            var queries: [LiveQuery] = []
            var causes: SubtreeChange.Causes = []
            for part in parts {
                let query = LiveQuery(part.plan, attributes: part.attributes, number: queries.count, meter: meter)
                query.scanGuard = scanGuard
                queries.append(query)
                causes.formUnion(query.causes)
            }
            let subtrees = SubtreeChanges(former, causes: causes)
            let rows = former.changes.count + subtrees.rowCount(in: former.current, atMost: mostPending)
            let together = max(1, mostPending / max(1, rows))
            var pending = 0
            for start in stride(from: 0, to: parts.count, by: together) {
                let group = start..<min(start + together, parts.count)
                carryOut(&parts, group, queries, subtrees)
                for number in group { pending += parts[number].answer.pendingCount }
                while pending > mostPending,
                    let most = (0..<group.upperBound).max(by: {
                        parts[$0].answer.pendingCount < parts[$1].answer.pendingCount
                    })
                {
                    pending -= parts[most].answer.pendingCount
                    parts[most].answer = LiveAnswer(overfull: ())
                }
            }
        }
    }

    /// Brings the changes to some of the queries.
    private func carryOut(
        _ parts: inout [Part], _ group: Range<Int>, _ queries: [LiveQuery], _ subtrees: SubtreeChanges
    ) {
        var still = QueryFiling()
        var placed = QueryFiling()
        var met = [LiveQuery?](repeating: nil, count: queries.count)
        for number in group {
            let query = queries[number]
            // Taken out, so that it is held once and changed where it stands.
            var answer = LiveAnswer()
            swap(&answer, &parts[number].answer)
            query.takeBack(consume answer)
            met[number] = query
            if query.isPlaceSensitive {
                placed.file(number, query.plan)
            } else {
                still.file(number, query.plan)
            }
        }
        var pass = ChangePass(
            past.former, subtrees, queries: met, still: still, placed: placed, isCounted: isCounted,
            walkLimit: walkLimit)
        pass.run()
        for number in group {
            let query = queries[number]
            if let moment { query.advanceByScan(to: moment, in: current) }
            if let nextPlan = parts[number].nextPlan {
                query.goOnElsewhere(with: nextPlan, in: current, seen: (seen ?? past).former)
                parts[number].isReplanned = true
            }
            parts[number].isOverworked = query.isOverworked
            parts[number].plan = query.plan
            parts[number].answer = query.surrender()
        }
    }

    /// Asks for all names that the changed rows have, whether a test needs them now or not: a row whose owner is known is
    /// tested on the event loop the next time.
    private func askForNames(_ accounts: any AccountNaming, _ former: FormerView) {
        func ask(_ status: FileStatus) {
            _ = accounts.user(status.owner)
            _ = accounts.group(status.group)
        }
        for at in 0..<former.changes.count {
            if let status = former.changes.former(at: at)?.status { ask(status) }
            let row = former.changes.row(at: at)
            if former.current.identifier(of: row) != nil { ask(former.current.status(of: row)) }
        }
    }

    /// What tells the rows as they were when the errand left, after more has changed. Both are merged when somebody looks.
    func past(with later: ChangeSet?, in index: MetadataIndex) -> PastChanges {
        later.map { PastChanges(past, later: $0, current: index.snapshot()) } ?? past
    }

    /// The queries with their answers, in the order in which they were given.
    func takeParts() -> [Part] {
        parts.withLock { parts in
            let taken = parts
            parts = []
            return taken
        }
    }
}
