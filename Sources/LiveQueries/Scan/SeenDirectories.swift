// What of a snapshot a viewer sees, found out once for each directory.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import MetadataIndex

/// The directories of a snapshot that a viewer may list or search, each found out once.
struct SeenDirectories {
    private static let known: UInt8 = 1
    private static let searched: UInt8 = 2
    private static let listed: UInt8 = 4

    let viewer: Viewer
    /// By row; 0 where nothing is known yet.
    private var states: [UInt8]
    private var open: [Row] = []
    /// What was asked last, and the answer: neighbours mostly have the same.
    private var last: (access: FileAccess, state: UInt8)?

    init(_ viewer: Viewer, in snapshot: IndexSnapshot) {
        self.viewer = viewer
        states = [UInt8](repeating: 0, count: snapshot.blockCount * IndexSnapshot.rowsPerBlock)
        states[Int(Row.root.number)] =
            SeenDirectories.known | (viewer.searchesRoot ? SeenDirectories.searched : 0)
            | (viewer.searchesRoot && viewer.readsRoot ? SeenDirectories.listed : 0)
    }

    /// Whether what lies directly in a directory is seen.
    mutating func lists(_ directory: Row, in snapshot: IndexSnapshot) -> Bool {
        var row = directory
        while states[Int(row.number)] == 0 {
            open.append(row)
            row = snapshot.parent(of: row)
        }
        var state = states[Int(row.number)]
        while let below = open.popLast() {
            let isReached = state & SeenDirectories.searched != 0
            state = SeenDirectories.known | (isReached ? own(snapshot.access(of: below)) : 0)
            states[Int(below.number)] = state
        }
        return state & SeenDirectories.listed != 0
    }

    /// What the directory itself grants: to list it takes to search it, since what cannot be looked up is not seen.
    private mutating func own(_ access: FileAccess) -> UInt8 {
        if let last, last.access == access { return last.state }
        var state: UInt8 = 0
        if viewer.credentials.may(.search, access) {
            state = SeenDirectories.searched
            if viewer.credentials.may(.read, access) { state |= SeenDirectories.listed }
        }
        last = (access, state)
        return state
    }
}
