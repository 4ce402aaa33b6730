// What one-shot and live questions need of the engine.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import LinuxSystem
import LiveQueries
import Metadata
import MetadataIndex
import NIOCore
import NIOPosix
import Varlink

extension Engine {
    /// The containers of these for which an answer may be wrong now, one that reads extended attributes or not; nil where
    /// there are none.
    func inexact(_ records: [ContainerRecord], extras: Bool, for caller: Credentials?) -> [String]? {
        let inexact = records.filter { record in
            !state(of: record).isExact || (extras && (record.extras != .filled || record.index.lacksExtras))
                || (caller != nil && record.lacksAccessLists)
        }
        let names = names(of: inexact, for: caller)
        return names.isEmpty ? nil : names
    }

    /// The identifiers of those containers that are there for a caller: one that may be searched and not listed has items
    /// for them, and no name.
    func names(of records: [ContainerRecord], for caller: Credentials?) -> [String] {
        records.filter { isListed($0, for: caller) }.map(\.identifier)
    }

    /// The plans of a question for containers, all of one moment. Complexity: one is compiled, and moved to the others, where
    /// nothing that it asks depends on the container.
    func plans(of question: Question, in scoped: [ScopedContainer], at now: Timestamp? = nil) -> [QueryPlan] {
        let now = now ?? clockFollower.now
        var compiled = question.compiled.flatMap { $0.isCompiled(for: now) ? $0.at(now) : nil }
        return scoped.map { plan(question, for: $0, at: now, like: &compiled) }
    }

    /// Snapshots for a question that is answered by these plans, all of this moment.
    func parts(of question: Question, in scoped: [ScopedContainer], by plans: [QueryPlan]) -> [AnswerPart] {
        var last: ItemRenderer?
        return zip(scoped, plans).map { scoped, plan in
            let renderer =
                last?.moved(to: scoped.record)
                ?? ItemRenderer(
                    record: scoped.record, attributes: question.attributes, names: names, types: types,
                    caller: question.caller)
            last = renderer
            return AnswerPart(plan: plan, snapshot: scoped.record.index.snapshot(), renderer: renderer)
        }
    }

    /// How many rows a scan by these plans is worth: one that may take long for each row counts as a long one.
    func weight(_ scans: [(plan: QueryPlan, snapshot: IndexSnapshot)]) -> Int {
        let scans = scans.filter { !$0.plan.matchesNothing }
        if scans.contains(where: { $0.plan.isCostly }) { return Int.max }
        return scans.reduce(0) { sum, scan in
            // Attributes are as long as their writers like.
            let extras = scan.plan.readsExtras ? scan.snapshot.extrasByteCount / Limits.extraBytesForARow : 0
            return sum + scan.snapshot.count + extras
        }
    }

    /// Whether work is done on another thread: where it is long, or may be.
    func leavesLoop(rows: Int, _ lane: Workload.Lane) -> Bool {
        lane != .shared || rows > limits.rowsScannedOnLoop
    }

    /// Whether there may be others whom a scan holds up. Within a command there are none, and its threads are not to give way
    /// to whatever else runs in the same session.
    var servesOthers: Bool { store.isKept }

    /// The threads of a lane.
    func pool(of lane: Workload.Lane) -> NIOThreadPool {
        switch lane {
        case .shared: pool
        case .costly: workload.costlyPool
        case .naming: workload.namingPool
        }
    }

    /// Does work that does not touch the engine: at once where it is short, else on another thread, when it is the user's
    /// turn. `then` is called on the loop, at once where the work was short.
    func offLoop<Output: Sendable>(
        rows: Int, for user: UInt32, lane: Workload.Lane = .shared, _ work: @escaping @Sendable () throws -> Output,
        then: @escaping (Result<Output, any Error>) -> Void
    ) {
        guard leavesLoop(rows: rows, lane) else { return then(Result { try work() }) }
        workload.turns(lane).enter(user: user) { turn in
            self.inTurn(lane, work) {
                turn.leave()
                then($0)
            }
        }
    }

    /// As above, where it is the caller's turn.
    func inTurn<Output: Sendable>(
        _ lane: Workload.Lane, _ work: @escaping @Sendable () throws -> Output,
        then: @escaping (Result<Output, any Error>) -> Void
    ) {
        pool(of: lane).runIfActive(eventLoop: loop) { [servesOthers] in
            if servesOthers { lane.giveWay() }
            return try work()
        }.assumeIsolated().whenComplete { then($0) }
    }

    /// As above, for work that cannot fail and goes on with a value that it is given.
    func offLoop<Input: Sendable, Output: Sendable>(
        rows: Int, for user: UInt32, lane: Workload.Lane = .shared, input: Input,
        _ work: @escaping @Sendable (inout Input) -> Output, then: @escaping (Output) -> Void
    ) {
        offLoop(rows: rows, for: user, lane: lane) {
            var input = input
            return work(&input)
        } then: { result in
            // It fails only when the pool has been shut down, and then nobody waits any more.
            if case .success(let output) = result { then(output) }
        }
    }

    func remove(_ subscription: Subscription) {
        if subscriptions.remove(subscription) { tidyMemorySoon() }
    }
}
