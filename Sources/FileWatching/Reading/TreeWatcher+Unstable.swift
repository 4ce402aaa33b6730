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
    func isUnstable(_ id: DirectoryID) -> Bool {
        unstableDirectories.contains(id)
    }

    /// Something else was found where a directory was to be read.
    func noteAstray(_ id: DirectoryID) {
        guard unstableDirectories.note(id) else { return }
        // What it tells is looked for in vain: the way to it leads to another.
        endWatch(of: id)
        closeDescriptor(of: id)
        becamePolled(id, .unstable)
    }

    /// An event has named a directory, so whatever is found there now, or on the way to what lies below, has come by that; or it
    /// is found by its number in another place. That is how directories move.
    func hasMoved(_ node: TreeNode) {
        for id in unstableDirectories.all where isSelfOrAncestor(node, of: directories[id].node) {
            // What is polled already is read again at once; of all others a look-up is on its way.
            if isUnstable(id), directories[id].node != node { lookAtPlace(of: id, origin: Origin(cause: causeNow)) }
            unstableDirectories.forget(id)
        }
    }

    /// What is found under the name of such a directory is read as often as that one still might have been.
    func goOnAstray(_ name: UnsafeRawBufferPointer, in id: DirectoryID, _ count: UInt8) {
        guard let node = tree.child(of: directories[id].node, named: name),
            let found = directories.directory(at: node), !directories[found].flags.contains(.wasRead)
        else { return }
        unstableDirectories.raise(found, to: count)
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
        // What is on its way has been to the other one.
        if directories[id].flags.contains(.reading) { directories[id].flags.insert(.closedMeanwhile) }
        (directories[id].device, directories[id].inode) = (status.file.device, status.file.inode)
        placeChanged(node)
        tell(node, status.file, extras: extras)
        count(origin) { $0.changed += 1 }
        return true
    }
}
