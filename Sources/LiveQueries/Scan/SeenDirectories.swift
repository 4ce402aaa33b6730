// The directories of a snapshot that a viewer may list.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import MetadataIndex

/// The directories of a snapshot that a viewer may list or search, each determined once.
struct SeenDirectories {
    private static let known: UInt8 = 1
    private static let searched: UInt8 = 2
    private static let listed: UInt8 = 4

    let viewer: Viewer
    private var states: DirectoryStates
    /// The last access and its answer: neighbours usually have the same.
    private var last: (access: FileAccess, state: UInt8)?

    init(_ viewer: Viewer, in snapshot: IndexSnapshot) {
        self.viewer = viewer
        let root =
            SeenDirectories.known | (viewer.searchesRoot ? SeenDirectories.searched : 0)
            | (viewer.searchesRoot && viewer.readsRoot ? SeenDirectories.listed : 0)
        states = DirectoryStates(root: root, in: snapshot)
    }

    /// Whether the viewer may see the items directly in a directory.
    mutating func lists(_ directory: Row, in snapshot: IndexSnapshot) -> Bool {
        var state = states.ascend(from: directory, in: snapshot)
        while let below = states.descend() {
            let isReached = state & SeenDirectories.searched != 0
            state = SeenDirectories.known | (isReached ? own(snapshot.access(of: below)) : 0)
            states[below] = state
        }
        return state & SeenDirectories.listed != 0
    }

    /// The access that the directory itself grants. Listing needs search permission too, since items that cannot be
    /// looked up are not seen.
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
