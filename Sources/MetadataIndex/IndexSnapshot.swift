// The rows of an index as they were at one moment.
// SPDX-License-Identifier: Apache-2.0

package import Metadata

/// The rows of an index as they were at one moment, for any thread. It stays as it is whatever the index does; as long as
/// it lives, each block that the index writes to is copied once.
package struct IndexSnapshot: Sendable {
    let rows: RowStore
    /// The clock of the index when the snapshot was taken.
    package let clock: UInt64
    /// How many items live, the root not counted.
    package let count: Int

    /// Rows in a block; row number = block × `rowsPerBlock` + place.
    @inlinable
    package static var rowsPerBlock: Int { 4_096 }

    /// Whether there are packages.
    package var hasPackages: Bool { !rows.packages.isEmpty }

    /// Whether there are, or were, directories that are archives.
    package var hasArchives: Bool { rows.hasArchives }

    /// Whether any item has conflict versions.
    package var hasConflicts: Bool { !rows.conflicts.isEmpty }

    /// Whether the container is shared, so that items can differ in their states.
    package var isShared: Bool { rows.isShared }

    /// How many blocks there are.
    package var blockCount: Int { rows.blocks.count }

    /// The row at a place of a block.
    @inlinable
    package static func row(block: Int, place: Int) -> Row {
        Row(UInt32(truncatingIfNeeded: block << 12 | place))
    }
}

extension IndexSnapshot: RowReader {
    package func isLive(_ row: Row) -> Bool { rows.isLive(row.number) }
    package func identifier(of row: Row) -> ItemIdentifier? {
        rows.isLive(row.number) ? ItemIdentifier(row: row, generation: rows.generation(row.number)) : nil
    }
    package func parent(of row: Row) -> Row { Row(rows.parent(row.number)) }
    package func kind(of row: Row) -> FileKind { rows.kind(row.number) }
    package func status(of row: Row) -> FileStatus { rows.status(row.number) }
    package func access(of row: Row) -> FileAccess { rows.access(row.number) }
    package func package(at row: Row) -> PackageFacts? { rows.packages[row.number] }
    package func conflicts(of row: Row) -> ConflictCount {
        rows.conflicts.isEmpty ? ConflictCount() : rows.conflicts[row.number] ?? ConflictCount()
    }
    package func sync(of row: Row) -> SyncState { rows.syncState(row.number) }
    package func xattrs(of row: Row) -> ExtraAttributes? { rows.xattrs(row.number) }
    package func withName<R, E: Error>(
        of row: Row, _ body: (UnsafeRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        try rows.withName(row.number, body)
    }
    package func appendPath(of row: Row, to bytes: inout [UInt8]) { rows.appendPath(row.number, to: &bytes) }
    package func isWithin(_ row: Row, _ ancestor: Row) -> Bool { rows.isWithin(row.number, ancestor.number) }
    package func depth(of row: Row) -> Int { rows.depth(row.number) }
}

extension IndexSnapshot {
    /// Calls `body` for everything below a live row, each directory before its entries. Where `body` returns false for a
    /// directory, its entries are skipped. Complexity: O(rows called).
    package func forEachDescendant(of top: Row, _ body: (Row) -> Bool) {
        rows.forEachDescendant(top.number, body)
    }
}
