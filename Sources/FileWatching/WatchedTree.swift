// The tree of known entries, which the watcher writes to.
// SPDX-License-Identifier: Apache-2.0

package import Metadata

/// The tree that a ``TreeWatcher`` keeps equal to the file system. All calls come on the watcher's loop, in order;
/// between two iterations the tree is consistent. Names are bytes: never empty, at most ``FileNameLimits/mostBytes``, without
/// `/` and NUL; the pointers are valid during the call only.
///
/// The kinds that the watcher hands over are the file system's, `.package` is never among them; a tree that presents
/// directories as packages says so itself, and may answer either kind in ``status(of:)``.
package protocol WatchedTree: AnyObject {
    /// The container's own directory, which exists as long as the container does and is never removed or moved.
    func root(of container: UInt32) -> TreeNode

    /// The entry of this name in a directory.
    func child(of directory: TreeNode, named name: UnsafeRawBufferPointer) -> TreeNode?

    /// The directory that holds an entry; nil for a root.
    func parent(of node: TreeNode) -> TreeNode?

    /// Appends the entry's name; nothing for a root.
    func appendName(of node: TreeNode, to bytes: inout [UInt8])

    /// Returns the last status set for an entry; anything for a root whose status was not set yet.
    func status(of node: TreeNode) -> FileStatus

    /// How many entries a directory has.
    func childCount(of directory: TreeNode) -> Int

    /// Calls with each entry of a directory, in any order. The tree is not changed meanwhile.
    func forEachChild(of directory: TreeNode, _ body: (TreeNode) -> Void)

    /// Calls with each directory below an entry, not with the entry itself, in any order. The tree is not changed
    /// meanwhile.
    func forEachDirectory(below node: TreeNode, _ body: (TreeNode) -> Void)

    /// Calls with each directory of a container but its root, and with its inode number, in any order. The tree is not
    /// changed meanwhile.
    func forEachDirectory(of container: UInt32, _ body: (TreeNode, InodeNumber) -> Void)

    /// Calls with each file below an entry that has more than one link, directories and the entry itself left out, in any
    /// order. The tree is not changed meanwhile.
    func forEachLinkedFile(below node: TreeNode, _ body: (TreeNode) -> Void)

    /// Calls with each entry that is known as this inode, where it is a directory or has more than one link; others may
    /// be left out. The tree is not changed meanwhile.
    func forEachNode(inode: UInt64, device: UInt64, in container: UInt32, _ body: (TreeNode) -> Void)

    /// Calls with each entry that is known as one of these inodes with one link only, directories left out: a file of
    /// which another name has come up. A search of the whole container, made once for all that an iteration has found.
    func forEachNodeWithOneLink(among inodes: Set<InodeNumber>, in container: UInt32, _ body: (TreeNode) -> Void)

    /// Adds an entry under a name that is free. `xattrs` are the bytes of its `ExtraAttributes`, nil where they were
    /// not read. Nil where the tree cannot take it.
    func insert(
        named name: UnsafeRawBufferPointer, status: FileStatus, xattrs: UnsafeRawBufferPointer?,
        into directory: TreeNode
    ) -> TreeNode?

    /// Adds entries of a directory, under names that are free: all of them, or some after others.
    func insertChildren(of directory: TreeNode, from batch: DirectoryBatch)

    /// Sets an entry's present status: another file of the same name too. Returns whether anything differs.
    @discardableResult
    func update(_ node: TreeNode, status: FileStatus) -> Bool

    /// Tells the bytes of an entry's `ExtraAttributes`. Returns whether they differ; none differ in nothing from unknown ones.
    @discardableResult
    func setXattrs(of node: TreeNode, to xattrs: UnsafeRawBufferPointer) -> Bool

    /// The `ExtraAttributes` of an entry that changed are not read here: the known ones are no longer right.
    func forgetXattrs(of node: TreeNode)

    /// Gives an entry another place, under a name that is free there; the entries below go with it.
    func move(_ node: TreeNode, to directory: TreeNode, named name: UnsafeRawBufferPointer)

    /// A rename over an existing entry: the target keeps its identity and place and takes the source's contents (for
    /// a directory: the entries below it too, which keep their handles), and the source's identity ends. A target
    /// directory has no entries then.
    func replace(_ target: TreeNode, with source: TreeNode)

    /// The two entries change places (`RENAME_EXCHANGE`); each keeps its identity and the entries below it.
    func exchange(_ a: TreeNode, _ b: TreeNode)

    /// Removes an entry and the entries below it; returns how many entries that were.
    @discardableResult
    func remove(_ node: TreeNode) -> Int

    /// The same of an entry that may only be elsewhere, and so may the entries below it: an entry that comes as one of
    /// these files, by device, inode and birth time, has its identity again, until ``endDetached(_:)``. The tree may keep
    /// those of some only. `isOutdated`: it was heard to have changed since its status was told. Says how many entries
    /// were removed.
    @discardableResult
    func detach(_ node: TreeNode, isOutdated: Bool) -> Int

    /// The same of all entries of a directory and the entries below them.
    @discardableResult
    func detachChildren(of directory: TreeNode) -> Int

    /// Ends the detached rows of a container that did not come again.
    func endDetached(_ container: UInt32)

    /// Returns the detached rows of a container, for another process that goes on with the tree: no more than so many
    /// bytes, those that went last. Empty where rows do not last that long.
    func savedDetached(of container: UInt32, limit: Int) -> [UInt8]

    /// Detaches rows that another process had detached. Rows for which that is impossible are left out.
    func restoreDetached(saved bytes: [UInt8], in container: UInt32)

    /// The same of a directory that may not be read any more: entries that come as one of these files have its identity again
    /// until ``endInaccessible(_:)``, those of files with several names where they lay; or until an entry goes that was told to
    /// be that file meanwhile, as one is that it has replaced. Those of files with several names end by no entry, and the tree
    /// may keep some of all only.
    @discardableResult
    func detachInaccessible(_ directory: TreeNode) -> Int

    /// All directories of a container can be read: rows detached with inaccessible ones that did not come again are gone.
    func endInaccessible(_ container: UInt32)

    /// The row detached with an inaccessible directory of this file, which has one name, is gone: an entry has been that file
    /// since, and is another now.
    func endInaccessible(_ file: FileIdentity, in container: UInt32)

    /// Removes all entries of a directory and the entries below them; returns how many entries that were.
    @discardableResult
    func removeChildren(of directory: TreeNode) -> Int

    /// The container's directory is lost: its entries leave the tree, to come back perhaps. Their handles mean nothing
    /// from then on.
    func detachAll(_ container: UInt32)

    /// The container's directory is there again. True where the tree has its earlier entries again: they are verified
    /// then. False where it has none, so that the container is crawled.
    func attachAll(_ container: UInt32) -> Bool

    /// A file system has another device number than before: they do not last across mounts and boots. Every status of
    /// the container with this device gets the other.
    func renumber(deviceFrom: UInt64, to device: UInt64, in container: UInt32)

    /// The entry of a row, by the number that its handle had in another process; nil where there is none, or where rows do not
    /// last that long.
    func node(row: UInt32, in container: UInt32) -> TreeNode?
}

extension WatchedTree {
    package func forEachDirectory(of container: UInt32, _ body: (TreeNode, InodeNumber) -> Void) {
        forEachDirectory(below: root(of: container)) { node in
            let status = status(of: node)
            body(node, InodeNumber(device: status.device, inode: status.inode))
        }
    }

    package func node(row: UInt32, in container: UInt32) -> TreeNode? { nil }
    package func savedDetached(of container: UInt32, limit: Int) -> [UInt8] { [] }
    package func restoreDetached(saved bytes: [UInt8], in container: UInt32) {}
}
