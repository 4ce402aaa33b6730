// The indexes of all containers as the one tree that the watcher writes to.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import Metadata
import MetadataIndex

/// One index for each container, behind the watcher's handles. Lives on the daemon's event loop.
///
/// The watcher knows no packages: the tree turns a directory whose extension its container lists into one, as the
/// entry comes, is renamed or is looked at.
final class IndexTree: WatchedTree {
    /// The tree's data for one container.
    final class Entry {
        let index: MetadataIndex
        private(set) var packages: [[UInt8]]
        /// Whether rows of crawled directories go into change sets: from when somebody may be listening.
        var recordsCrawl = false
        /// Whether items that were detached are back and being verified: their changes are taken when that is over, so
        /// that only those that are truly there are told.
        var isHeld = false
        /// Files that are about to leave this device, with the state that their items have then.
        var leaving: [Row: (item: ItemIdentifier, state: SyncState)] = [:]

        init(index: MetadataIndex, packages: [String]) {
            self.index = index
            self.packages = Entry.suffixes(packages)
        }

        /// To be followed by ``IndexTree/presentAnew(_:)``.
        func set(packages: [String]) { self.packages = Entry.suffixes(packages) }

        private static func suffixes(_ packages: [String]) -> [[UInt8]] {
            packages.map { [UInt8(ascii: ".")] + $0.utf8.map(lowercase) }
        }

        /// Whether a directory of this name is presented as one item. The case of ASCII's letters does not count.
        func isPackage(_ name: UnsafeRawBufferPointer) -> Bool {
            packages.contains { package in
                name.count > package.count
                    && zip(name[(name.count - package.count)...], package).allSatisfy { Entry.lowercase($0) == $1 }
            }
        }

        private static func lowercase(_ byte: UInt8) -> UInt8 {
            UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte
        }
    }

    private var entries: [UInt32: Entry] = [:]
    /// The container of the last call and its entry: calls come in runs for one container.
    private var last: (container: UInt32, entry: Entry)?
    /// Containers whose own directory has other access rights.
    private var accessChanges: Set<UInt32> = []
    /// Counts how often a file system had got another number.
    private(set) var renumberings = 0
    /// Containers that the index refused a change for, with why: a fault of ours, mended by a comparison.
    private(set) var refusals: [(container: UInt32, error: IndexError)] = []

    // Kept between batches, so that a crawl does not allocate for each directory.
    private var lengths: [UInt16] = []
    private var rows: [Row] = []

    func add(_ container: UInt32, _ entry: Entry) { entries[container] = entry }

    func remove(_ container: UInt32) {
        entries[container] = nil
        last = nil
    }

    /// Takes the containers whose own directory has other access rights: no change set says so.
    func takeAccessChanges() -> Set<UInt32> {
        defer { if !accessChanges.isEmpty { accessChanges = [] } }
        return accessChanges
    }

    func takeRefusals() -> [(container: UInt32, error: IndexError)] {
        defer { refusals = [] }
        return refusals
    }

    func entry(_ container: UInt32) -> Entry {
        if let last, last.container == container { return last.entry }
        guard let entry = entries[container] else { preconditionFailure("container \(container) is not in the tree") }
        last = (container, entry)
        return entry
    }

    private func index(_ node: TreeNode) -> MetadataIndex { entry(node.container).index }

    private func node(_ row: Row, like other: TreeNode) -> TreeNode {
        TreeNode(container: other.container, row: row.number)
    }

    /// The status as the index is to have it: directories with a package's name are packages.
    private func presented(_ status: FileStatus, named name: UnsafeRawBufferPointer, in entry: Entry) -> FileStatus {
        guard status.kind == .directory, !entry.packages.isEmpty, entry.isPackage(name) else { return status }
        var status = status
        status.kind = .package
        return status
    }

    private func attempt<T>(_ container: UInt32, _ change: () throws(IndexError) -> T) -> T? {
        do {
            return try change()
        } catch {
            refusals.append((container, error))
            return nil
        }
    }
}

// MARK: Reading

extension IndexTree {
    func root(of container: UInt32) -> TreeNode { TreeNode(container: container, row: Row.root.number) }

    func node(row: UInt32, in container: UInt32) -> TreeNode? {
        guard let entry = entries[container], entry.index.isLive(Row(row)) else { return nil }
        return TreeNode(container: container, row: row)
    }

    func child(of directory: TreeNode, named name: UnsafeRawBufferPointer) -> TreeNode? {
        index(directory).child(of: Row(directory.row), named: name).map { node($0, like: directory) }
    }

    func parent(of node: TreeNode) -> TreeNode? {
        node.row == Row.root.number ? nil : self.node(index(node).parent(of: Row(node.row)), like: node)
    }

    func appendName(of node: TreeNode, to bytes: inout [UInt8]) {
        guard node.row != Row.root.number else { return }
        index(node).withName(of: Row(node.row)) { bytes.append(contentsOf: $0) }
    }

    func status(of node: TreeNode) -> FileStatus { index(node).ownStatus(of: Row(node.row)) }

    func childCount(of directory: TreeNode) -> Int {
        let index = index(directory)
        var count = 0
        var child = index.firstChild(of: Row(directory.row))
        while let row = child {
            count += 1
            child = index.nextSibling(of: row)
        }
        return count
    }

    func forEachChild(of directory: TreeNode, _ body: (TreeNode) -> Void) {
        let index = index(directory)
        var child = index.firstChild(of: Row(directory.row))
        while let row = child {
            child = index.nextSibling(of: row)
            if !IndexTree.isAbsent(row, in: index) { body(node(row, like: directory)) }
        }
    }

    func forEachDirectory(below node: TreeNode, _ body: (TreeNode) -> Void) {
        let index = index(node)
        index.forEachDescendant(of: Row(node.row)) { row in
            guard index.kind(of: row).isDirectory else { return false }
            body(self.node(row, like: node))
            return true
        }
    }

    func forEachDirectory(of container: UInt32, _ body: (TreeNode, InodeNumber) -> Void) {
        entry(container).index.forEachDirectory { row, device, inode in
            body(TreeNode(container: container, row: row.number), InodeNumber(device: device, inode: inode))
        }
    }

    func forEachLinkedFile(below node: TreeNode, _ body: (TreeNode) -> Void) {
        let index = index(node)
        index.forEachDescendant(of: Row(node.row)) { row in
            if index.links(of: row) > 1, !index.kind(of: row).isDirectory { body(self.node(row, like: node)) }
            return true
        }
    }

    func forEachNode(inode: UInt64, device: UInt64, in container: UInt32, _ body: (TreeNode) -> Void) {
        for row in entry(container).index.rows(inode: inode, device: device) {
            body(TreeNode(container: container, row: row.number))
        }
    }
}

extension IndexTree {
    /// The kernels look for one inode at a time, 4,096 rows a call; beyond a few it is cheaper to look at each row once.
    private static let fewInodes = 8

    func forEachNodeWithOneLink(
        among inodes: Set<InodeNumber>, in container: UInt32, _ body: (TreeNode) -> Void
    ) {
        let snapshot = entry(container).index.snapshot()
        func visit(_ block: Int, _ place: Int) {
            let row = IndexSnapshot.row(block: block, place: place)
            guard row != .root else { return }
            let status = snapshot.status(of: row)
            guard status.links == 1, !status.kind.isDirectory,
                inodes.contains(InodeNumber(device: status.device, inode: status.inode))
            else { return }
            body(TreeNode(container: container, row: row.number))
        }
        for block in 0..<snapshot.blockCount {
            if inodes.count > IndexTree.fewInodes {
                snapshot.liveRows(inBlock: block).forEach { visit(block, $0) }
                continue
            }
            for inode in inodes {
                var rows = snapshot.liveRows(inBlock: block)
                snapshot.select(
                    .inode, .equal, Int64(bitPattern: inode.inode), inBlock: block, among: &rows)
                rows.forEach { visit(block, $0) }
            }
        }
    }
}

// MARK: Writing

extension IndexTree {
    func insert(
        named name: UnsafeRawBufferPointer, status: FileStatus, xattrs: UnsafeRawBufferPointer?,
        into directory: TreeNode
    ) -> TreeNode? {
        let entry = entry(directory.container)
        let inserted = attempt(directory.container) { () throws(IndexError) in
            try entry.index.insert(
                parent: Row(directory.row), name: name, status: presented(status, named: name, in: entry))
        }
        guard let row = inserted else { return nil }
        let node = node(row, like: directory)
        if let xattrs { setXattrs(of: node, to: xattrs) }
        return node
    }

    func insertChildren(of directory: TreeNode, from batch: DirectoryBatch) {
        let entry = entry(directory.container)
        lengths.removeAll(keepingCapacity: true)
        rows.removeAll(keepingCapacity: true)
        var end: UInt32 = 0
        for nameEnd in batch.nameEnds {
            lengths.append(UInt16(truncatingIfNeeded: nameEnd - end))
            end = nameEnd
        }
        batch.names.withUnsafeBytes { names in
            insert(batch, names: names, statuses: batch.statuses, into: directory, entry)
        }
        guard batch.hasXattrs, rows.count == batch.count else { return }
        batch.xattrs.withUnsafeBytes { xattrs in
            for position in 0..<batch.count {
                guard let range = batch.xattrRange(at: position) else { continue }
                setXattrs(
                    of: node(rows[position], like: directory), to: UnsafeRawBufferPointer(rebasing: xattrs[range]))
            }
        }
    }

    private func insert(
        _ batch: DirectoryBatch, names: UnsafeRawBufferPointer, statuses: [FileStatus], into directory: TreeNode,
        _ entry: Entry
    ) {
        var statuses = statuses
        if !entry.packages.isEmpty {
            for position in statuses.indices where statuses[position].kind == .directory {
                let name = UnsafeRawBufferPointer(rebasing: names[batch.nameRange(at: position)])
                if entry.isPackage(name) { statuses[position].kind = .package }
            }
        }
        lengths.withUnsafeBufferPointer { lengths in
            statuses.withUnsafeBufferPointer { statuses in
                _ = attempt(directory.container) { () throws(IndexError) in
                    try entry.index.insertChildren(
                        of: Row(directory.row), names: names, lengths: lengths, statuses: statuses,
                        recording: entry.recordsCrawl, into: &rows)
                }
            }
        }
    }

    @discardableResult
    func update(_ node: TreeNode, status: FileStatus) -> Bool {
        let entry = entry(node.container)
        let row = Row(node.row)
        if row == .root, entry.index.access(of: row) != status.access { accessChanges.insert(node.container) }
        let status =
            node.row == Row.root.number || status.kind != .directory || entry.packages.isEmpty
            ? status : entry.index.withName(of: row) { presented(status, named: $0, in: entry) }
        return attempt(node.container) { () throws(IndexError) in try entry.index.update(row, status) } ?? false
    }

    @discardableResult
    func setXattrs(of node: TreeNode, to xattrs: UnsafeRawBufferPointer) -> Bool {
        guard node.row != Row.root.number else { return false }
        let record = ExtraAttributes(xattrs) ?? .none
        return attempt(node.container) { () throws(IndexError) in
            try index(node).setXattrs(Row(node.row), record)
        } ?? false
    }

    func forgetXattrs(of node: TreeNode) {
        guard node.row != Row.root.number else { return }
        _ = attempt(node.container) { () throws(IndexError) in try index(node).setXattrs(Row(node.row), nil) }
    }

    func move(_ node: TreeNode, to directory: TreeNode, named name: UnsafeRawBufferPointer) {
        _ = attempt(node.container) { () throws(IndexError) in
            try index(node).move(Row(node.row), to: Row(directory.row), name: name)
        }
        presentAnew(node)
    }

    func replace(_ target: TreeNode, with source: TreeNode) {
        _ = attempt(target.container) { () throws(IndexError) in
            try index(target).replace(Row(target.row), with: Row(source.row))
        }
        presentAnew(target)
    }

    func exchange(_ a: TreeNode, _ b: TreeNode) {
        _ = attempt(a.container) { () throws(IndexError) in try index(a).exchange(Row(a.row), Row(b.row)) }
        presentAnew(a)
        presentAnew(b)
    }

    @discardableResult
    func remove(_ node: TreeNode) -> Int { keepsAsAbsent(node) ? 0 : removing(node, MetadataIndex.remove) }

    @discardableResult
    func removeChildren(of directory: TreeNode) -> Int { removing(directory, MetadataIndex.removeChildren) }

    /// How many items are gone then.
    func removing(_ node: TreeNode, _ change: (MetadataIndex) -> (Row) throws(IndexError) -> Void) -> Int {
        let index = index(node)
        let before = index.count
        _ = attempt(node.container) { () throws(IndexError) in try change(index)(Row(node.row)) }
        return before - index.count
    }

    func detachAll(_ container: UInt32) {
        let entry = entry(container)
        entry.index.detachAll()
        entry.isHeld = false
    }

    func attachAll(_ container: UInt32) -> Bool {
        let entry = entry(container)
        guard entry.index.attachAll() else { return false }
        entry.isHeld = true
        presentAnew(container)
        return true
    }

    func renumber(deviceFrom: UInt64, to device: UInt64, in container: UInt32) {
        renumberings += 1
        entry(container).index.renumber(device: deviceFrom, to: device)
    }

    /// Other packages may have been named: looks at the names of all directories of a container.
    /// Complexity: O(rows), a nanosecond each, and O(depth) for each directory in a package.
    func presentAnew(_ container: UInt32) {
        if entry(container).packages.isEmpty { return }
        let snapshot = entry(container).index.snapshot()
        for block in 0..<snapshot.blockCount {
            var rows = snapshot.liveRows(inBlock: block)
            snapshot.select(kinds: [.directory, .package], inBlock: block, among: &rows)
            rows.forEach { place in
                presentAnew(
                    TreeNode(container: container, row: IndexSnapshot.row(block: block, place: place).number))
            }
        }
    }

    /// A new name may make a package of a directory, or a directory of a package.
    private func presentAnew(_ node: TreeNode) {
        let entry = entry(node.container)
        guard !entry.packages.isEmpty, entry.index.isLive(Row(node.row)) else { return }
        var status = entry.index.ownStatus(of: Row(node.row))
        guard status.kind.isDirectory else { return }
        status.kind = .directory
        update(node, status: status)
    }
}
