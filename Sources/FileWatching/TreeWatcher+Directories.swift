// Entering and leaving directories, and their watches.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata

extension TreeWatcher {
    /// A look-up has found a directory under a name that nothing has.
    func directoryAppeared(
        _ name: UnsafeRawBufferPointer, in id: DirectoryID, _ status: KernelStatus, _ extras: UnsafeRawBufferPointer?,
        _ entry: LookUpQueue.Entry
    ) {
        let directory = directories[id].node
        // Where nobody knows which directory a row is now, what was found there before may be this one.
        let known = knownDirectory(status.file, in: directory.container).flatMap { ahead.isTakenOver($0) ? nil : $0 }
        // What has brought it may be queued, and be a rename onto another directory, whose identity goes on. One that is known
        // elsewhere waits for that once, whatever was heard of this name.
        let isElsewhere = known != nil && !lookUps.comparisons.contains(entry.origin.task)
        if entry.isExpected || (isElsewhere && entry.attempts == 0), waitForNews(entry, name: name) { return }
        guard let known else {
            guard let node = tree.insert(named: name, status: status.file, extras: extras, into: directory) else {
                return
            }
            noteFound(node, status.file, known: nil, isExpected: entry.isExpected)
            count(entry.origin) { $0.added += 1 }
            enter(node, status.file, origin: entry.origin)
            return
        }
        // It has one place only, so it has moved here, whatever became of the events.
        if isSelfOrAncestor(known, of: directory) {
            wait(entry, name: name)
            return
        }
        giveUpName(of: known)
        moveRow(known, to: directory, named: name)
        hasMoved(known)
        ahead.forget(known)
        let old = tree.status(of: known)
        tell(known, status.file, extras: extras)
        count(entry.origin) { $0.changed += 1 }
        foundDirectory(known, status, changedFrom: old, entry.origin)
    }

    /// Takes a directory under watch and has it read.
    func enter(_ node: TreeNode, _ status: FileStatus, origin: Origin) {
        let id = record(node, status)
        read(id, descends: true, origin: origin)
    }

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
            isPolledNoMore(id)
        }
        readings.forgetTouched(id)
        readings.endAwaiting(id)
        unstableDirectories.forget(id)
        lostDirectories.forget(id.slot)
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
            for number in containers { suspect(number, cause: causeNow) }
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

    /// A watch has ended. A thread that was given it may not have handed over yet what it has read.
    func noteGone(_ watch: Int32) {
        unknownWatches.remove(watch)
        guard tasksAreOutstanding else { return }
        watches.noteEnded(watch, limit: settings.limits.goneWatches, ticket: pool.tickets(1))
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
        if container.root == id, container.rootError != nil {
            container.rootError = nil
            if container.comparison?.isVerification == true {
                notices.append(.containerFound(container: container.number, isKnown: true))
            }
            // The directories above need not be watched for it any more.
            suspect(container.number, cause: causeNow)
        }
    }

    /// We are short of something, which says nothing of the directory: it is polled until it can be read.
    func fellShort(_ id: DirectoryID, _ error: SystemError) {
        becamePolled(id, .shortage(error))
    }
}
