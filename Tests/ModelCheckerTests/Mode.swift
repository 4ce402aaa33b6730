// The modes: disturbances that a run has to withstand beside the churn.
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A kind of run.
enum Mode: String, CaseIterable, Sendable {
    /// One thread churns, and every answer in between is held to a walk too.
    case plain
    /// Three threads, each in directories of its own.
    case crowd
    /// Three threads in the same directories, where the order of changes is unknown.
    case wild
    /// The kernel's queue holds 16 events.
    case queue
    /// The watches are exhausted half way.
    case watches
    /// The daemon is killed in the middle and started again.
    case kill
    /// The daemon is asked to end in the middle and started again.
    case restart
    /// The daemon is killed in the middle and started again, with the descriptors that a service manager has kept.
    case kept
    /// The daemon is asked to end in the middle and started again in the same way.
    case passed
    /// A subscriber reads a byte now and then.
    case slow
    /// Thousands of files come at once, and are changed while they are read.
    case crawl
    /// The container's directory is renamed away and back.
    case away
    /// Two containers, with moves between them.
    case two
    /// A second container is added during the churn, and directories are moved between them.
    case added
    /// The daemon is stopped during the churn, so that its queue overflows.
    case stop
    /// Directories are closed to the daemon, and opened again: a root that may not go past permissions.
    case closed
    /// The same with two containers, and moves between them.
    case closedTwo
    /// The same where the daemon is killed in the middle and started again.
    case closedKill
    /// The same with the descriptors that a service manager has kept.
    case closedKept
    /// A great many subscribers, each with a predicate of its own; in the end all are gone, and so is the memory that they took.
    case many
    /// Directories with some extensions are packages, and the daemon is killed in the middle and started again.
    case packages

    var conditions: Daemon.Conditions {
        switch self {
        case .queue: Daemon.Conditions(queuedEvents: 16)
        case .stop: Daemon.Conditions(queuedEvents: 64)
        case .watches: Daemon.Conditions(watches: 8)
        case .kept, .passed: Daemon.Conditions(keepsDescriptors: true)
        case .closed, .closedTwo, .closedKill: Daemon.Conditions(heedsPermissions: true)
        case .closedKept: Daemon.Conditions(keepsDescriptors: true, heedsPermissions: true)
        default: Daemon.Conditions()
        }
    }

    var closes: Bool { conditions.heedsPermissions }
    var threads: Int { [.crowd, .wild, .many].contains(self) ? 3 : 1 }
    /// Whether each thread is in directories of its own.
    var hasAreas: Bool { self == .crowd || self == .many }
    /// How many subscribers there are, where that is not one for each question that is written out.
    var connections: Int? { self == .many ? Mode.connections : nil }

    /// Fewer than the daemon serves.
    static let mostConnections = 16_000
    /// As the environment says: the more, the longer it takes.
    private static let connections = getenv("GATHER_MODEL_CONNECTIONS").flatMap { Int(String(cString: $0)) } ?? 300

    /// Whether each thread has its own area, so that what is there is known.
    var hasModel: Bool { self != .wild }
    var containers: [String] { [.two, .added, .closedTwo].contains(self) ? ["box", "other"] : ["box"] }
    /// Changes of a round, of each thread, at most.
    var changes: Int {
        switch self {
        case .queue, .stop, .kill, .restart, .kept, .passed: 120
        case .slow: 400
        default: 80
        }
    }
    /// The extensions that make packages; those of files are among them, since directories get the names of files too.
    var packages: [String] { self == .packages ? ["gro", "txt"] : [] }
    var rounds: Int { self == .crawl ? 3 : self == .many ? 4 : 8 }
    var bulk: Int { self == .crawl ? 5_000 : 0 }
    /// The signal that ends the daemon.
    var ending: CInt? {
        switch self {
        case .kill, .kept, .packages, .closedKill, .closedKept: SIGKILL
        case .restart, .passed: SIGTERM
        default: nil
        }
    }
}
