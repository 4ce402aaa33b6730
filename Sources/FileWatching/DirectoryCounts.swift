// How many directories a container has, and how they are watched.
// SPDX-License-Identifier: Apache-2.0

/// Counts of the directories of a container.
struct DirectoryCounts {
    /// Directories that are known.
    var directories = 0
    /// Those that have a watch.
    var watches = 0
    /// Those that cannot be read, or not in full.
    var unreadable = 0
    /// Those that are polled for want of something.
    var unwatched = 0
    /// Those of the polled ones that would have a watch if there were more.
    var overLimit = 0
    /// Entries that were found by a look-up, ever.
    var lookUps: UInt64 = 0
}
