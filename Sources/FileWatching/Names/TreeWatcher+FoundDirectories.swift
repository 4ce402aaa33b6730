// Directories that a look-up found: new ones, those that changed, and those that are another each time, which are polled, so
// that they are not read without end.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata

// A directory is known by its inode number, and one that is read where another was found has moved: its place is looked
// at, and the directory there now is read. If a file system has no stable numbers, or fails to open the entries that it
// lists, that has no end. Only the lack of an event that names it tells it from a directory that really moves. So after
// some such readings in a row (``WatchLimits/readsAstray``) it keeps its row, without anything below, and is read again
// with the polled directories.
extension TreeWatcher {
    /// A look-up has found a directory under a name that nothing has.
    func directoryAppeared(
        _ name: UnsafeRawBufferPointer, in id: DirectoryID, _ status: KernelStatus, _ xattrs: UnsafeRawBufferPointer?,
        _ entry: LookUpQueue.Entry
    ) {
        let directory = directories[id].node
        // If a row's present directory is unknown, the one found there before may be this one.
        let known = knownDirectory(status.file, in: directory.container).flatMap {
            uncertain.provisional.isTakenOver($0) ? nil : $0
        }
        // The event that reports it may be queued, and be a rename onto another directory, whose identity goes on. One
        // that is known elsewhere waits for that once, whatever was heard of this name.
        let isElsewhere = known != nil && !lookUps.comparisons.contains(entry.origin.task)
        if entry.isExpected || (isElsewhere && entry.attempts == 0), waitForNews(entry, name: name) { return }
        guard let known else {
            guard let node = tree.insert(named: name, status: status.file, xattrs: xattrs, into: directory) else {
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
        uncertain.provisional.forget(known)
        let old = tree.status(of: known)
        publish(known, status.file, xattrs: xattrs)
        count(entry.origin) { $0.changed += 1 }
        foundDirectory(known, status, changedFrom: old, entry.origin)
    }

    /// Takes a directory under watch and has it read.
    func enter(_ node: TreeNode, _ status: FileStatus, origin: Origin) {
        let id = record(node, status)
        read(id, descends: true, origin: origin)
    }

    func foundDirectory(
        _ node: TreeNode, _ status: KernelStatus, changedFrom old: FileStatus?, _ origin: Origin
    ) {
        guard let id = directories.directory(at: node) else {
            if !status.isMountRoot { enter(node, status.file, origin: origin) }
            return
        }
        if status.isMountRoot {
            // Something was mounted over it: the entries below cannot be seen any more.
            leave(node)
            removeChildren(of: node, origin: origin)
            return
        }
        placeChanged(node)
        noteEvent(in: id, position: origin.position)
        let flags = directories[id].flags
        // A later event may have asked for its first reading.
        let isFirstOnItsWay = flags.contains(.reading) && !flags.contains(.wasRead)
        if isFirstOnItsWay || flags.contains(.needsReading), !isUnstable(id) {
            read(id, descends: true, origin: origin)
        }
        if let old { directoryChanged(id, from: old, to: status.file, origin: origin) }
    }

    /// A directory has changed: it may be inaccessible now; or if it could not be read, it may be now, and so may those below
    /// it if that was a change of its mode, its owner or its place.
    func directoryChanged(_ id: DirectoryID, from old: FileStatus, to new: FileStatus, origin: Origin) {
        let decidesAccess = mayDecideAccess(old, new)
        if decidesAccess, markIfInaccessible(id, origin) { return }
        guard !directories.unreadable.isEmpty || directories[id].flags.contains(.reading) else { return }
        readAgainIfUnreadable(id, origin: origin)
        guard decidesAccess else { return }
        let node = directories[id].node
        for other in directories.unreadable where other != id && isSelfOrAncestor(node, of: directories[other].node) {
            readAgainIfUnreadable(other, origin: origin)
        }
    }

    /// The refusal of a job that is on its way may be older than the change.
    private func readAgainIfUnreadable(_ id: DirectoryID, origin: Origin) {
        if directories[id].flags.contains(.reading) {
            directories[id].flags.insert(.changedMeanwhile)
            if directories[id].flags.contains(.unreadable) { awaitRead(of: id, position: origin.position) }
        } else if directories[id].flags.contains(.unreadable) {
            read(id, descends: true, origin: origin)
        }
    }

    /// A directory looked at through its own descriptor.
    func lookedAtDirectory(
        _ id: DirectoryID, _ status: KernelStatus, _ xattrs: UnsafeRawBufferPointer?, _ entry: LookUpQueue.Entry
    ) {
        // It has been removed and only our descriptor keeps it: its name will say so.
        if status.file.links == 0 {
            lookAtPlace(of: id, origin: entry.origin, isExpected: true)
            return
        }
        let node = directories[id].node
        let old = tree.status(of: node)
        if old.inode == status.file.inode, !fileIdentities.haveSameBirth(old, status.file), tree.parent(of: node) != nil
        {
            // Another has its place and its inode.
            closeDescriptor(of: id)
            return lookAtPlace(of: id, origin: entry.origin, isExpected: true)
        }
        noteEvent(in: id, position: entry.origin.position)
        let isAccessReported = directories[id].flags.remove(.attributesReported) != nil
        let changed = publish(node, status.file, xattrs: xattrs)
        if changed { count(entry.origin) { $0.changed += 1 } }
        if isAccessReported {
            if markIfInaccessible(id, entry.origin, attempts: entry.attempts) { return }
            // It may have been refused, and be allowed again, within one tick of the clock: nothing of it shows then.
            readAgainIfUnreadable(id, origin: entry.origin)
        }
        if changed {
            directoryChanged(id, from: old, to: status.file, origin: entry.origin)
            if let parent = tree.parent(of: node), let above = directories.directory(at: parent) {
                lookForCopying(of: old, to: status.file, in: above, entry.origin)
            }
        }
    }

    /// An overlay copies a directory to its upper layer before it copies an entry of it, and reports neither: an entry
    /// that has got another birth time has its directory looked at, and that the one above.
    func lookForCopying(of old: FileStatus, to new: FileStatus, in id: DirectoryID, _ origin: Origin) {
        guard old.created != new.created, !fileIdentities.keepsBirthTime(new) else { return }
        lookUps.add(UnsafeRawBufferPointer(start: nil, count: 0), in: id, origin: origin)
    }

    /// A look-up has found a directory under the name of one that is polled for that: it is taken for the same. False where it
    /// is not that.
    func foundUnstable(
        _ node: TreeNode, _ status: KernelStatus, xattrs: UnsafeRawBufferPointer?, origin: Origin
    ) -> Bool {
        guard let id = directories.directory(at: node), isUnstable(id), status.file.kind == .directory,
            !status.isMountRoot, knownDirectory(status.file, in: node.container) == nil
        else { return false }
        leaveBelow(node)
        removeChildren(of: node, origin: origin)
        endWatch(of: id)
        closeDescriptor(of: id)
        directories[id].flags.remove(.wasRead)
        // The result under way is of the other directory.
        if directories[id].flags.contains(.reading) { directories[id].flags.insert(.inaccessibleMeanwhile) }
        (directories[id].device, directories[id].inode) = (status.file.device, status.file.inode)
        placeChanged(node)
        publish(node, status.file, xattrs: xattrs)
        count(origin) { $0.changed += 1 }
        return true
    }
}
