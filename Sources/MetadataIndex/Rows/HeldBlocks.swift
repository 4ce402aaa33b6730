// The memory that snapshots keep beyond the index.
// SPDX-License-Identifier: Apache-2.0

/// Adds up the memory of snapshots beside that of the index itself: blocks that it has written to since. A block that
/// several of them keep counts once.
package struct HeldBlocks {
    private var seen: Set<ObjectIdentifier> = []
    /// Bytes of the columns; the names are shared with the copies.
    package private(set) var bytes = 0

    package init() {}

    /// Adds a snapshot. `current` is one of now; nil where there is no such index any more. Complexity: O(blocks).
    package mutating func add(_ snapshot: IndexSnapshot, besides current: IndexSnapshot?) {
        let own = current?.rows.blocks ?? []
        for (place, block) in snapshot.rows.blocks.enumerated()
        where place >= own.count || own[place] !== block {
            if seen.insert(ObjectIdentifier(block)).inserted { bytes += Block.byteCount }
        }
    }
}
