// The directories of a snapshot that are packages or lie inside one.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import MetadataIndex

/// The directories of a snapshot whose contents lie inside a package, each determined once.
struct PackagedDirectories {
    private static let known: UInt8 = 1
    private static let packaged: UInt8 = 2

    private var states: DirectoryStates
    private let openings: PackageOpenings
    private var path: [UInt8] = []

    init(in snapshot: IndexSnapshot, besides openings: PackageOpenings) {
        states = DirectoryStates(root: PackagedDirectories.known, in: snapshot)
        self.openings = openings
    }

    /// Whether the contents of a directory lie inside a package, at a place that the query does not search. Packages do
    /// not nest.
    mutating func hold(_ directory: Row, in snapshot: IndexSnapshot) -> Bool {
        var state = states.ascend(from: directory, in: snapshot)
        while let below = states.descend() {
            if snapshot.kind(of: below) == .package { state |= PackagedDirectories.packaged }
            if state & PackagedDirectories.packaged != 0, isOpened(below, in: snapshot) {
                state &= ~PackagedDirectories.packaged
            }
            states[below] = state
        }
        return state & PackagedDirectories.packaged != 0 && !openings.open(directory, in: snapshot)
    }

    private mutating func isOpened(_ directory: Row, in snapshot: IndexSnapshot) -> Bool {
        if openings.directories.isEmpty { return false }
        path.removeAll(keepingCapacity: true)
        snapshot.appendPath(of: directory, to: &path)
        return openings.directories.contains(path)
    }
}
