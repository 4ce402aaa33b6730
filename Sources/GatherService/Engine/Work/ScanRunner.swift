// Scans and other work that does not touch the engine, on the event loop or off it.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import LiveQueries
import MetadataIndex
import NIOCore
import NIOPosix

/// Does work that does not touch the engine: at once if it is short, else on a thread of its lane, when it is the user's turn. To be
/// called on the event loop, where all completions are called, too.
struct ScanRunner {
    let loop: any EventLoop
    /// The threads of the lane that all share.
    private let pool: NIOThreadPool
    /// The queues of users for them.
    let workload: Workload
    private let rowsOnLoop: Int
    /// Whether there may be others whom a scan holds up. Within a command there are none, and its threads are not to give way
    /// to whatever else runs in the same session.
    let servesOthers: Bool

    init(_ workload: Workload, pool: NIOThreadPool, loop: any EventLoop, rowsOnLoop: Int, servesOthers: Bool) {
        (self.workload, self.pool, self.loop) = (workload, pool, loop)
        (self.rowsOnLoop, self.servesOthers) = (rowsOnLoop, servesOthers)
    }

    /// Whether work is done on another thread: where it is long, or may be.
    func leavesLoop(rows: Int, _ lane: Workload.Lane) -> Bool { lane != .shared || rows > rowsOnLoop }

    /// How many rows a scan by these plans is worth: one that may take long for each row counts as a long one.
    func weight(_ scans: [(plan: QueryPlan, snapshot: IndexSnapshot)]) -> Int {
        let scans = scans.filter { !$0.plan.matchesNothing }
        if scans.contains(where: { $0.plan.isCostly }) { return Int.max }
        return scans.reduce(0) { sum, scan in
            // Attributes are as long as their writers like.
            let xattrs = scan.plan.readsXattrs ? scan.snapshot.xattrByteCount / Limits.extraBytesForARow : 0
            return sum + scan.snapshot.count + xattrs
        }
    }

    /// Returns the lane in which plans are carried out.
    func lane(of plans: [QueryPlan], naming: Bool) -> Workload.Lane {
        naming ? .naming : plans.contains(where: \.isCostly) ? .costly : .shared
    }

    private func pool(of lane: Workload.Lane) -> NIOThreadPool {
        switch lane {
        case .shared: pool
        case .costly: workload.costlyPool
        case .naming: workload.namingPool
        }
    }

    /// Does work at once where it is short, else on another thread, when it is the user's turn. `then` is called at once where the
    /// work was short. It gets a failure of the pool only after the pool has been shut down.
    func run<Output: Sendable>(
        rows: Int, for user: UInt32, lane: Workload.Lane = .shared, _ work: @escaping @Sendable () throws -> Output,
        then: @escaping (Result<Output, any Error>) -> Void
    ) {
        guard leavesLoop(rows: rows, lane) else { return then(Result { try work() }) }
        workload.turns(lane).enter(user: user) { turn in
            inTurn(lane, work) {
                turn.leave()
                then($0)
            }
        }
    }

    /// Does work on another thread, where it is the user's turn already.
    func inTurn<Output: Sendable>(
        _ lane: Workload.Lane, _ work: @escaping @Sendable () throws -> Output,
        then: @escaping (Result<Output, any Error>) -> Void
    ) {
        pool(of: lane).runIfActive(eventLoop: loop) { [servesOthers] in
            if servesOthers { lane.giveWay() }
            return try work()
        }.assumeIsolated().whenComplete { then($0) }
    }

    /// Does work that cannot fail and goes on with a value that it is given, at once or on another thread.
    func run<Input: Sendable, Output: Sendable>(
        rows: Int, for user: UInt32, lane: Workload.Lane = .shared, input: Input,
        _ work: @escaping @Sendable (inout Input) -> Output, then: @escaping (Output) -> Void
    ) {
        run(rows: rows, for: user, lane: lane) {
            var input = input
            return work(&input)
        } then: { result in
            // It fails only when the pool has been shut down, and then no call waits any more.
            if case .success(let output) = result { then(output) }
        }
    }

    /// Does work on the thread for long predicates. `then` gets a failure of the pool only after the pool has been shut down.
    func runLong<Output: Sendable>(
        _ work: @escaping @Sendable () throws -> Output, then: @escaping (Result<Output, any Error>) -> Void
    ) {
        workload.longPool.runIfActive(eventLoop: loop) { [servesOthers] in
            if servesOthers { Threads.giveWayToAll() }
            return try work()
        }.assumeIsolated().whenComplete { then($0) }
    }
}
