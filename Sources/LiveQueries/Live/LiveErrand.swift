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
    let former: FormerView
    /// Whether one of its queries may take long for each row.
    package let isCostly: Bool
    /// Whether it may ask for the names of accounts, which may take for ever; its queries all do then.
    package let readsAccounts: Bool
    /// Whether what its costly tests take is bounded.
    private let isMeasured: Bool
    private let isCounted: Bool
    private let walkLimit: Int
    /// Where the queries are to be brought to it: the moment.
    let moment: Timestamp?
    /// Taken by ``run()`` on one thread, and by the registry when that is done: never by two at once.
    private let parts: Mutex<[Part]>

    init(
        _ number: Int, _ former: FormerView, _ parts: [Part], isMeasured: Bool, isCounted: Bool, moment: Timestamp?,
        walkLimit: Int
    ) {
        self.number = number
        self.former = former
        self.isMeasured = isMeasured
        isCostly = parts.contains { $0.plan.isCostly }
        readsAccounts = parts.contains { $0.plan.readsAccounts }
        self.parts = Mutex(parts)
        self.isCounted = isCounted
        self.moment = moment
        self.walkLimit = walkLimit
    }

    /// Does the work, once, on any thread. Complexity: O(rows that changed and rows below directories that did).
    package func run() {
        let meter = isMeasured ? WorkMeter(LiveErrand.allowance, onOverwork: { _ in }) : nil
        let scanGuard = isMeasured ? ScanGuard(nanoseconds: LiveErrand.scanTime) : nil
        parts.withLock { parts in
            if readsAccounts, let accounts = parts.first?.plan.environment.accounts { askForNames(accounts) }
            var queries: [LiveQuery?] = []
            var still = QueryFiling()
            var placed = QueryFiling()
            var causes: SubtreeChange.Causes = []
            for number in parts.indices {
                let plan = parts[number].plan
                let query = LiveQuery(plan, attributes: parts[number].attributes, number: number, meter: meter)
                query.scanGuard = scanGuard
                // Taken out, so that it is held once and changed where it stands.
                var answer = LiveAnswer()
                swap(&answer, &parts[number].answer)
                query.takeBack(consume answer)
                queries.append(query)
                causes.formUnion(query.causes)
                if query.isPlaceSensitive {
                    placed.file(number, plan)
                } else {
                    still.file(number, plan)
                }
            }
            var pass = ChangePass(
                former, SubtreeChanges(former, causes: causes), queries: queries, still: still, placed: placed,
                isCounted: isCounted, walkLimit: walkLimit)
            pass.run()
            for (number, query) in queries.enumerated() {
                guard let query else { continue }
                if let moment { query.advanceByScan(to: moment, in: former.current) }
                if let nextPlan = parts[number].nextPlan {
                    _ = query.goOn(with: nextPlan, in: former.current)
                    parts[number].isReplanned = true
                }
                parts[number].isOverworked = query.isOverworked
                parts[number].plan = query.plan
                parts[number].answer = query.surrender()
            }
        }
    }

    /// Asks for all names that the changed rows have, whether a test needs them now or not: a row whose owner is known is
    /// tested on the event loop the next time.
    private func askForNames(_ accounts: any AccountNaming) {
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

    /// The queries with their answers, in the order in which they were given.
    func takeParts() -> [Part] {
        parts.withLock { parts in
            let taken = parts
            parts = []
            return taken
        }
    }
}
