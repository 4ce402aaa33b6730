// Directories that a comparison has still to have read.
// SPDX-License-Identifier: Apache-2.0

/// Directories in the order in which they are to be read.
struct DirectoryQueue {
    private var directories: [DirectoryID]
    /// How many of them were taken.
    private var taken = 0

    init(_ directories: [DirectoryID] = []) { self.directories = directories }

    /// The next directory; nil where all were taken.
    var first: DirectoryID? { taken < directories.count ? directories[taken] : nil }

    var count: Int { directories.count - taken }

    /// Takes ``first``.
    mutating func removeFirst() { taken += 1 }
}
