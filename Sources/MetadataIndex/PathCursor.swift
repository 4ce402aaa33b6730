// Makes the paths of many rows of a snapshot.
// SPDX-License-Identifier: Apache-2.0

/// Makes the paths of many rows of a snapshot. It keeps the path of the last row's directory: rows that stand together
/// mostly lie together.
package struct PathCursor: Sendable {
    private let snapshot: IndexSnapshot
    private var directory = Row.root.number
    /// The path of `directory` with a slash behind it; empty for the root.
    private var prefix: [UInt8] = []

    /// A cursor over the rows of a snapshot, which it keeps alive.
    package init(_ snapshot: IndexSnapshot) { self.snapshot = snapshot }

    /// Appends the path of a live row from the container's root, without a slash in front.
    package mutating func appendPath(of row: Row, to bytes: inout [UInt8]) {
        guard row != .root else { return }
        let block = snapshot.rows.block(row.number)
        let slot = RowStore.slot(row.number)
        let parent = block.parent[slot]
        if parent != directory {
            prefix.removeAll(keepingCapacity: true)
            snapshot.rows.appendPath(parent, to: &prefix)
            if parent != 0 { prefix.append(UInt8(ascii: "/")) }
            directory = parent
        }
        bytes.append(contentsOf: prefix)
        bytes.append(contentsOf: block.nameBytes(slot))
        withExtendedLifetime(block) {}
    }
}
