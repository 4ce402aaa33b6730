// A state of each directory of a snapshot that follows from the directories above it.
// SPDX-License-Identifier: Apache-2.0

import MetadataIndex

/// A state of each directory that follows from its own and that of its parent; 0 while unknown. ``ascend(from:in:)``
/// walks up to the nearest known state, ``descend()`` then down again.
struct DirectoryStates {
    /// By row.
    private var states: [UInt8]
    /// The directories of the walk, the lowest first.
    private var open: [Row] = []

    /// The root's state is not 0.
    init(root: UInt8, in snapshot: IndexSnapshot) {
        states = [UInt8](repeating: 0, count: snapshot.blockCount * IndexSnapshot.rowsPerBlock)
        states[Int(Row.root.number)] = root
    }

    subscript(directory: Row) -> UInt8 {
        get { states[Int(directory.number)] }
        set { states[Int(directory.number)] = newValue }
    }

    /// The state of the nearest known directory at or above this one.
    mutating func ascend(from directory: Row, in snapshot: IndexSnapshot) -> UInt8 {
        var row = directory
        while self[row] == 0 {
            open.append(row)
            row = snapshot.parent(of: row)
        }
        return self[row]
    }

    /// The next directory down whose state must be set; nil after the one that was asked for.
    mutating func descend() -> Row? { open.popLast() }
}
