// How what callers ask of the daemon is shared out among them.
// SPDX-License-Identifier: Apache-2.0

import LiveQueries
import NIOCore
import NIOPosix

/// The queues in which questions wait for their turn, and what each user's live queries may take of the event loop.
final class Workload {
    /// Answers that are being made or taken.
    let answers: TurnQueue
    /// Scans with costly tests: they have a thread of their own, so that the others never wait for them.
    let costly: TurnQueue
    let costlyPool = NIOThreadPool(numberOfThreads: 1)
    /// Predicates too long to be understood on the event loop.
    let long: TurnQueue

    private let limits: ServiceLimits
    private var meters: [UInt32: WorkMeter] = [:]

    init(_ limits: ServiceLimits) {
        self.limits = limits
        answers = TurnQueue(atOnce: limits.answers, perUser: limits.answersPerUser)
        costly = TurnQueue(atOnce: 1, perUser: 1)
        long = TurnQueue(atOnce: 1, perUser: 1)
    }

    /// What the live queries of a user are measured by. `onOverwork` is called for each that must end.
    func meter(of user: UInt32, onOverwork: @escaping (LiveQuery) -> Void) -> WorkMeter {
        if let meter = meters[user] { return meter }
        // One that is forgotten had time to fill again; users are few, and numbers of users not to be trusted to be.
        if meters.count >= Workload.metersKept { meters.removeAll() }
        let meter = WorkMeter(limits.costlyTests, onOverwork: onOverwork)
        meters[user] = meter
        return meter
    }

    private static let metersKept = 4_096

    /// A guard for one scan.
    func scanGuard() -> ScanGuard { ScanGuard(nanoseconds: UInt64(max(0, limits.scanTime.nanoseconds))) }
}
