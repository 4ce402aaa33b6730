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
        let name = block.nameBytes(slot)
        if parent == directory {
            bytes.append(contentsOf: prefix)
            bytes.append(contentsOf: name)
            return
        }
        let start = bytes.count
        snapshot.rows.appendPath(row.number, to: &bytes)
        prefix.removeAll(keepingCapacity: true)
        prefix.append(contentsOf: bytes[start..<bytes.count - name.count])
        directory = parent
    }
}
