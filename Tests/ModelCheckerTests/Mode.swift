// What a run has to withstand beside the churn.
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A kind of run.
enum Mode: String, CaseIterable, Sendable {
    /// One thread churns, and every answer in between is held to a walk too.
    case plain
    /// Three threads, each in directories of its own.
    case crowd
    /// Three threads in the same directories, where nobody knows who was first.
    case wild
    /// The kernel's queue holds 16 events.
    case queue
    /// The watches are exhausted half way.
    case watches
    /// The daemon is killed in the middle and started again.
    case kill
    /// The daemon is asked to end in the middle and started again.
    case restart
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

    var conditions: Daemon.Conditions {
        switch self {
        case .queue: Daemon.Conditions(queuedEvents: 16)
        case .stop: Daemon.Conditions(queuedEvents: 64)
        case .watches: Daemon.Conditions(watches: 8)
        default: Daemon.Conditions()
        }
    }

    var threads: Int { self == .crowd || self == .wild ? 3 : 1 }
    /// Whether each thread has its own area, so that what is there is known.
    var hasModel: Bool { self != .wild }
    var containers: [String] { self == .two || self == .added ? ["box", "other"] : ["box"] }
    /// Changes of a round, of each thread, at most.
    var changes: Int {
        switch self {
        case .queue, .stop, .kill, .restart: 120
        case .slow: 400
        default: 80
        }
    }
    var rounds: Int { self == .crawl ? 3 : 8 }
    var bulk: Int { self == .crawl ? 5_000 : 0 }
    /// The signal that ends the daemon.
    var ending: CInt? {
        switch self {
        case .kill: SIGKILL
        case .restart: SIGTERM
        default: nil
        }
    }
}

/// What Gather does not promise yet, each to go when it does: the checks are there.
enum Promise {
    /// Identities and clocks go on when the daemon is started again.
    static let survivesRestarts = true
    /// An exchange keeps both identities, and what lies below, whatever follows it. The four events of `mv a b; mv b a` are the
    /// same; what is told of b next tells which it was, or a look does. Promised is that where the four are read at once
    /// with nothing between them, and both directories are known where they lie; a row that an earlier read has left out
    /// of date, or other programs' events between, leave the inodes alone to tell, and a name that is as it was left. Then
    /// each of the two, and what lies below it, has an identity that one of the two had, or a new one; sets are right in any
    /// case. With the checks on, one run of thirty finds that.
    static let knowsExchanges = false
    /// Nothing is told as changed that is as it was. What is pending for a subscriber is known by its item and not by its
    /// values, so an item that was told of and has changed and changed back before the subscriber took the change is told
    /// once more. Only what lies below a directory that went and came back can have all of its values again: whatever is
    /// renamed, linked or written itself has another time of change. So it is an update with the values that the subscriber
    /// has, harmless and rare; to leave it out, each pending item would have to keep what was told of it.
    static let tellsNoIdleChanges = false
    /// The items of a container that was unavailable come back with their identities.
    static let parksContainers = true
}
