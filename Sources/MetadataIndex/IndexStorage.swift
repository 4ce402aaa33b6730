// Everything that one index owns, as one value.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// All state of one index as one value. The class around it accesses it once per call, so the exclusivity check of a class
/// property is paid once and not for each step of a loop.
struct IndexStorage: ~Copyable {
    var rows = RowStore()
    /// Finds rows by directory and name.
    var names: NameTable
    var inodes: InodeTable
    var xattrs: XattrTable
    /// The numbers of combinations of owner, group, mode, device and access list.
    var attributes = AttributeDictionary()

    /// Which slots are free.
    var slots: SlotAllocator
    /// How many items live.
    var counts = ItemCounts()
    /// Identities of removed entries that may come again.
    var detached = DetachedRows()
    /// The totals of packages.
    var packages = PackageIndex()
    /// The conflict versions, and the rows whose numbers of them are out of date.
    var versions = ConflictVersions()

    /// The states of items that are shared with other devices.
    var sync = SyncStates()

    /// The content of the index before its container's directory became unavailable (``MetadataIndex/detachAll()``).
    var detachedContent: DetachedContent?

    /// The sizes from which a subtree is not walked.
    var limits = SubtreeLimits()
    /// The open change set and the log.
    var recorder = ChangeRecorder()

    init(root: FileStatus, key: UInt64) {
        slots = SlotAllocator(slotCount: 1)
        names = NameTable(key: key)
        xattrs = XattrTable(hasher: names.hasher)
        inodes = InodeTable(hasher: names.hasher)
        rows.blocks.append(BlockStorage())
        let block = rows.writable(0)
        block.header.pointee.used = 1
        block.header.pointee.live = 1
        block.isLive[0] |= 1
        block.parent[0] = 0
        block.name[0] = 0
        block.generation[0] = 0
        block.next[0] = Row.none
        block.previous[0] = Row.none
        block.mark(0, UnsafeRawBufferPointer(start: nil, count: 0))
        let values = RowValues(root, common: attributes.number(of: CommonAttributes(root), in: &rows))
        block.setValues(0, values)
        block.addDirectory(0)
        inodes.insert(0, rows)
    }

    /// Makes an index of saved rows; the caller fills in the derived state.
    init(rows: RowStore, slots: SlotAllocator, names: consuming NameTable) {
        self.rows = rows
        let hasher = names.hasher
        self.names = names
        xattrs = XattrTable(hasher: hasher)
        inodes = InodeTable(hasher: hasher)
        self.slots = slots
        counts = ItemCounts(rows.blocks)
    }

    // MARK: Names

    @inline(__always)
    func find(_ parent: UInt32, _ name: UnsafeRawBufferPointer, _ hash: UInt64) -> UInt32? {
        names.find(parent, name, hash, rows)
    }

    /// Files a row under its place.
    @inline(__always)
    mutating func file(_ row: UInt32, _ hash: UInt64) {
        names.file(row, hash, rows)
        versions.noteFiled(row, hash, rows, names)
    }

    /// Files a row under its place, whose hash is not known.
    mutating func file(_ row: UInt32) { file(row, names.hash(row, rows)) }

    mutating func unfile(_ row: UInt32) {
        let hash = names.hash(row, rows)
        names.unfile(row, hash)
        versions.noteUnfiled(row, hash, rows, names)
    }

    // MARK: Records

    /// Keeps the pre-image of a live row, unless the open set has the row already.
    @inline(__always)
    mutating func record(_ row: UInt32) { recorder.record(row, of: rows) }

    /// Returns the package that a directory is or lies in. Complexity: O(depth).
    @inline(__always)
    func package(holding directory: UInt32) -> UInt32? { packages.package(holding: directory, rows) }

    /// Whether columns or numbers of conflict versions are out of date.
    var hasUnsettled: Bool { packages.hasUnsettled || versions.hasUnsettled }

    /// Updates the data derived from other rows: the columns of packages, then the numbers of conflict versions, then
    /// the states of shared items. Complexity: that of these.
    mutating func settle() {
        packages.settle(&rows, &versions, &recorder, limits)
        versions.settle(&rows, names, packages, &recorder)
        sync.settle(&rows, &recorder)
    }

    // MARK: Slots

    /// Returns a free slot. Detached rows keep their slots, so new rows cannot use them.
    @inline(__always)
    mutating func allocate() throws(IndexError) -> UInt32 {
        try slots.allocate(in: &rows, mayGrow: detachedContent == nil)
    }

    // MARK: Children

    /// Puts a row at the head of its parent's children.
    @inline(__always)
    mutating func link(_ row: UInt32, below parent: UInt32) {
        let head = rows.firstChild(parent)
        let block = rows.writable(row)
        block.next[RowStore.slot(row)] = head
        block.previous[RowStore.slot(row)] = Row.none
        if head != Row.none { rows.writable(head).previous[RowStore.slot(head)] = row }
        rows.writable(parent).setFirstChild(RowStore.slot(parent), row)
    }

    /// Takes a row out of its parent's children.
    mutating func unlink(_ row: UInt32) {
        let block = rows.block(row)
        let slot = RowStore.slot(row)
        let next = block.next[slot]
        let previous = block.previous[slot]
        let parent = block.parent[slot]
        if next != Row.none { rows.writable(next).previous[RowStore.slot(next)] = previous }
        if previous != Row.none {
            rows.writable(previous).next[RowStore.slot(previous)] = next
        } else {
            rows.writable(parent).setFirstChild(RowStore.slot(parent), next)
        }
    }

    /// Bytes held by extended attributes: their columns and the records.
    var xattrByteCount: Int {
        let columns = rows.blocks.reduce(0) { $0 + ($1.block.header.pointee.xattrs == nil ? 0 : Block.capacity * 4) }
        return columns + xattrs.byteCount + rows.xattrList.byteCount
    }

    /// Bytes held: blocks, names, tables, extended attributes; without the log and the open change set.
    var byteCount: Int {
        var bytes = rows.blocks.reduce(0) { $0 + $1.block.bytes } + rows.blocks.capacity * 8
        bytes += names.byteCount + inodes.byteCount
        bytes +=
            rows.common.capacity * MemoryLayout<CommonAttributes>.stride + attributes.byteCount
        bytes += packages.byteCount + rows.packages.byteCount + rows.packages.accessBytes
        bytes += versions.byteCount + rows.conflicts.byteCount + rows.sync.byteCount
        bytes += detached.byteCount
        bytes += xattrs.byteCount + rows.xattrList.byteCount + (detachedContent?.content.byteCount ?? 0)
        return bytes
    }
}
