// A kernel made of dictionaries: a file system in memory that queues the events the real one would, and lets a test say
// how they are read.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import LinuxSystem
import Metadata
import Synchronization

/// Plays the kernel for a watcher without threads. Everything happens on one thread; the lock only satisfies Sendable.
final class PlayedKernel: Sendable {
    struct Inode {
        var status: FileStatus
        var children: [String: UInt64] = [:]
        var watch: Int32?
        var mask: InotifyMask = []
        var isMountRoot = false
        /// Reading it is refused.
        var isUnreadable = false
        /// Nothing in it can be reached.
        var isUnsearchable = false
        var xattrs: [UInt8] = []
        var accessList = AccessListID.none
        /// Why they cannot be read.
        var xattrError: SystemError?
        /// How many descriptors and names keep it.
        var opened = 0
    }

    struct Event {
        var watch: Int32
        var mask: InotifyMask
        var cookie: UInt32 = 0
        var name = ""
    }

    struct State {
        var inodes: [UInt64: Inode] = [1: Inode(status: PlayedKernel.status(1, .directory, 0))]
        var nextInode: UInt64 = 2
        var nextWatch: Int32 = 1
        var watches: [Int32: UInt64] = [:]
        var nextCookie: UInt32 = 1
        /// Ticks with each change, so that every status differs.
        var time: Int64 = 1
        var queue: [Event] = []
        /// The `IN_MOVED_TO` of a rename that is not finished yet.
        var unfinished: [Event] = []
        /// How often a rename was waited for.
        var awaited = 0
        /// How many of the queued events may be read; nil for all.
        var readable: Int? = 0
        var descriptors: [CInt: UInt64] = [:]
        /// The next entries of a directory being read.
        var listings: [CInt: [String]] = [:]
        var nextDescriptor: CInt = 3
        var now: UInt64 = 1_000_000_000
        var limit = 16_384
        var watchLimit = Int.max
        var descriptorLimit = Int.max
        var removedWatches: [Int32] = []
        /// The limit that the system reports, whatever is in force.
        var userWatchLimit: Int?
        /// The most watches that there ever were.
        var mostWatches = 0
        var fileSystemType: FileSystemType?
        /// Whether changes have no events, as those beneath an overlay.
        var isQuiet = false
        /// Runs before each reading of extended attributes, behind that of a status.
        var beforeXattrs: (@Sendable (inout State) -> Void)?
        /// How often entries were looked at, and the cost of each look, of `now`.
        var looks = 0
        var costOfLook: UInt64 = 0
        /// How often directories were opened for look-ups, and how many names the kernel went through for that.
        var opens = 0
        var steps = 0
        /// Why the table of mounts cannot be read.
        var mountsError: SystemError?
        /// A directory that has another number each time somebody looks, so many times.
        var unstableInode: UInt64 = 0
        var unstableLooks = 0
        /// Whether the directory above says always the same.
        var isUnstableWithin = false
        /// Or it is another each time it is opened, and the same at each look as long as it stays open.
        var isUnstableByOpening = false
        /// The errors of openings without a right to read, by the path.
        var openErrors: [String: SystemError] = [:]
        /// The errors of calls for the status of an entry, by its name.
        var statusErrors: [String: SystemError] = [:]
        /// The absolute targets of symlinks.
        var targets: [UInt64: String] = [:]
        /// Whether the watcher was woken since this was taken back.
        var isWoken = false
    }

    let state = Mutex(State())
    /// The watcher's thread uses it alone, in its calls.
    nonisolated(unsafe) let records = PlayedRecords()
    let readsAccessLists = true

    static func status(_ inode: UInt64, _ kind: FileKind, _ time: Int64) -> FileStatus {
        FileStatus(
            kind: kind, mode: 0o755, size: 0, created: Timestamp(nanoseconds: time),
            modified: Timestamp(nanoseconds: time), changed: Timestamp(nanoseconds: time), owner: 0, group: 0,
            links: kind == .directory ? 2 : 1, inode: inode, device: 1)
    }
}
