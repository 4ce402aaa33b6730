// The directories of the tree: their records, their watches, and those that are polled for want of one.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata

extension TreeWatcher {
    /// Makes the record of a directory that is in the tree.
    func record(_ node: TreeNode, _ status: FileStatus) -> DirectoryID {
        if let known = directories.directory(at: node) { return known }
        containers[node.container]?.counts.directories += 1
        let id = directories.insert(node: node, device: status.device, inode: status.inode)
        // It will be read from now on, so that a comparison under way need not wait for it: else one would never end
        // where directories are made all the time.
        directories[id].round = pool.currentRound
        return id
    }

    /// Lets go of a directory and those below it: before they leave the tree.
    func leave(_ node: TreeNode) {
        if directories.directory(at: node) != nil || tree.childCount(of: node) > 0 { leaveBelow(node) }
        forget(node)
    }

    /// Lets go of the directories below one.
    func leaveBelow(_ node: TreeNode) {
        var below: [TreeNode] = []
        tree.forEachDirectory(below: node) { below.append($0) }
        for directory in below { forget(directory) }
    }

    /// Lets go of one directory.
    func forget(_ node: TreeNode) {
        guard let id = directories.directory(at: node) else { return }
        endWatch(of: id)
        closeDescriptorLater(of: id)
        if let container = containers[node.container] {
            container.counts.directories -= 1
            if directories.setUnreadable(id, false) { container.counts.unreadable -= 1 }
            endPolling(id)
        }
        readings.forgetTouched(id)
        readings.endAwaiting(id)
        readings.unstable.forget(id)
        opening.lost.forget(id.slot)
        // Look-ups in it bring nothing.
        deferredLookUps.directoryLeft()
        directories.remove(id)
    }

    /// A directory wants its watch no more.
    func endWatch(of id: DirectoryID) {
        let watch = directories[id].watch
        guard watch >= 0 else { return }
        setWatch(id, to: -1)
        if let containers = roots.ancestor(watch)?.containers {
            // It stays, and tells more than is needed from now on.
            roots.setMask(.directory, of: watch)
            for number in containers { suspect(number, position: positionNow) }
        } else {
            watches.unwant(watch)
        }
    }

    func setWatch(_ id: DirectoryID, to watch: Int32) {
        let old = directories[id].watch
        guard old != watch else { return }
        directories.setWatch(id, to: watch)
        guard let container = containers[directories.container(of: id)] else { return }
        if old >= 0 { container.counts.watches -= 1 }
        if watch >= 0 { container.counts.watches += 1 }
    }

    /// Ends the watches of directories that were left, a slice at a time: each queues an `IN_IGNORED`, and too many at
    /// once would overflow the queue.
    func removeUnwantedWatches() {
        guard watches.canRemove(at: position) else { return }
        let taken = watches.takeUnwanted(atMost: max(kernel.queueLimit / 4, 1), at: position) {
            directories.directory(watch: $0) != nil || roots.ancestor($0) != nil
        }
        for watch in taken {
            noteGone(watch)
            // EINVAL: it has ended by itself, with its directory.
            try? kernel.removeWatch(watch)
            releaseWatch(watch)
        }
        watches.removed(before: position + queuedBytes())
    }

    func becameUnreadable(_ id: DirectoryID, _ error: SystemError) {
        guard directories.setUnreadable(id, true) else { return }
        let node = directories[id].node
        containers[node.container]?.counts.unreadable += 1
        notices.append(.unreadable(container: node.container, path: path(of: node), error: error))
    }

    func becameReadable(_ id: DirectoryID) {
        guard directories.setUnreadable(id, false) else { return }
        guard let container = containers[directories.container(of: id)] else { return }
        container.counts.unreadable -= 1
        if container.root == id, container.place.readError != nil {
            container.place.setReadError(nil)
            if container.comparison?.isVerification == true {
                notices.append(.containerFound(container: container.number, isKnown: true))
            }
            // The directories above need not be watched for it any more.
            suspect(container.number, position: positionNow)
        }
    }

    /// How many watches there are, over all containers.
    package var watchCount: Int { watches.count }

    /// How many watches there may be, over all containers; nil where that is not known.
    package var watchLimit: Int? { watches.budget.limitNow }

    func releaseWatch(_ watch: Int32) {
        if watches.release(watch) { watches.balanceSoon(now: kernel.now()) }
    }

    func noteDepth(of id: DirectoryID) {
        guard let parent = tree.parent(of: directories[id].node), let above = directories.directory(at: parent) else {
            return
        }
        directories[id].depth = min(directories[above].depth, .max - 1) + 1
    }

    /// Something else was found where a directory was to be read.
    func noteAstray(_ id: DirectoryID) {
        guard readings.unstable.note(id) else { return }
        // A change that its watch reports is looked for in vain: the way to it leads to another.
        endWatch(of: id)
        closeDescriptor(of: id)
        becamePolled(id, .unstable)
    }

    /// An event has named a directory, so whatever is found there now, or on the way to those below, has come by that;
    /// or it is found by its number in another place. That is how directories move.
    func hasMoved(_ node: TreeNode) {
        for id in readings.unstable.all where isSelfOrAncestor(node, of: directories[id].node) {
            // A directory that is polled already is read again at once; a look-up of each other is on its way.
            if isUnstable(id), directories[id].node != node {
                lookAtPlace(of: id, origin: Origin(position: positionNow))
            }
            readings.unstable.forget(id)
        }
    }

    /// A directory found under the name of such a directory is read as often as that one still might have been.
    func goOnAstray(_ name: UnsafeRawBufferPointer, in id: DirectoryID, _ count: UInt8) {
        guard let node = tree.child(of: directories[id].node, named: name),
            let found = directories.directory(at: node), !directories[found].flags.contains(.wasRead)
        else { return }
        readings.unstable.raise(found, to: count)
    }
}
