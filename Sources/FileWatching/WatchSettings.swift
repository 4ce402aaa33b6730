// What can be set about the watching, and its limits.
// SPDX-License-Identifier: Apache-2.0

/// What can be set, with limits that are named here and nowhere else. Times in nanoseconds.
package struct WatchSettings: Sendable {
    /// Threads that read directories. 0 reads them on the loop, for tests.
    package var crawlThreads = 2
    /// How often directories without a watch are compared.
    package var pollInterval: UInt64 = 30_000_000_000
    /// How long the first half of a rename waits for the second.
    package var renameWindow: UInt64 = 2_000_000
    /// How long an unused directory descriptor is kept.
    package var directoryIdleTime: UInt64 = 2_000_000_000
    /// How many directory descriptors are kept at most.
    package var openDirectoryLimit = 256
    /// Bytes of one read from inotify.
    package var readBufferSize = 256 * 1024
    /// Reads in one turn, so that others get their turn under constant writes.
    package var readsPerTurn = 4
    /// Entries of crawled directories that one turn takes.
    package var crawledEntriesPerTurn = 8_192
    /// Directories that a comparison has under way at once.
    package var comparisonWindow = 256
    /// Entries that crawling threads may be ahead of the loop before they wait.
    package var crawledEntriesAhead = 262_144

    package init() {}
}
