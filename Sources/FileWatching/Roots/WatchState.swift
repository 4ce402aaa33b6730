// How a container stands.
// SPDX-License-Identifier: Apache-2.0

/// How a container stands, in the words of `io.gatherd.Container`.
package enum WatchState: Sendable, Hashable {
    /// Being read for the first time.
    case crawling
    /// Known, and being compared with the file system.
    case verifying
    /// Exact.
    case live
    /// Part of it is not watched; the text gives the reason and the remedy.
    case degraded(reason: String)
    /// Its directory is missing or cannot be read; the text says why.
    case unavailable(reason: String)
}

/// Figures of a container.
package struct ContainerFigures: Sendable, Hashable {
    /// Directories that are known and entered.
    package var directories = 0
    /// Directories with a watch.
    package var watches = 0
    /// Directories that cannot be read, or in which an entry cannot be looked at.
    package var unreadable = 0
    /// Directories without a watch, which are polled.
    package var polled = 0
    /// Those of them that would be watched if there were more watches.
    package var overLimit = 0
    /// Directories that a crawl or a comparison has still to read.
    package var outstanding = 0
    /// Look-ups of its entries, ever, but for those of entries that were gone.
    package var lookUps: UInt64 = 0

    package init() {}
}

/// The counts of a comparison of the tree with the file system.
package struct ComparisonCounts: Sendable, Hashable {
    package var added = 0
    package var changed = 0
    package var removed = 0

    package init(added: Int = 0, changed: Int = 0, removed: Int = 0) {
        self.added = added
        self.changed = changed
        self.removed = removed
    }
}
