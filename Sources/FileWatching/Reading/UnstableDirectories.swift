// Directories that are another each time they are read.
// SPDX-License-Identifier: Apache-2.0

/// Counts how often in a row the reading of a directory has found something else in its place.
struct UnstableDirectories {
    private var counts: [DirectoryID: UInt8] = [:]
    private let limit: UInt8

    /// - Parameter limit: so many readings make a directory unstable; see ``WatchLimits/readsAstray``.
    init(limit: UInt8) { self.limit = limit }

    func contains(_ id: DirectoryID) -> Bool { !counts.isEmpty && counts[id, default: 0] >= limit }

    /// Something else was found where a directory was to be read. Returns whether the directory is unstable now.
    mutating func note(_ id: DirectoryID) -> Bool {
        if !contains(id) { counts[id, default: 0] += 1 }
        return contains(id)
    }

    /// A directory has moved, was read, or is gone.
    mutating func forget(_ id: DirectoryID) { if !counts.isEmpty { counts[id] = nil } }

    /// The directories that were found to be another at least once.
    var all: [DirectoryID] { counts.isEmpty ? [] : Array(counts.keys) }

    /// Returns how often a directory was found to be another; nil for never.
    func count(of id: DirectoryID) -> UInt8? { counts.isEmpty ? nil : counts[id] }

    /// A directory counts as found to be another so often at least.
    mutating func raise(_ id: DirectoryID, to count: UInt8) { counts[id] = max(counts[id, default: 0], count) }
}
