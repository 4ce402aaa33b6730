// Directories that are another each time they are looked at: they are polled, so that they are not read without end.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata

// A directory is known by its inode number, and one that is read where another was found has moved: its place is looked at,
// and what is there now is read. Where a file system has no stable numbers, or fails to open what it shows, that has no end.
// What tells it from directories that really move is that no event names it. So after some such readings in a row
// (``WatchLimits/readsAstray``) it keeps its row, without anything below, and is read again with what is polled.
extension TreeWatcher {
    /// Whether that is so.
    func isUnstable(_ id: DirectoryID) -> Bool { directories[id].readsAstray >= settings.limits.readsAstray }

    /// Something else was found where a directory was to be read.
    func noteAstray(_ id: DirectoryID) {
        if !isUnstable(id) { directories[id].readsAstray += 1 }
        if isUnstable(id) { becamePolled(id, .stale) }
    }

    /// An event has named a directory, so whatever is found there now has come by that; or it is found by its number in another
    /// place. That is how directories move.
    func hasMoved(_ node: TreeNode) {
        if let id = directories.directory(at: node) { directories[id].readsAstray = 0 }
    }

    /// What is found under the name of such a directory is read as often as that one still might have been.
    func goOnAstray(_ name: UnsafeRawBufferPointer, in id: DirectoryID, _ readsAstray: UInt8) {
        guard let node = tree.child(of: directories[id].node, named: name),
            let found = directories.directory(at: node)
        else { return }
        directories[found].readsAstray = max(directories[found].readsAstray, readsAstray)
    }

    /// A look-up has found a directory under the name of one that is polled for that: it is taken for the same. False where it
    /// is not that.
    func foundUnstable(
        _ node: TreeNode, _ status: KernelStatus, extras: UnsafeRawBufferPointer?, origin: Origin
    ) -> Bool {
        guard let id = directories.directory(at: node), isUnstable(id), status.file.kind == .directory,
            !status.isMountRoot, knownDirectory(status.file, in: node.container) == nil
        else { return false }
        leaveBelow(node)
        removeChildren(of: node, origin: origin)
        endWatch(of: id)
        closeDescriptor(of: id)
        directories[id].flags.remove(.wasRead)
        (directories[id].device, directories[id].inode) = (status.file.device, status.file.inode)
        tell(node, status.file, extras: extras)
        count(origin) { $0.changed += 1 }
        return true
    }
}
