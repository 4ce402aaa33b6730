// The limits of the watching that no setting changes.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata

/// Limits that no setting changes. A test lowers those that it could not go past.
package struct WatchLimits: Sendable {
    /// Bytes of extended attributes that are kept of one directory while it is taken in, each that several entries have once: as much as a
    /// container keeps in all.
    package var extraBytesOfDirectory = 256 << 20
    /// How often a look-up may wait for its directory to be found before it is given up.
    package var lookUpAttempts: UInt8 = 8
    /// How many names are kept for a watch that the loop does not know yet. It may be a watch that stays unknown: of a
    /// directory above a container, in which others work.
    package var heldNames = 1_024
    /// How many watches that have ended are kept while directories are being read: under a steady coming and going of
    /// directories there is no moment at which none is.
    package var goneWatches = 16_384
    /// The same of files whose names were looked for.
    package var soughtLinks = 16_384
    /// Provisional rows among which those that the stream has come up to are not looked for yet.
    package var leastProvisional = 256
    /// How often a comparison begins again for look-ups of its own that were given up: a file system that has no stable
    /// inode numbers would have it never end.
    package var comparisonRestarts = 3
    /// How often in a row something else is found where a directory is to be read than under its name, without an event that
    /// names it, before it is polled: on a file system that has no stable inode numbers that would have no end.
    package var readsAstray: UInt8 = 8
    /// How often a comparison takes in another overflow, and begins again for it, before the next comparison has to.
    package var comparisonWidenings = 2
    /// How many of the events behind a rename are looked through for one that tells it from one of the two of an exchange.
    package var eventsAhead = 1_024
    /// Look-ups that wait before no more events are read.
    package var lookUpsAhead = 1 << 20

    /// How many renamed files are kept that may be the backups of programs that save.
    package var backups = 1_024

    package init() {}

    /// How long after a rename the file may be removed as a program's backup, in nanoseconds. The program has written the
    /// new file in between, and waited for `fsync(2)`.
    static let backupWindow: UInt64 = 1_000_000_000

    /// How many unreadable directories are looked at to name a few of one container.
    static let unreadableScanned = 4_096
    /// Bytes of a path in a message: `PATH_MAX`.
    static let reportedPath = 4_096
    /// Bytes of a path that one openat2(2) gets besides the NUL: `PATH_MAX` (4,096), which is more than any name.
    static let pathChunk = 4_095
    /// Room for the extended attributes of one entry, and for the names of its attributes, of which there may be 64 KiB (xattr(7)): where
    /// they do not fit, those that have names of their own in the language are read.
    static let xattrBuffer = 65_536
    /// How many attributes of a file are read besides those that have names of their own.
    static let attributesOfFile = 256
    /// So many bytes of extended attributes weigh as much as an entry, where threads wait for the loop.
    static let extraBytesOfAnEntry = 128
    /// How often an entry's extended attributes are read that changes meanwhile.
    static let xattrAttempts = 4
    /// Bytes of the names of one directory, before the last one: a batch keeps where each ends in 32 bits.
    static let nameBytesOfDirectory = Int(UInt32.max) - nameLength
    /// Bytes of a name.
    static let nameLength = FileNameLimits.mostBytes
    /// Bytes of a record of inotify(7): its name ends with NUL, and is filled up to a multiple of its header.
    static let longestRecord = (nameLength / InotifyEvent.headerSize + 2) * InotifyEvent.headerSize
    /// Names, and rows and files, that the next process is told are going on: with more it compares everything.
    static let handoverNames = 1_024
    /// Bytes about detached rows in the handover to the next process: some five hundred entries. Others have a new
    /// identity when they come again there.
    static let handoverDetached = 32 << 10
    /// How often the mount points are looked at again that changed while directories were being read, or for which there were
    /// no descriptors. In nanoseconds.
    static let mountLookInterval: UInt64 = 1_000_000_000
    /// How long a call on a mount that may hang is waited for. A longer call goes on in the mount's agent, and its result is
    /// taken when it has returned. The event loop waits that long when a mount stops answering. In nanoseconds.
    package static let mountTimeLimit: UInt64 = 100_000_000
    /// How long the thread waits that reads the directories of one such mount. In nanoseconds.
    package static let mountPatience: UInt64 = 10_000_000_000
    /// How long a call is waited for in a program that answers once and ends. In nanoseconds.
    package static let mountTimeLimitOfOneAnswer: UInt64 = 5_000_000_000
    /// How many processes make the calls on such mounts.
    package static let mountAgents = 32
    /// When a mount that does not answer is asked again: at first, and at most. The delay doubles each time. In nanoseconds.
    static let mountRetry: UInt64 = 1_000_000_000
    static let mountRetryLimit: UInt64 = 60_000_000_000
    /// How long watches that are free, or in the wrong place, stay so: looking for the directories that want them costs
    /// a walk over all directories. In nanoseconds.
    static let balanceInterval: UInt64 = 1_000_000_000
    /// When that is tried again where events are queued.
    static let balanceRetry: UInt64 = 1_000_000
    /// A smaller share for the self-audit counts as this, and no pause is longer than a day: it would never end.
    static let leastAuditShare = 0.000_1
    static let auditPauseLimit: UInt64 = 86_400_000_000_000
    /// A longer interval of the self-audit counts as this, a hundred years in nanoseconds: sums with it stay in range.
    static let auditIntervalLimit = 100 * 365 * 86_400e9
    /// Look-ups that an iteration makes whatever time it has.
    static let lookUpsPerIteration = 64
    /// Directories that a loop iteration climbs over, on the ways to the entries to look at, before it asks the clock:
    /// less than a millisecond.
    static let stepsPerIteration = 8_192
    /// Directories that are opened at once on a long way. The last of each stride stays open.
    static let stride = 32
    /// Descriptors of directories that have left the tree that a loop iteration closes whatever time it has.
    static let closesPerIteration = 4
    /// Look-ups that waited and are tried again in one loop iteration.
    static let deferredPerIteration = 1_024
    /// Directories in which an iteration waits for renames under way, for files that may have moved on from there: some
    /// milliseconds.
    static let movedOnPerIteration = 256
    /// With fewer look-ups waiting, each is made at once.
    static let promptLookUps = 256
}
