// How the work for callers is shared out among them.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import LiveQueries
import NIOCore
import NIOPosix

/// The queues in which questions wait for their turn, and the bounds of each user's live queries on the event loop.
final class Workload {
    /// Answers that are being made or taken.
    let answers: TurnQueue
    /// Scans and other work that is too long for the event loop: first results, answers made into bytes, censuses.
    private let scans: TurnQueue
    /// Scans with costly tests: they have a thread of their own, so that the others never wait for them.
    private let costly: TurnQueue
    let costlyPool = NIOThreadPool(numberOfThreads: 1)
    /// Work that may ask for the names of accounts: a directory server that hangs holds up only the callers that ask
    /// for them.
    private let naming: TurnQueue
    let namingPool = NIOThreadPool(numberOfThreads: Limits.namingAtOnce)
    /// Background updates of live queries, by lane. A user's scans do not wait for that user's updates, nor the other way round.
    private let sharedUpdates: TurnQueue
    private let costlyUpdates = TurnQueue(atOnce: 1, perUser: 1)
    private let namingUpdates: TurnQueue
    /// Answers that wait for their readers.
    let openAnswers: OpenAnswers
    /// Predicates too long to be understood on the event loop. They have a thread of their own, which also lets go of them.
    let long: TurnQueue
    let longPool = NIOThreadPool(numberOfThreads: 1)

    private let limits: ServiceLimits
    private var meters: [UInt32: WorkMeter] = [:]

    init(_ limits: ServiceLimits) {
        self.limits = limits
        answers = TurnQueue(atOnce: limits.answers, perUser: limits.answersPerUser)
        scans = TurnQueue(atOnce: limits.scansAtOnce, perUser: limits.scansPerUser)
        costly = TurnQueue(atOnce: 1, perUser: 1)
        naming = TurnQueue(atOnce: limits.namingAtOnce, perUser: 1)
        sharedUpdates = TurnQueue(atOnce: limits.updatesAtOnce, perUser: limits.updatesPerUser)
        namingUpdates = TurnQueue(atOnce: limits.namingAtOnce, perUser: 1)
        openAnswers = OpenAnswers(limits)
        long = TurnQueue(atOnce: 1, perUser: 1)
    }

    /// Starts the threads that are for these questions alone.
    func start() {
        for pool in [costlyPool, namingPool, longPool] { pool.start() }
    }

    /// Where work is done that is too long for the event loop.
    enum Lane {
        case shared
        /// It may take long for each row.
        case costly
        /// It may ask for the names of accounts, which may take for ever.
        case naming

        /// Has the calling thread, one of its own, give way to the event loop. Where both processors are busy the loop, and
        /// with it everybody else, would wait for a regular expression to use up its slice, 3 ms and more, before it hears of
        /// a change. Scans that anybody may want at once do not stand behind a crawl for it, too.
        func giveWay() {
            switch self {
            case .shared, .naming: Threads.giveWay(nice: 5)
            case .costly: Threads.giveWayToAll()
            }
        }

    }

    /// The limit that is named to one whose turn does not come: the own one, and that of all where others have taken it.
    func bounds(_ lane: Lane) -> (own: (limit: String, value: Int), inAll: (limit: String, value: Int)) {
        switch lane {
        case .shared: (("scansPerUser", limits.scansPerUser), ("scans", limits.scansAtOnce))
        case .costly: (("costlyScans", 1), ("costlyScans", 1))
        case .naming: (("accountNamesPerUser", 1), ("accountNames", limits.namingAtOnce))
        }
    }

    /// The queue for a lane.
    func turns(_ lane: Lane) -> TurnQueue {
        switch lane {
        case .shared: scans
        case .costly: costly
        case .naming: naming
        }
    }

    /// The queue for background updates of live queries in a lane.
    func updates(_ lane: Lane) -> TurnQueue {
        switch lane {
        case .shared: sharedUpdates
        case .costly: costlyUpdates
        case .naming: namingUpdates
        }
    }

    /// Returns the meter of a user's live queries. `onOverwork` is called for each that must end.
    func meter(of user: UInt32, onOverwork: @escaping (LiveQuery) -> Void) -> WorkMeter {
        if let meter = meters[user] { return meter }
        // One that is forgotten had time to fill again; users are few, and numbers of users not to be trusted to be.
        if meters.count >= Workload.metersKept { meters.removeAll() }
        let meter = WorkMeter(limits.costlyTests, onOverwork: onOverwork)
        meters[user] = meter
        return meter
    }

    /// Users whose live queries are measured at once.
    static let metersKept = 4_096

    /// A guard for one scan.
    func scanGuard() -> ScanGuard { ScanGuard(nanoseconds: UInt64(max(0, limits.scanTime.nanoseconds))) }
}
