// The settings of the watching, and its limits.
// SPDX-License-Identifier: Apache-2.0

/// The settings of the watching. Times in nanoseconds.
package struct WatchSettings: Sendable {
    /// Threads that read directories. 0 reads them on the loop, for tests.
    package var crawlThreads = 2
    /// Whether anything is watched: without, each container is read once, and later changes are not noticed. For one
    /// answer, which needs no watches and takes none from others.
    package var watches = true
    /// Whether the directories in a container are read too; without, only its own entries are known.
    package var descends = true
    /// The share of `fs.inotify.max_user_watches` that is taken at most, over all containers.
    package var watchShare = 1.0
    /// How often directories without a watch are compared.
    package var pollInterval: UInt64 = 30_000_000_000
    /// How long a pending rename waits for its `IN_MOVED_TO`.
    package var renameWindow: UInt64 = 2_000_000
    /// How long an unused directory descriptor is kept, up to twice as long. Its file system cannot be unmounted until then.
    package var directoryIdleTime: UInt64 = 50_000_000
    /// How many directory descriptors are kept at most.
    package var openDirectoryLimit = 256
    /// Bytes of one read from inotify.
    package var readBufferSize = 256 * 1024
    /// Reads in one iteration, so that others get their turn under constant writes.
    package var readsPerIteration = 4
    /// Entries of one directory that are taken, or compared, at once. If it has more, each iteration takes a part: a million
    /// at once would hold up all callers for a second.
    package var directorySlice = 8_192
    /// Entries of crawled directories that one iteration takes.
    package var crawledEntriesPerIteration = 8_192
    /// How long an iteration may take before it leaves look-ups to the next, so that others get their turn.
    package var iterationBudget: UInt64 = 4_000_000
    /// How often an entry that changes all the time is looked at.
    package var hotInterval: UInt64 = 25_000_000
    /// How long nothing is read after events that were only of entries that change all the time, or came fast and were
    /// only of contents, modes and times: the kernel joins equal events meanwhile, and the loop is not woken for each.
    /// A barrier does not wait for it.
    package var hotReadPause: UInt64 = 1_000_000
    /// Directories that a comparison has under way at once.
    package var comparisonWindow = 256
    /// Names that a comparison has looked at in one go.
    package var comparisonSlice = 1_024
    /// How long there is no comparison after one that overflows have caused, at most: as long as that one took, so that
    /// comparisons take half of the time.
    package var comparisonPause: UInt64 = 1_000_000_000
    /// The time in which the self-audit sees the whole of each container once; 0 for no audit.
    package var auditInterval: UInt64 = 0
    /// The share of one processor that the self-audit may take.
    package var auditShare = 0.01
    /// The self-audit does not wake the daemon again before this.
    package var auditPause: UInt64 = 10_000_000_000
    /// Whether the caller iterates at intervals of its own, so that the self-audit needs no iteration for itself, unless
    /// those are too few for it.
    package var hasRegularIterations = false
    /// Entries after which one slice of the self-audit takes no more directories.
    package var auditEntries = 4_096
    /// Entries that crawling threads may be ahead of the loop before they wait.
    package var crawledEntriesAhead = 262_144
    /// The house limits, where no test lowers them.
    package var limits = WatchLimits()

    package init() {}
}
