// A background update: work on live queries that is too long for the event loop.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import MetadataIndex
import Synchronization

/// A background update: work on live queries that is too long for the event loop. There are many changed rows, or many
/// rows below changed directories.
///
/// It takes the answers of its queries away (``LiveQuery/isAway``). Later changes are collected for these queries until
/// ``LiveQueryRegistry/finish(_:in:)`` brings the answers back. So each query receives every change set in order, and
/// other queries do not wait. The work of the event loop does not grow with the rows.
package final class BackgroundUpdate: Sendable {
    /// One query whose answer is away.
    struct Part: Sendable {
        var plan: QueryPlan
        /// The plan to continue with at the end, if it is another one.
        var nextPlan: QueryPlan?
        let attributes: AttributeSet
        var answer: LiveAnswer
        /// Whether ``plan`` is the former ``nextPlan``.
        var isReplanned = false
        /// Whether the tests exceeded their limit of time. The answer is then unusable.
        var isOverworked = false

        /// Whether the work may look up account names.
        var asksForAccounts: Bool { plan.asksForAccounts(before: nextPlan, for: attributes) }

        init(plan: QueryPlan, nextPlan: QueryPlan?, attributes: AttributeSet, answer: consuming LiveAnswer) {
            self.plan = plan
            self.nextPlan = nextPlan
            self.attributes = attributes
            self.answer = answer
        }
    }

    /// The limit for the costly tests of one user in one update. Quick tests are free, as on the event loop.
    private static let allowance = WorkMeter.Allowance(
        free: 5_000, most: 10_000_000, capacity: 10_000_000_000, perSecond: 0)
    /// The time limit for the scans of such an update, in nanoseconds.
    private static let scanTime: UInt64 = 10_000_000_000

    /// The number in the registry.
    let number: Int
    /// The user that subscribed to the queries.
    package let user: UInt32
    /// The changes to apply. A long list is merged in ``run()``.
    private let past: PastChanges
    /// Whether a query may take long for each row.
    package let isCostly: Bool
    /// Whether all queries may look up account names, which can block without a time limit.
    package let readsAccounts: Bool
    /// Whether the costly tests are limited.
    private let isMeasured: Bool
    private let isCounted: Bool
    private let walkLimit: Int
    /// The limit of pending items of all queries together at the end.
    private let mostPending: Int
    /// The moment to which the queries advance; nil if they do not.
    let moment: Timestamp?
    /// The rows that subscribers saw last, for items that go out of sight by another plan. Nil if these are the rows
    /// before the changes.
    let seen: PastChanges?
    /// Taken by ``run()`` on one thread, then by the registry; never by both at once.
    private let parts: Mutex<[Part]>

    init(
        _ number: Int, _ past: PastChanges, _ parts: [Part], user: UInt32, isMeasured: Bool, isCounted: Bool,
        moment: Timestamp?,
        seen: PastChanges?, walkLimit: Int, mostPending: Int
    ) {
        self.number = number
        self.user = user
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

    /// The rows that the answers are current with at the end.
    var current: IndexSnapshot { past.current }

    /// Does the work, once, on any thread. Complexity: O(changed rows and rows below changed directories).
    ///
    /// Queries are updated in groups that stay within ``mostPending`` even if all rows become pending. Beyond that
    /// limit the queries with most pending items lose them (``LiveAnswer/isOverfull``) before the next group starts.
    /// The removal of a directory with a million files makes a million entries for each query that matched them.
    package func run() {
        let meter = isMeasured ? WorkMeter(BackgroundUpdate.allowance, onOverwork: { _ in }) : nil
        let scanGuard = isMeasured ? ScanGuard(nanoseconds: BackgroundUpdate.scanTime) : nil
        let former = past.preImages
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

    /// Applies the changes to a group of queries.
    private func carryOut(
        _ parts: inout [Part], _ group: Range<Int>, _ queries: [LiveQuery], _ subtrees: SubtreeChanges
    ) {
        var still = SubscriptionIndex()
        var placed = SubscriptionIndex()
        var met = [LiveQuery?](repeating: nil, count: queries.count)
        for number in group {
            let query = queries[number]
            // Swapped out, so that the answer has one owner and is changed in place.
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
            past.preImages, subtrees, queries: met, still: still, placed: placed, isCounted: isCounted,
            walkLimit: walkLimit)
        pass.run()
        for number in group {
            let query = queries[number]
            if let moment { query.advanceByScan(to: moment, in: current) }
            if let nextPlan = parts[number].nextPlan {
                query.goOnElsewhere(with: nextPlan, in: current, seen: (seen ?? past).preImages)
                parts[number].isReplanned = true
            }
            parts[number].isOverworked = query.isOverworked
            parts[number].plan = query.plan
            parts[number].answer = query.surrender()
        }
    }

    /// Looks up the names of all owners and groups of changed rows. The event loop can then test such rows, since it
    /// knows the names.
    private func askForNames(_ accounts: any AccountNaming, _ former: PreImageView) {
        func ask(_ status: FileStatus) {
            _ = accounts.user(status.owner)
            _ = accounts.group(status.group)
        }
        for at in 0..<former.changes.count {
            if let status = former.changes.preImage(at: at)?.status { ask(status) }
            let row = former.changes.row(at: at)
            if former.current.identifier(of: row) != nil { ask(former.current.status(of: row)) }
        }
    }

    /// The rows before this update, after further changes. The two sets of changes are merged on first use.
    func past(with later: ChangeSet?, in index: MetadataIndex) -> PastChanges {
        later.map { PastChanges(past, later: $0, current: index.snapshot()) } ?? past
    }

    /// Returns the queries with their answers, in their original order.
    func takeParts() -> [Part] {
        parts.withLock { parts in
            let taken = parts
            parts = []
            return taken
        }
    }
}
