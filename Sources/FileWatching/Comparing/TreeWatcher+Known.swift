// Containers that are known from before: parked while their directory is away, and verified when it is there.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata

extension TreeWatcher {
    /// The entries of a container leave the tree while its directory is away or cannot be read.
    func park(_ container: WatchedContainer) {
        guard container.isKnown, !container.isParked else { return }
        container.isParked = true
        ahead.forget { $0.container == container.number }
        detachedRows.removeClosed(container.number)
        tree.park(container.number)
    }

    /// Whether a directory is the root of a container whose entries have left the tree.
    func isParkedRoot(_ id: DirectoryID) -> Bool {
        guard let container = containers[directories.container(of: id)] else { return false }
        return container.isParked && container.root == id
    }

    /// The root of a container whose entries have left the tree was read. They come back, if the tree has kept them, and are
    /// verified, or the container is crawled. The root is read once more for that, with the directories below.
    ///
    /// Until a root was read nothing says that it may be: each attempt would bring back all entries, only to have them leave
    /// again. And entries that come back while the container counts as unavailable would be published before they are
    /// verified (``WatchedContainer/state``).
    func bringBack(_ root: DirectoryID, cause: UInt64) {
        guard let container = containers[directories.container(of: root)], container.isParked else { return }
        container.isParked = false
        container.isKnown = tree.unpark(container.number)
        directories[root].flags.remove(.closed)
        readRoot(root, of: container, cause: cause)
        becameReadable(root)
    }

    /// Begins to compare what is known of a container with its directory, every directory of which is watched and read
    /// on the way. The threads go down from the root by themselves, as in a crawl, and what they come by gets its
    /// record; a directory that is not where it was is read where it is found. What is known is of a time before all that
    /// was asked, so that every barrier waits, whatever has caused this.
    func verify(_ container: WatchedContainer, _ root: DirectoryID) {
        container.isKnown = false
        container.wasCrawled = true
        let task = newComparisonTask(for: container, cause: 0)
        abandonComparison(container)
        container.comparison = Comparison(task: task, isPoll: false, isVerification: true, queue: [root])
        stepComparisons()
    }

    /// The same directory on a file system that has got another number: everything on it is what it was.
    func adoptDevice(of found: FileStatus, in container: WatchedContainer) {
        let known = tree.status(of: tree.root(of: container.number))
        guard known.device != found.device, known.inode == found.inode,
            fileIdentities.haveSameBirth(known, found)
        else { return }
        tree.renumber(deviceFrom: known.device, to: found.device, in: container.number)
    }

    /// The same for a directory below, as of a subvolume, which has a number of its own without being mounted.
    func adoptDevice(of found: FileStatus, for child: TreeNode, known: FileStatus) -> Bool {
        guard known.device != found.device, known.kind.isDirectory, found.kind == .directory,
            known.inode == found.inode, let created = known.created, created == found.created,
            containers[child.container]?.comparison?.isVerification == true
        else { return false }
        let root = tree.status(of: tree.root(of: child.container))
        guard known.device != root.device, found.device != root.device else { return false }
        tree.renumber(deviceFrom: known.device, to: found.device, in: child.container)
        directories.renumber(deviceFrom: known.device, to: found.device, in: child.container)
        return true
    }

    // MARK: Names that other files have

    /// Keeps for later what a comparison has found under the name of another file: the one that was known may have
    /// moved, and is recognised in its new place only while its row is there.
    func holdReplacement(
        _ directory: DirectoryID, _ name: UnsafeRawBufferPointer, of known: TreeNode, in container: WatchedContainer
    ) {
        container.comparison?.missing.add(directory, Array(name), likelyIdentity(of: known), isReplaced: true)
    }

    /// Whether a file that was found under the name of another, which is still known there, has its own row under a
    /// name that is taken as well: then the two rows change places, and each is looked at in its new one.
    func exchangeReplaced(
        _ child: TreeNode, _ name: UnsafeRawBufferPointer, in id: DirectoryID, _ status: FileStatus, _ origin: Origin
    ) -> TreeNode? {
        // No copy of the comparison is held here: its tables would be copied with each change to them.
        guard let container = containers[child.container], container.comparison?.phase == .replacements,
            container.comparison?.task == origin.task
        else { return nil }
        let old = tree.status(of: child)
        let other: TreeNode
        if status.kind == .directory {
            guard let known = knownDirectory(status, in: child.container) else { return nil }
            other = known
        } else {
            guard container.comparison?.missing.isReplaced(fileIdentities.identity(of: status)) == true,
                let known = movedSource(of: status, in: child.container)
            else { return nil }
            other = known
            container.comparison?.missing.exchange(
                fileIdentities.identity(of: status), with: fileIdentities.identity(of: old))
        }
        guard other != child, !isSelfOrAncestor(other, of: child), !isSelfOrAncestor(child, of: other) else {
            return nil
        }
        exchangeRows(child, other)
        for node in [child, other] { ahead.forget(node) }
        // Where the other was.
        if let parent = tree.parent(of: child), let above = directories.directory(at: parent) {
            withName(of: child) { lookUps.add($0, in: above, origin: origin) }
        }
        return other
    }
}
