// Which directories of a snapshot are packages or lie inside one, found out once for each directory.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import MetadataIndex

/// The directories of a snapshot whose contents lie inside a package, each found out once.
struct PackagedDirectories {
    private static let known: UInt8 = 1
    private static let packaged: UInt8 = 2

    /// By row; 0 where nothing is known yet.
    private var states: [UInt8]
    private var open: [Row] = []

    init(in snapshot: IndexSnapshot) {
        states = [UInt8](repeating: 0, count: snapshot.blockCount * IndexSnapshot.rowsPerBlock)
        states[Int(Row.root.number)] = PackagedDirectories.known
    }

    /// Whether what lies in a directory lies inside a package.
    mutating func hold(_ directory: Row, in snapshot: IndexSnapshot) -> Bool {
        var row = directory
        while states[Int(row.number)] == 0 {
            open.append(row)
            row = snapshot.parent(of: row)
        }
        var state = states[Int(row.number)]
        while let below = open.popLast() {
            if snapshot.kind(of: below) == .package { state |= PackagedDirectories.packaged }
            states[Int(below.number)] = state
        }
        return state & PackagedDirectories.packaged != 0
    }
}
