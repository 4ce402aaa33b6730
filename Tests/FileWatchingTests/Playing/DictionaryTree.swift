// The simplest tree that can be: dictionaries, and a log of what it was told. It traps on anything that the contract of
// WatchedTree forbids.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import Metadata

/// A tree of dictionaries, for tests.
final class DictionaryTree: WatchedTree {
    struct Entry {
        var parent: TreeNode?
        var name: [UInt8]
        var status: FileStatus
        var xattrs: [UInt8]?
        var children: [[UInt8]: TreeNode] = [:]
        /// Never given twice, unlike rows.
        var identity: Int
    }

    private(set) var entries: [TreeNode: Entry] = [:]
    private var freeRows: [UInt32] = []
    private var nextRow: UInt32 = 1
    private var nextIdentity = 1
    /// The operations told since this was emptied, with paths below the container's root.
    var log: [String] = []
    var logsUpdates = true
    /// How often entries were looked for by their inode.
    private(set) var inodeSearches = 0
    /// How often entries were looked for by their name.
    private(set) var childSearches = 0
    /// A detached file. As in an index, a file is known again that has changed since its birth, as to move it does, or
    /// that lies where it lay in a directory that has moved. Another may have been given its inode within one tick.
    private struct Detached {
        var identity: Int
        /// Nil of one that had changed before it went.
        var changed: Timestamp?
        var parent: Int?
        var name: [UInt8]
    }
    private var detached: [UInt32: [FileIdentity: Detached]] = [:]
    private struct Place: Hashable {
        var parent: Int?
        var name: [UInt8]
    }
    /// Those whose files are unknown, by their names in directories that went with them.
    private var detachedUnknown: [UInt32: [Place: Int]] = [:]
    /// The saved state of both, by the number in the bytes that stand for it.
    private var savedDetached: [([FileIdentity: Detached]?, [Place: Int]?)] = []
    /// Rows of inaccessible directories by their files.
    private(set) var inaccessible: [UInt32: [FileIdentity: Int]] = [:]
    private var unavailable: [UInt32: [TreeNode: Entry]] = [:]
    /// Whether entries of unavailable containers come back.
    var keepsDetached = true

    init(containers: [UInt32] = [1]) {
        for number in containers { addContainer(number) }
    }

    func addContainer(_ number: UInt32) {
        entries[TreeNode(container: number, row: 0)] = Entry(
            parent: nil, name: [], status: .none, xattrs: nil, identity: 0)
    }

    // MARK: Reading

    func entry(_ node: TreeNode) -> Entry {
        guard let entry = entries[node] else { fatalError("no such entry: \(node)") }
        return entry
    }

    func path(_ node: TreeNode) -> String {
        var names: [String] = []
        var current = node
        while let parent = entry(current).parent {
            names.append(String(decoding: entry(current).name, as: UTF8.self))
            current = parent
        }
        let path = names.reversed().joined(separator: "/")
        return node.container == 1 ? path : "\(node.container):\(path)"
    }

    func node(at path: String, in container: UInt32 = 1) -> TreeNode? {
        var node = TreeNode(container: container, row: 0)
        for name in path.split(separator: "/") {
            guard let child = entry(node).children[Array(name.utf8)] else { return nil }
            node = child
        }
        return node
    }

    func identity(at path: String, in container: UInt32 = 1) -> Int? {
        node(at: path, in: container).map { entry($0).identity }
    }

    /// Everything below the root by path, as bytes.
    func contents(of container: UInt32) -> [[UInt8]: FileStatus] {
        var found: [[UInt8]: FileStatus] = [:]
        var stack: [(TreeNode, [UInt8])] = [(TreeNode(container: container, row: 0), [])]
        while let (node, path) = stack.popLast() {
            for (name, child) in entry(node).children {
                let childPath = path.isEmpty ? name : path + [0x2F] + name
                found[childPath] = entry(child).status
                stack.append((child, childPath))
            }
        }
        return found
    }

    func root(of container: UInt32) -> TreeNode { TreeNode(container: container, row: 0) }
    func child(of directory: TreeNode, named name: UnsafeRawBufferPointer) -> TreeNode? {
        childSearches += 1
        return entry(directory).children[Array(name)]
    }
    func parent(of node: TreeNode) -> TreeNode? { entry(node).parent }
    func appendName(of node: TreeNode, to bytes: inout [UInt8]) { bytes += entry(node).name }
    func status(of node: TreeNode) -> FileStatus { entry(node).status }
    func childCount(of directory: TreeNode) -> Int { entry(directory).children.count }
    func node(row: UInt32, in container: UInt32) -> TreeNode? {
        let node = TreeNode(container: container, row: row)
        return entries[node] == nil ? nil : node
    }
    func forEachChild(of directory: TreeNode, _ body: (TreeNode) -> Void) {
        for child in entry(directory).children.values { body(child) }
    }
    func forEachDirectory(below node: TreeNode, _ body: (TreeNode) -> Void) {
        for child in entry(node).children.values where entry(child).status.kind.isDirectory {
            body(child)
            forEachDirectory(below: child, body)
        }
    }
    func forEachLinkedFile(below node: TreeNode, _ body: (TreeNode) -> Void) {
        for child in entry(node).children.values {
            let status = entry(child).status
            if status.links > 1, !status.kind.isDirectory { body(child) }
            forEachLinkedFile(below: child, body)
        }
    }
    func forEachNode(inode: UInt64, device: UInt64, in container: UInt32, _ body: (TreeNode) -> Void) {
        inodeSearches += 1
        for (node, entry) in entries where node.container == container {
            let status = entry.status
            if status.inode == inode, status.device == device, status.links > 1 || status.kind.isDirectory {
                body(node)
            }
        }
    }

    func forEachNodeWithOneLink(among inodes: Set<InodeNumber>, in container: UInt32, _ body: (TreeNode) -> Void) {
        for (node, entry) in entries where node.container == container {
            let status = entry.status
            if status.links == 1, !status.kind.isDirectory,
                inodes.contains(InodeNumber(device: status.device, inode: status.inode))
            {
                body(node)
            }
        }
    }

    // MARK: Writing

    func insert(
        named name: UnsafeRawBufferPointer, status: FileStatus, xattrs: UnsafeRawBufferPointer?,
        into directory: TreeNode
    ) -> TreeNode? {
        insert(Array(name), status, xattrs.map(Array.init), directory, says: "insert")
    }

    private func insert(
        _ name: [UInt8], _ status: FileStatus, _ xattrs: [UInt8]?, _ directory: TreeNode, says verb: String
    ) -> TreeNode {
        precondition(!name.isEmpty && name.count <= FileNameLimits.mostBytes)
        precondition(!name.contains(0) && !name.contains(0x2F))
        precondition(entry(directory).children[name] == nil, "the name is taken: \(name)")
        let row = freeRows.popLast() ?? nextRow
        if row == nextRow { nextRow += 1 }
        let node = TreeNode(container: directory.container, row: row)
        precondition(entries[node] == nil)
        let known =
            isSingle(status)
            ? take(status, name, directory) ?? inaccessible[node.container]?.removeValue(forKey: status.identity) : nil
        entries[node] = Entry(
            parent: directory, name: name, status: status, xattrs: xattrs, identity: known ?? nextIdentity)
        if known == nil { nextIdentity += 1 }
        entries[directory]?.children[name] = node
        log.append("\(verb) \(path(node))")
        return node
    }

    private func take(_ status: FileStatus, _ name: [UInt8], _ directory: TreeNode) -> Int? {
        guard let known = detached[directory.container]?[status.identity],
            known.changed.map({ status.changed > $0 }) ?? true
                || (known.parent == entry(directory).identity && known.name == name)
        else {
            if status.kind.isDirectory { return nil }
            let place = Place(parent: entry(directory).identity, name: name)
            return detachedUnknown[directory.container]?.removeValue(forKey: place)
        }
        detached[directory.container]?[status.identity] = nil
        return known.identity
    }

    func insertChildren(of directory: TreeNode, from batch: DirectoryBatch) {
        for index in 0..<batch.count {
            _ = insert(
                Array(batch.names[batch.nameRange(at: index)]), batch.statuses[index],
                batch.xattrRange(at: index).map { Array(batch.xattrs[$0]) }, directory, says: "crawl")
        }
    }

    func update(_ node: TreeNode, status: FileStatus) -> Bool {
        guard entry(node).status != status else { return false }
        let old = entry(node).status
        if logsUpdates {
            if entry(node).parent == nil {
                // The root is no item.
            } else if old.size != status.size || old.inode != status.inode || old.mode != status.mode
                || old.links != status.links || old.modified != status.modified || old.kind != status.kind
            {
                log.append("update \(path(node))")
            }
        }
        entries[node]?.status = status
        return true
    }

    func setXattrs(of node: TreeNode, to xattrs: UnsafeRawBufferPointer) -> Bool {
        let old = entry(node).xattrs
        guard old != Array(xattrs) else { return false }
        entries[node]?.xattrs = Array(xattrs)
        guard old ?? [] != Array(xattrs) else { return false }
        log.append("extras \(path(node)) \(xattrs.count)")
        return true
    }

    func forgetXattrs(of node: TreeNode) { entries[node]?.xattrs = nil }

    func move(_ node: TreeNode, to directory: TreeNode, named name: UnsafeRawBufferPointer) {
        let old = path(node)
        precondition(node.container == directory.container)
        precondition(entry(directory).children[Array(name)] == nil, "the name is taken")
        var above: TreeNode? = directory
        while let current = above {
            precondition(current != node, "moved below itself")
            above = entry(current).parent
        }
        detach(node)
        attach(node, to: directory, named: Array(name))
        log.append("move \(old) -> \(path(node))")
    }

    func replace(_ target: TreeNode, with source: TreeNode) {
        precondition(target != source && entry(target).children.isEmpty)
        precondition(entry(target).status.kind.isDirectory == entry(source).status.kind.isDirectory)
        log.append("replace \(path(target)) with \(path(source))")
        detach(source)
        let gone = entry(source)
        entries[target]?.status = gone.status
        entries[target]?.xattrs = gone.xattrs
        entries[target]?.children = gone.children
        for child in gone.children.values { entries[child]?.parent = target }
        release(source)
    }

    func exchange(_ a: TreeNode, _ b: TreeNode) {
        log.append("exchange \(path(a)) \(path(b))")
        let (entryA, entryB) = (entry(a), entry(b))
        guard let parentA = entryA.parent, let parentB = entryB.parent else { fatalError("a root") }
        detach(a)
        detach(b)
        attach(a, to: parentB, named: entryB.name)
        attach(b, to: parentA, named: entryA.name)
    }

    func remove(_ node: TreeNode) -> Int {
        log.append("remove \(path(node))")
        detach(node)
        return release(node)
    }

    func detach(_ node: TreeNode, isOutdated: Bool) -> Int {
        log.append("remove \(path(node))")
        detach(node)
        return release(node, keeps: true)
    }

    func detachChildren(of directory: TreeNode) -> Int {
        var count = 0
        for child in entry(directory).children.values.sorted(by: { path($0) < path($1) }) {
            count += detach(child, isOutdated: false)
        }
        return count
    }

    func endDetached(_ container: UInt32) { (detached[container], detachedUnknown[container]) = (nil, nil) }

    func savedDetached(of container: UInt32, limit: Int) -> [UInt8] {
        savedDetached.append((detached[container], detachedUnknown[container]))
        return withUnsafeBytes(of: savedDetached.count - 1) { Array($0) }
    }

    func restoreDetached(saved bytes: [UInt8], in container: UInt32) {
        (detached[container], detachedUnknown[container]) =
            savedDetached[bytes.withUnsafeBytes { $0.loadUnaligned(as: Int.self) }]
    }

    func detachInaccessible(_ directory: TreeNode) -> Int {
        var count = 0
        for child in entry(directory).children.values.sorted(by: { path($0) < path($1) }) {
            log.append("remove \(path(child))")
            detach(child)
            count += release(child, keeps: true, inaccessible: true)
        }
        return count
    }

    func endInaccessible(_ container: UInt32) { inaccessible[container] = nil }
    func endInaccessible(_ file: FileIdentity, in container: UInt32) { inaccessible[container]?[file] = nil }

    private func isSingle(_ status: FileStatus) -> Bool { status.kind.isDirectory || status.links == 1 }

    func removeChildren(of directory: TreeNode) -> Int {
        var count = 0
        for child in entry(directory).children.values.sorted(by: { path($0) < path($1) }) { count += remove(child) }
        return count
    }

    func detachAll(_ container: UInt32) {
        let root = TreeNode(container: container, row: 0)
        precondition(unavailable[container] == nil)
        endDetached(container)
        endInaccessible(container)
        let status = entry(root).status
        unavailable[container] = entries.filter { $0.key.container == container }
        entries = entries.filter { $0.key.container != container }
        entries[root] = Entry(parent: nil, name: [], status: status, xattrs: nil, identity: 0)
        log.append("park")
    }

    func attachAll(_ container: UInt32) -> Bool {
        guard let kept = unavailable.removeValue(forKey: container) else { return false }
        log.append("unpark")
        guard keepsDetached else { return false }
        let root = TreeNode(container: container, row: 0)
        precondition(entry(root).children.isEmpty)
        // The status that the root was told meanwhile stays.
        let status = entry(root).status
        entries.merge(kept) { $1 }
        entries[root]?.status = status
        return kept.count > 1
    }

    /// Leaves the state that another process finds: the entries, those of unavailable containers too, and no detached rows.
    func load(_ container: UInt32) {
        endDetached(container)
        endInaccessible(container)
        if let kept = unavailable.removeValue(forKey: container) { entries.merge(kept) { $1 } }
        log = []
    }

    func renumber(deviceFrom: UInt64, to device: UInt64, in container: UInt32) {
        log.append("renumber \(deviceFrom) \(device)")
        for (node, entry) in entries where node.container == container && entry.status.device == deviceFrom {
            entries[node]?.status.device = device
        }
        for (node, entry) in unavailable[container] ?? [:] where entry.status.device == deviceFrom {
            unavailable[container]?[node]?.status.device = device
        }
    }

    private func detach(_ node: TreeNode) {
        guard let parent = entry(node).parent else { fatalError("a root has no place") }
        let name = entry(node).name
        precondition(entry(parent).children[name] == node)
        entries[parent]?.children[name] = nil
    }

    private func attach(_ node: TreeNode, to directory: TreeNode, named name: [UInt8]) {
        entries[node]?.parent = directory
        entries[node]?.name = name
        entries[directory]?.children[name] = node
    }

    @discardableResult
    private func release(
        _ node: TreeNode, keeps: Bool = false, inaccessible isInaccessible: Bool = false, below parent: Int? = nil
    ) -> Int {
        var count = 1
        let gone = entry(node)
        // A file that came to another row since it lay in an inaccessible directory is that one's.
        if isSingle(gone.status) { inaccessible[node.container]?[gone.status.identity] = nil }
        if isInaccessible, isSingle(gone.status) {
            inaccessible[node.container, default: [:]][gone.status.identity] = gone.identity
        } else if keeps, gone.status.identity == .unknown {
            if let parent {
                detachedUnknown[node.container, default: [:]][Place(parent: parent, name: gone.name)] = gone.identity
            }
        } else if keeps, isSingle(gone.status) {
            let isUnchanged = gone.status.created.map { gone.status.changed <= $0 } ?? true
            detached[node.container, default: [:]][gone.status.identity] = Detached(
                identity: gone.identity, changed: isUnchanged ? gone.status.changed : nil, parent: parent,
                name: gone.name)
        }
        // A directory that was replaced has handed its entries over.
        for child in gone.children.values where entry(child).parent == node {
            count += release(child, keeps: keeps, inaccessible: isInaccessible, below: gone.identity)
        }
        entries[node] = nil
        freeRows.append(node.row)
        return count
    }
}

extension FileStatus {
    /// The status of a root before it was looked at.
    static let none = FileStatus(
        kind: .directory, mode: 0, size: 0, created: nil, modified: Timestamp(nanoseconds: 0),
        changed: Timestamp(nanoseconds: 0), owner: 0, group: 0, links: 0, inode: 0, device: 0)
}
