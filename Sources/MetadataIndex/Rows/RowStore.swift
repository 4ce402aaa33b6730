// The rows of an index for reading: the common part of the index and its snapshots.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// The rows of an index for reading: the common part of the index and its snapshots. Copying it is O(1); the first
/// write after it copies the list of blocks and the block.
struct RowStore: Sendable {
    var blocks: [BlockStorage] = []
    /// Owner, group, mode, device and access list by number. A number that no row uses any more is given to another combination;
    /// readers of pre-images have the former table.
    var common: [CommonAttributes] = []
    /// Keeps the lists that are named there; nil where there are none.
    var lease: AccessListLease?
    /// Extended attributes by number.
    var xattrList = XattrList()
    /// The facts of each package besides its columns.
    var packages = SparseColumn<PackageFacts>()
    /// The numbers of conflict versions of the rows that have any.
    var conflicts = SparseColumn<ConflictCount>()
    /// The states of items that differ from ``syncBase``.
    var sync = SparseColumn<SyncState>()
    /// The state of all other items.
    var syncBase = SyncState.notShared
    /// Whether an item has the name of an archive (``ArchiveName``), or had. It is never taken back. Containers of other
    /// programs than Gather's have none.
    var hasArchives = false
    /// Whether the container is shared, so that states are recorded.
    var isShared = false

    @inline(__always)
    func syncState(_ row: UInt32) -> SyncState { sync.isEmpty ? syncBase : sync[row] ?? syncBase }

    @inline(__always)
    static func block(_ row: UInt32) -> Int { Int(row >> 12) }
    @inline(__always)
    static func slot(_ row: UInt32) -> Int { Int(row & 4_095) }

    @inline(__always)
    func block(_ row: UInt32) -> Block { blocks[RowStore.block(row)].block }

    /// Returns the row's block, not shared with a snapshot. A shared block is copied first: a full one takes 17 µs where the
    /// allocator has the memory, and up to 140 µs where each page must be faulted in. Its names stay shared.
    @inline(__always)
    mutating func writable(_ row: UInt32) -> Block {
        let at = RowStore.block(row)
        if !isKnownUniquelyReferenced(&blocks[at]) { blocks[at] = BlockStorage(copying: blocks[at].block) }
        return blocks[at].block
    }

    /// Slots ever given out.
    var slotCount: UInt32 {
        guard let last = blocks.last else { return 0 }
        return UInt32(truncatingIfNeeded: (blocks.count - 1) * Block.capacity + last.block.header.pointee.used)
    }

    /// Whether an entry lives in the row, whatever number is asked for.
    @inline(__always)
    func isLive(_ row: UInt32) -> Bool {
        let at = RowStore.block(row)
        return at < blocks.count && blocks[at].block.isLive(RowStore.slot(row))
    }

    func parent(_ row: UInt32) -> UInt32 { block(row).parent[RowStore.slot(row)] }
    func generation(_ row: UInt32) -> UInt32 { block(row).generation[RowStore.slot(row)] }
    func kind(_ row: UInt32) -> FileKind { block(row).fileKind(RowStore.slot(row)) }
    /// The outermost package that a directory is or lies in. Complexity: O(depth).
    func outermostPackage(holding directory: UInt32) -> UInt32? {
        var found: UInt32?
        var row = directory
        while row != 0 {
            let (block, slot) = (block(row), RowStore.slot(row))
            if block.fileKind(slot) == .package { found = row }
            row = block.parent[slot]
        }
        return found
    }
    func firstChild(_ row: UInt32) -> UInt32 { block(row).firstChild(RowStore.slot(row)) }
    func next(_ row: UInt32) -> UInt32 { block(row).next[RowStore.slot(row)] }
    func values(_ row: UInt32) -> RowValues { block(row).values(RowStore.slot(row)) }

    func status(_ row: UInt32) -> FileStatus {
        let values = values(row)
        return values.status(common[Int(values.common)])
    }

    func links(_ row: UInt32) -> UInt32 { block(row).links[RowStore.slot(row)] }

    func access(_ row: UInt32) -> FileAccess { common[Int(block(row).common[RowStore.slot(row)])].access }

    func xattrs(_ row: UInt32) -> ExtraAttributes? {
        let number = block(row).xattrs(RowStore.slot(row))
        return number == XattrTable.unknown ? nil : xattrList[number]
    }

    @inline(__always)
    func withName<R, E: Error>(_ row: UInt32, _ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        // Held, since the body may write to the store.
        let storage = blocks[RowStore.block(row)]
        defer { withExtendedLifetime(storage) {} }
        return try body(storage.block.nameBytes(RowStore.slot(row)))
    }

    /// Whether a row stands under this name in this directory.
    @inline(__always)
    func isNamed(_ row: UInt32, _ parent: UInt32, _ name: UnsafeRawBufferPointer) -> Bool {
        let block = block(row)
        let slot = RowStore.slot(row)
        guard block.parent[slot] == parent else { return false }
        return RowStore.areEqual(block.nameBytes(slot), name)
    }

    @inline(__always)
    static func areEqual(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
        a.count == b.count && (a.count == 0 || compareBytes(a, b) == 0)
    }

    /// Whether `row` is `ancestor` or lies below it.
    func isWithin(_ row: UInt32, _ ancestor: UInt32) -> Bool {
        var row = row
        while row != ancestor {
            if row == 0 { return false }
            row = parent(row)
        }
        return true
    }

    func depth(_ row: UInt32) -> Int {
        var depth = 0
        var row = row
        while row != 0 {
            depth += 1
            row = parent(row)
        }
        return depth
    }

    /// Appends the path from the root, without a slash in front; nothing for the root. Two walks up: one for the length,
    /// one that writes from the end.
    func appendPath(_ row: UInt32, to bytes: inout [UInt8]) {
        var length = 0
        var at = row
        while at != 0 {
            let block = block(at)
            length += block.nameBytes(RowStore.slot(at)).count + 1
            at = block.parent[RowStore.slot(at)]
        }
        guard length > 0 else { return }
        let start = bytes.count
        bytes.append(contentsOf: repeatElement(0, count: length - 1))
        bytes.withUnsafeMutableBytes { buffer in
            var end = start + length - 1
            var at = row
            while at != 0 {
                let block = block(at)
                let name = block.nameBytes(RowStore.slot(at))
                end -= name.count
                UnsafeMutableRawBufferPointer(rebasing: buffer[end..<end + name.count]).copyMemory(from: name)
                at = block.parent[RowStore.slot(at)]
                if at != 0 {
                    end -= 1
                    buffer[end] = UInt8(ascii: "/")
                }
            }
        }
    }

    /// How many rows lie below a row, at most `limit`. Complexity: O(limit).
    func descendantCount(of top: UInt32, atMost limit: Int) -> Int {
        var count = 0
        var row = firstChild(top)
        while row != Row.none, count < limit {
            count += 1
            let child = firstChild(row)
            if child != Row.none {
                row = child
                continue
            }
            while next(row) == Row.none {
                row = parent(row)
                if row == top { return count }
            }
            row = next(row)
        }
        return count
    }

    /// Calls `body` for each directory but the root, with device and inode.
    func forEachDirectory(_ body: (Row, UInt64, UInt64) -> Void) {
        for (number, storage) in blocks.enumerated() {
            let block = storage.block
            for word in 0..<Block.words {
                var bits = block.isDirectory[word]
                if number == 0, word == 0 { bits &= ~1 }
                while bits != 0 {
                    let slot = word << 6 | bits.trailingZeroBitCount
                    bits &= bits &- 1
                    body(
                        Row(UInt32(truncatingIfNeeded: number << 12 | slot)), common[Int(block.common[slot])].device,
                        block.inode[slot])
                }
            }
        }
    }

    /// Calls `body` for everything below `top`, a directory before its entries, which are skipped where `body` returns false.
    func forEachDescendant(_ top: UInt32, _ body: (Row) -> Bool) {
        var row = firstChild(top)
        while row != Row.none {
            if body(Row(row)) {
                let child = firstChild(row)
                if child != Row.none {
                    row = child
                    continue
                }
            }
            while next(row) == Row.none {
                row = parent(row)
                if row == top { return }
            }
            row = next(row)
        }
    }
}
