// Items of shared containers that are not on this device.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import Metadata
import MetadataIndex

/// An absent item is a row without an inode: its file is on other devices only, and the helper has told its size and date.
/// The watcher does not see it in a directory, so a listing without its name does not remove it. A file that comes under
/// its name is the item, with its identity. The row goes with its directory, and when the helper tells that it is gone.
extension IndexTree {
    /// Whether a row is an absent item.
    static func isAbsent(_ row: Row, in index: MetadataIndex) -> Bool {
        row != .root && index.inode(of: row) == 0
    }

    /// Makes an absent item of a file whose name is gone and which the helper has announced as leaving. Returns false for
    /// other entries.
    func keepsAsAbsent(_ node: TreeNode) -> Bool {
        let entry = entry(node.container)
        let row = Row(node.row)
        if IndexTree.isAbsent(row, in: entry.index) { return true }
        guard let state = entry.leaving.removeValue(forKey: row) else { return false }
        var status = entry.index.ownStatus(of: row)
        guard entry.index.identifier(of: row) == state.item, status.kind == .file else { return false }
        status.inode = 0
        // Other names of the file may be left.
        status.links = 1
        update(node, status: status)
        entry.index.setSync(row, state.state, covering: .max)
        return true
    }

    /// Shows an item that is not here, or changes the size, date and state of one that is shown in `row`. Does nothing where its
    /// directory is not here. Returns whether it changed anything.
    func showAbsent(
        _ path: [UInt8], _ row: Row?, size: Int64, modified: Timestamp, state: SyncState, in container: UInt32
    ) -> Bool {
        let entry = entry(container)
        if let row {
            var status = entry.index.ownStatus(of: row)
            let isOther = status.size != size || status.modified != modified
            (status.size, status.modified) = (size, modified)
            update(TreeNode(container: container, row: row.number), status: status)
            return entry.index.setSync(row, state, covering: .max) || isOther
        }
        let slash = path.lastIndex(of: UInt8(ascii: "/"))
        let parent = slash.map { entry.index.row(at: Array(path[..<$0])) } ?? .root
        guard let parent, entry.index.kind(of: parent).isDirectory else { return false }
        let directory = entry.index.ownStatus(of: parent)
        let status = FileStatus(
            kind: .file, mode: directory.mode & 0o666, size: size, created: nil, modified: modified, changed: modified,
            owner: directory.owner, group: directory.group, links: 1, inode: 0, device: directory.device)
        let name = Array(path[(slash.map { $0 + 1 } ?? 0)...])
        let node = name.withUnsafeBytes {
            insert(named: $0, status: status, xattrs: nil, into: TreeNode(container: container, row: parent.number))
        }
        if let node { entry.index.setSync(Row(node.row), state, covering: .max) }
        return node != nil
    }

    /// Removes an absent item that no device has any more. Returns whether it was one.
    @discardableResult func removeAbsent(_ row: Row, in container: UInt32) -> Bool {
        guard IndexTree.isAbsent(row, in: entry(container).index) else { return false }
        _ = removing(TreeNode(container: container, row: row.number), MetadataIndex.remove)
        return true
    }

    /// Returns the absent items of a container. Complexity: O(rows), about a nanosecond each.
    func absentItems(of container: UInt32) -> Set<Row> {
        let snapshot = entry(container).index.snapshot()
        var found: Set<Row> = []
        for block in 0..<snapshot.blockCount {
            var rows = snapshot.liveRows(inBlock: block)
            snapshot.select(.inode, .equal, 0, inBlock: block, among: &rows)
            rows.forEach { place in
                let row = IndexSnapshot.row(block: block, place: place)
                if row != .root { found.insert(row) }
            }
        }
        return found
    }
}
