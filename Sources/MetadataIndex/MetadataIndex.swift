// The index of one container: its tree of entries with their metadata, and its changes.
// SPDX-License-Identifier: Apache-2.0

package import Metadata

/// The index of one container: a tree of entries with their metadata in typed columns, and a record of its changes.
///
/// It knows no descriptors and no time; it lives on one event loop, without locks, and is not `Sendable`. Other threads
/// get an ``IndexSnapshot``.
///
/// Names are bytes: 1 to ``FileNameLimits/mostBytes`` of them, no slash, no NUL, neither `.` nor `..`. A refused change
/// leaves everything as it was. Mutations are O(1) unless said otherwise and allocate nothing but for amortised growth.
package final class MetadataIndex {
    /// Random; makes the texts of identifiers of different indexes differ.
    package let epoch: UInt64
    /// Everything else; taken once for each call.
    var storage: IndexStorage

    /// The row that ``child(of:named:)`` found last.
    private var foundLast: UInt32 = 0

    /// Bytes of extended attributes that are kept, roughly: any others are as good as not known.
    package var xattrLimit = Int.max
    /// Whether there were any others since this index was made, or read.
    package internal(set) var lacksXattrs = false

    /// An index that holds the container's own directory alone.
    package convenience init(root: FileStatus) {
        self.init(
            root: root, epoch: .random(in: .min ... .max), key: .random(in: .min ... .max), log: ChangeLog())
    }

    /// Makes an empty index with a given hash key and log bounds, for tests.
    init(root: FileStatus, epoch: UInt64, key: UInt64, log: ChangeLog) {
        var root = root
        root.kind = .directory
        self.epoch = epoch
        storage = IndexStorage(root: root, key: key)
        storage.recorder = ChangeRecorder(log: log)
    }

    /// Makes an index of a saved one.
    init(epoch: UInt64, storage: consuming IndexStorage) {
        self.epoch = epoch
        self.storage = storage
    }

    /// How many items live; the root is none.
    package var count: Int { storage.counts.items }
    /// How many of them are directories or packages.
    package var directoryCount: Int { storage.counts.directories }
    /// Bytes held by rows, names and tables; the log, the open change set and blocks that only snapshots hold not
    /// counted.
    package var byteCount: Int { storage.byteCount }
    /// Those of them that extended attributes take, roughly. Complexity: O(blocks).
    package var xattrByteCount: Int { storage.xattrByteCount }
    /// Whether any item ever had extended attributes, detached items (``detachAll()``) included.
    package var knowsXattrs: Bool {
        storage.rows.xattrList.holdsAny || storage.detachedContent?.content.rows.xattrList.holdsAny == true
    }
    /// Bytes held by the change log.
    package var logByteCount: Int { storage.recorder.logByteCount }
}

// MARK: Reading

extension MetadataIndex: RowReader {
    package func isLive(_ row: Row) -> Bool { storage.rows.isLive(row.number) }
    package func identifier(of row: Row) -> ItemIdentifier? {
        storage.rows.isLive(row.number)
            ? ItemIdentifier(row: row, generation: storage.rows.generation(row.number)) : nil
    }
    package func parent(of row: Row) -> Row { Row(storage.rows.parent(row.number)) }
    package func kind(of row: Row) -> FileKind { storage.rows.kind(row.number) }
    /// Returns the status of a row. For a package it is as of the last change set or snapshot: changes within since then are
    /// summed up with the next. The directory's own status (`ownStatus(of:)`) is always current.
    package func status(of row: Row) -> FileStatus { storage.rows.status(row.number) }
    /// Whether there are, or were, directories that are archives, detached items (``detachAll()``) included.
    package var hasArchives: Bool {
        storage.rows.hasArchives || storage.detachedContent?.content.rows.hasArchives == true
    }
    /// Whether there are packages, detached items included.
    package var hasPackages: Bool {
        !storage.packages.isEmpty || storage.detachedContent?.content.packages.isEmpty == false
    }
    package func links(of row: Row) -> UInt32 { storage.rows.links(row.number) }
    package func access(of row: Row) -> FileAccess { storage.rows.access(row.number) }
    package func package(at row: Row) -> PackageFacts? {
        storage.packages.states[row.number]?.facts(storage.rows.access(row.number))
    }
    /// Returns the numbers of a row's conflict versions, as of the last change set or snapshot.
    package func sync(of row: Row) -> SyncState { storage.rows.syncState(row.number) }
    package func conflicts(of row: Row) -> ConflictCount { storage.rows.conflicts[row.number] ?? ConflictCount() }
    package func xattrs(of row: Row) -> ExtraAttributes? { storage.rows.xattrs(row.number) }
    package func withName<R, E: Error>(
        of row: Row, _ body: (UnsafeRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        // The block is taken out first: the body may change the index, which then writes to a copy.
        let held = storage.rows.blocks[RowStore.block(row.number)]
        defer { withExtendedLifetime(held) {} }
        return try body(held.block.nameBytes(RowStore.slot(row.number)))
    }
    package func appendPath(of row: Row, to bytes: inout [UInt8]) {
        storage.rows.appendPath(row.number, to: &bytes)
    }
    package func isWithin(_ row: Row, _ ancestor: Row) -> Bool { storage.rows.isWithin(row.number, ancestor.number) }
    package func depth(of row: Row) -> Int { storage.rows.depth(row.number) }
}

extension MetadataIndex {
    /// The entry with this name in a directory; nil where there is none, or no such directory.
    package func child(of parent: Row, named name: UnsafeRawBufferPointer) -> Row? {
        guard name.count > 0, name.count <= FileNameLimits.mostBytes else { return nil }
        // A walk through a tree, such as a comparison, follows the order in which it was read, which is the order of rows. The
        // neighbour is near in memory, while the name table misses the cache.
        let neighbour = foundLast &+ 1
        if storage.rows.isLive(neighbour), storage.rows.isNamed(neighbour, parent.number, name) {
            foundLast = neighbour
            return Row(neighbour)
        }
        let hash = storage.names.hasher.hash(parent: parent.number, name: name)
        guard let row = storage.find(parent.number, name, hash) else { return nil }
        foundLast = row
        return Row(row)
    }

    /// The first of a directory's children, in no particular order; nil where there is none. With ``nextSibling(of:)`` it
    /// walks a directory without memory. Between the two calls the index must not change.
    package func firstChild(of row: Row) -> Row? {
        let child = storage.rows.firstChild(row.number)
        return child == Row.none ? nil : Row(child)
    }

    /// The child of the same directory that follows.
    package func nextSibling(of row: Row) -> Row? {
        let next = storage.rows.next(row.number)
        return row == .root || next == Row.none ? nil : Row(next)
    }

    /// The children of a directory, in no particular order. Complexity: O(children).
    package func children(of row: Row) -> [Row] {
        var children: [Row] = []
        var child = storage.rows.firstChild(row.number)
        while child != Row.none {
            children.append(Row(child))
            child = storage.rows.next(child)
        }
        return children
    }

    /// Calls `body` for everything below a row, each directory before its entries. Where `body` returns false for a directory,
    /// its entries are skipped. The index must not change meanwhile. Complexity: O(rows called).
    package func forEachDescendant(of top: Row, _ body: (Row) -> Bool) {
        storage.rows.forEachDescendant(top.number, body)
    }

    /// Calls `body` for each directory but the root, in the order of their rows, with device and inode. The index must not
    /// change meanwhile. Complexity: O(directories), and a look at each 64 rows.
    package func forEachDirectory(_ body: (_ row: Row, _ device: UInt64, _ inode: UInt64) -> Void) {
        storage.rows.forEachDirectory(body)
    }

    /// Returns the rows of a file: the one row of a directory, or all rows of a file with several names within the container.
    /// Files whose link count is 1 are not found by inode. The caller compares birth times.
    package func rows(inode: UInt64, device: UInt64) -> [Row] {
        var found: [Row] = []
        storage.inodes.forEach(inode: inode, device: device, storage.rows) { found.append(Row($0)) }
        return found
    }

    /// The row of an item, nil if it is gone.
    package func row(of identifier: ItemIdentifier) -> Row? {
        isLive(identifier) ? identifier.row : nil
    }

    /// The rows as they are now, for any thread. Complexity: O(1); the first write afterwards copies the list of blocks,
    /// and each write to a block that the snapshot still holds copies that block (`RowStore.writable`).
    package func snapshot() -> IndexSnapshot {
        storage.settle()
        return IndexSnapshot(rows: storage.rows, clock: storage.recorder.clock, count: storage.counts.items)
    }
}
