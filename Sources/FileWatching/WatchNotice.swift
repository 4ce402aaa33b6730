// The watcher's notices: the service takes these and writes the log.
// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem

/// Something that operators may want to know. Paths are bytes, relative to the container's root, empty for the root.
package enum WatchNotice: Sendable, Hashable {
    /// The container was read for the first time, or again after it had been away.
    case crawled(container: UInt32, directories: Int)
    /// The container's directory is gone or cannot be used; its entries have left the tree.
    case containerGone(container: UInt32, error: SystemError)
    /// The container's directory is there (again); it is being crawled, or compared where the tree has known it before, in a
    /// process that goes on with the watches of another for the reason that is named.
    case containerFound(container: UInt32, isKnown: Bool = false, obstacle: ContainerObstacle? = nil)
    /// The mark of the container, or the directory that has it, is another one from now on.
    case containerMarked(container: UInt32)
    /// The container goes on with the watches of another process, and nothing was read but so many directories that were not
    /// known to be whole.
    case containerGoesOn(container: UInt32, directories: Int, unread: Int)
    /// So many of the directories that go on had no watch any more: they are read.
    case watchesChecked(missing: Int, of: Int)
    /// A directory cannot be read. Said once for each until its mode changes.
    case unreadable(container: UInt32, path: [UInt8], error: SystemError)
    /// The kernel's queue overflowed: all containers are compared with the file system.
    case overflow
    /// A comparison ended.
    case compared(container: UInt32, counts: ComparisonCounts)
    /// Too few watches: from this directory on, some are polled. Said once for each container until it is whole again.
    case watchLimit(container: UInt32, path: [UInt8], reason: PollReason)
    /// The container's file system, of this type, does not tell of all changes: it is polled.
    case polledFileSystem(container: UInt32, name: String)
    /// Every directory of the container has its watch again.
    case watchLimitOver(container: UInt32)
    /// The self-audit has seen all directories of the container once, and has repaired the differences that no event
    /// had reported.
    case audited(container: UInt32, directories: Int, counts: ComparisonCounts)
    /// A mount in the container, or the one that it lies on, does not answer.
    case unreachableMount(container: UInt32, UnreachableMount)
    /// It answers again, or is gone.
    case reachableMount(container: UInt32, Mount)
    /// Reading the inotify descriptor failed.
    case readFailed(error: SystemError)
}

/// Counters since the start, ever growing.
package struct WatchCounters: Sendable, Hashable {
    package var eventsRead: UInt64 = 0
    package var bytesRead: UInt64 = 0
    package var reads: UInt64 = 0
    package var lookUps: UInt64 = 0
    /// Look-ups that were put off, or joined with one that was, since their entries change all the time.
    package var lookUpsMerged: UInt64 = 0
    package var overflows: UInt64 = 0
    /// Comparisons of a whole container, and of some of its directories, that were begun; those of the audit are none.
    package var comparisons: UInt64 = 0
    package var polls: UInt64 = 0
    package var directoriesRead: UInt64 = 0
    /// Directories that have gone on with the watches of another process.
    package var directoriesKept: UInt64 = 0
    package var movesPaired: UInt64 = 0
    package var movesUnpaired: UInt64 = 0
    /// Look-ups that had to wait since a directory was not where its row was.
    package var lookUpsDeferred: UInt64 = 0
    /// Entries that the self-audit has found out of date, and the times that it has seen a container as a whole.
    package var auditRepairs: UInt64 = 0
    package var auditPasses: UInt64 = 0
    /// System calls that were to open a directory for look-ups, or several one in another; and the directories that were climbed
    /// over for them.
    package var waysTried: UInt64 = 0
    package var stepsClimbed: UInt64 = 0
    /// Look-ups given up: their directory could not be reached however long they waited.
    package var lookUpsAbandoned: UInt64 = 0

    package init() {}
}
