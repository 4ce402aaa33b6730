// The directories of a snapshot that are packages or archives, or lie inside one.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import MetadataIndex

/// The directories of a snapshot whose contents lie inside a package or an archive, each determined once.
struct EnclosedDirectories {
    private static let known: UInt8 = 1
    private static let enclosed: UInt8 = 2
    /// It is an archive that the predicate names, or lies below one.
    private static let named: UInt8 = 4

    let enclosure: Enclosure
    let searched: SearchedPlaces
    private var states: DirectoryStates
    private var path: [UInt8] = []

    init(_ enclosure: Enclosure, in snapshot: IndexSnapshot, besides searched: SearchedPlaces) {
        self.enclosure = enclosure
        self.searched = searched
        states = DirectoryStates(root: EnclosedDirectories.known, in: snapshot)
    }

    /// Whether the contents of a directory lie inside such a directory, at a place that the query does not search.
    mutating func hold(_ directory: Row, in snapshot: IndexSnapshot) -> Bool {
        var state = states.ascend(from: directory, in: snapshot)
        while let below = states.descend() {
            if enclosure.isDirectory(below, in: snapshot) { state |= EnclosedDirectories.enclosed }
            if enclosure == .archive, searched.names(below, in: snapshot) { state |= EnclosedDirectories.named }
            if state & EnclosedDirectories.named != 0
                || state & EnclosedDirectories.enclosed != 0 && checkSearched(below, in: snapshot)
            {
                state &= ~EnclosedDirectories.enclosed
            }
            states[below] = state
        }
        return state & EnclosedDirectories.enclosed != 0 && !searched.open(directory, in: snapshot)
    }

    private mutating func checkSearched(_ directory: Row, in snapshot: IndexSnapshot) -> Bool {
        if searched.directories.isEmpty { return false }
        path.removeAll(keepingCapacity: true)
        snapshot.appendPath(of: directory, to: &path)
        return searched.directories.contains(path)
    }
}
