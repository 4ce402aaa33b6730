// What follows for the directories of a snapshot from those above them, found out once for each.
// SPDX-License-Identifier: Apache-2.0

import MetadataIndex

/// A state of each directory that follows from its own and that of the one above: 0 as long as it is not known. The way to a
/// directory is gone up to the nearest that is known (``ascend(from:in:)``), then down again (``descend()``).
struct DirectoryStates {
    /// By row.
    private var states: [UInt8]
    /// On the way, the lowest first.
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

    /// The state of the nearest directory above, or of itself, that is known.
    mutating func ascend(from directory: Row, in snapshot: IndexSnapshot) -> UInt8 {
        var row = directory
        while self[row] == 0 {
            open.append(row)
            row = snapshot.parent(of: row)
        }
        return self[row]
    }

    /// The next one down whose state is to be set; nil behind the one that was asked for.
    mutating func descend() -> Row? { open.popLast() }
}
