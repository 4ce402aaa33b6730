// The directories that the loop has open, and those that it cannot open.
// SPDX-License-Identifier: Apache-2.0

/// The state of opening directories: each is opened by the way from its root, or from one above it that is open.
struct DirectoryOpening {
    /// Directories that are open.
    var cache: DirectoryCache
    /// Directories that are not where their rows are.
    var lost = LostDirectories()

    /// - Parameter limit: so many directories are open at most.
    init(limit: Int) { cache = DirectoryCache(limit: limit) }
}
