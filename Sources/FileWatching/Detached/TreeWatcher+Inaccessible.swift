// Directories that may not be read, or not be searched, any more: the entries below leave the tree until they may.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata

// A crawl finds nothing in a directory without the permissions to read and to search it. So nothing is known of one that
// loses either, whatever the kernel still tells by its watch and by those below: the entries leave the tree, and the watches
// below end. Its own stays where it had one, which tells of its times and of its permissions, as that of the directory above
// does of the latter. The identities of the entries are kept for as long as a directory of the container cannot be read, and
// those that are found again have them.
extension TreeWatcher {
    /// Whether a change of a directory may be one of its access rights. An access control list that is not read here
    /// shows in the time of change only; so does a rename.
    func mayDecideAccess(_ old: FileStatus, _ new: FileStatus) -> Bool {
        old.mode != new.mode || old.owner != new.owner || old.group != new.group || old.accessList != new.accessList
            || (old.changed != new.changed && old.modified == new.modified)
    }

    /// Looks whether a directory may still be read and searched. Returns whether it may not, and marks it inaccessible
    /// then. If an entry below it has left its name by a pending rename, it does so only after the queued events were
    /// read: the `IN_MOVED_TO` may name another place there. `attempts` of the look-up that finds it.
    func markIfInaccessible(_ id: DirectoryID, _ origin: Origin, attempts: UInt8 = 0) -> Bool {
        guard !directories[id].flags.contains(.inaccessible), let error = refusal(of: id) else { return false }
        if attempts < settings.limits.lookUpAttempts, !pendingRenames(below: directories[id].node).isEmpty,
            waitForNews(of: id, origin, attempts: attempts)
        {
            directories[id].flags.insert(.attributesReported)
            return true
        }
        markInaccessible(id, error, origin)
        return true
    }

    /// The pending renames out of a directory and those below.
    private func pendingRenames(below node: TreeNode) -> [PendingRename] {
        guard renames.waits(in: node.container) else { return [] }
        return renames.all.filter {
            $0.container == node.container && !$0.isDetached && directories.isAlive($0.directory)
                && isSelfOrAncestor(node, of: directories[$0.directory].node)
        }
    }

    /// Marks the directory inaccessible that refuses the way to another, which may be that one or one above it. Returns
    /// false where no directory in its place refuses: another has come there, and its event is still queued.
    func markRefusing(_ id: DirectoryID, _ error: SystemError, _ origin: Origin) -> Bool {
        // The open descriptors may belong to directories that have moved elsewhere.
        closeDescriptors(above: id)
        opening.lost.release(id.slot)
        var id = id
        while true {
            closeDescriptor(of: id)
            do throws(SystemError) {
                _ = try descriptor(of: id)
                guard let error = refusal(of: id) else { return false }
                markInaccessible(id, error, origin)
                return true
            } catch {
                if error.isLack {
                    fellShort(id, error)
                    return true
                }
                guard error.isRefusal else { return false }
                // The directory that holds the first one that could not be opened is the one that refuses.
                let refused = opening.lost.obstacle ?? id
                guard let parent = tree.parent(of: directories[refused].node) else {
                    markInaccessible(refused, error, origin)
                    return true
                }
                guard let above = directories.directory(at: parent) else { return false }
                id = above
            }
        }
    }

    /// Why a directory may not be read or not be searched; nil where it may, and where that cannot be told now. To open `.` in
    /// it takes both permissions.
    private func refusal(of id: DirectoryID) -> SystemError? {
        do throws(SystemError) {
            kernel.close(try kernel.openDirectory(".", beneath: try descriptor(of: id), access: .reading))
            return nil
        } catch {
            // Then it is read as soon as that is over.
            if error.isLack { fellShort(id, error) }
            return error.isRefusal ? error : nil
        }
    }

    /// A directory may not be read or not be searched: its known entries leave the tree. A root's container is
    /// unavailable then.
    func markInaccessible(_ id: DirectoryID, _ error: SystemError, _ origin: Origin) {
        becameUnreadable(id, error)
        let wasRead = directories[id].flags.remove(.wasRead) != nil
        directories[id].flags.insert(.inaccessible)
        // The result of a job under way is out of date.
        if directories[id].flags.contains(.reading) { directories[id].flags.insert(.inaccessibleMeanwhile) }
        let node = directories[id].node
        closeDescriptor(of: id)
        endPolling(id)
        if tree.parent(of: node) == nil {
            markRootInaccessible(id, error, origin, wasRead: wasRead)
        } else if tree.childCount(of: node) > 0 {
            detachPendingRenames(below: node)
            leaveBelow(node)
            detachBelow(node, origin)
        }
    }

    /// An event names an entry of an inaccessible directory: it is about the directory's own times, and about entries that a
    /// job under way may have read before.
    func handleEventInInaccessible(
        _ id: DirectoryID, _ event: InotifyEvent, name: UnsafeRawBufferPointer, _ origin: Origin
    ) {
        if directories[id].flags.contains(.reading) { hold(event, name: name, position: origin.position) }
        if event.mask.contains(.movedTo) { movedIntoInaccessible(id, event, name: name) }
        _ = lookPatiently(at: UnsafeRawBufferPointer(start: nil, count: 0), in: id, origin: origin)
    }

    /// A file that has left a directory, or one below it, is not out of sight with the entries there.
    func detachPendingRenames(below node: TreeNode) {
        for rename in pendingRenames(below: node) where directories.isAlive(rename.directory) {
            rename.name.withUnsafeBytes { _ = detach($0, in: rename.directory) }
        }
    }

    func detachBelow(_ node: TreeNode, _ origin: Origin) {
        let linked = linkedFiles(below: node)
        let keeps = fileIdentities.keepsBirthTime(tree.status(of: node))
        forgetProvisionalRows(below: node, mayComeAgain: keeps)
        let removed = keeps ? tree.detachInaccessible(node) : tree.removeChildren(of: node)
        count(origin) { $0.removed += removed }
        if keeps { uncertain.detached.insertInaccessible(in: node.container) }
        // If they were changed by names here, possibly no other event reports it.
        for file in linked { lookAtLinks(of: file, origin: origin) }
    }

    /// Nothing of a container can be read. Where its directory has no watch of its own that would tell of a change of its mode,
    /// the one above is watched for that, if it may be, and it is looked at once more behind that.
    private func markRootInaccessible(_ id: DirectoryID, _ error: SystemError, _ origin: Origin, wasRead: Bool) {
        guard let container = containers[directories.container(of: id)] else { return }
        container.place.setReadError(error)
        suspect(container.number, position: origin.position)
        let node = directories[id].node
        // Some entries of a large one come before it counts as read.
        guard wasRead || tree.childCount(of: node) > 0 || container.comparison?.isVerification == true else { return }
        // Where events were lost it is unknown whether a file has left, and the file is recognised when all is
        // verified.
        if container.comparison?.isInBackground != false { detachPendingRenames(below: node) }
        leaveBelow(node)
        abandonComparison(container)
        renames.removeAll(of: container.number)
        // Its known entries are verified when it can be read.
        container.knowledge.lose()
        detachAll(container)
        if wasRead { notices.append(.containerGone(container: container.number, error: error)) }
    }

    /// Another file is found under the name of one that came out of an inaccessible directory, and replaced an entry there. It
    /// shows that this one has gone on, so the entry's former identity ends. If the row was provisional it was never
    /// that file, which a queued event may bring.
    func endInaccessible(former: FileStatus, of node: TreeNode) {
        guard uncertain.detached.containersWithInaccessible.contains(node.container), former.links == 1,
            !former.kind.isDirectory,
            let file = likelyFile(of: node), fileIdentities.isSame(file, former)
        else { return }
        tree.endInaccessible(former.identity, in: node.container)
    }

    /// Ends the rows kept of inaccessible directories, where all can be read and have been.
    func endInaccessible() {
        guard !uncertain.detached.containersWithInaccessible.isEmpty, lookUps.isEmpty, deferredLookUps.isEmpty else {
            return
        }
        for number in uncertain.detached.containersWithInaccessible {
            if let container = containers[number] {
                if container.counts.unreadable > 0 || container.outstanding > 0 { continue }
                if let comparison = container.comparison, !comparison.isInBackground { continue }
                tree.endInaccessible(number)
            }
            uncertain.detached.removeInaccessible(number)
        }
    }

    /// The `IN_MOVED_TO` of a rename into an inaccessible directory: the file is out of sight like every entry of it, and comes
    /// back as the same item.
    func movedIntoInaccessible(_ id: DirectoryID, _ event: InotifyEvent, name: UnsafeRawBufferPointer) {
        guard let rename = renames.take(cookie: event.cookie) else { return }
        counters.movesPaired += 1
        guard directories.isAlive(rename.directory) else { return }
        rename.name.withUnsafeBytes { lookUps.addRenamed($0, in: rename.directory, origin: rename.origin) }
        let closed = directories[id].node
        guard !rename.isDetached,
            let node = rename.name.withUnsafeBytes({ tree.child(of: directories[rename.directory].node, named: $0) }),
            isRow(node, of: rename), !isSelfOrAncestor(node, of: closed)
        else { return }
        let isDirectory = tree.status(of: node).kind.isDirectory
        guard rename.container == closed.container, isDirectory || becomeLikely(node),
            tree.child(of: closed, named: name) == nil
        else {
            // It is another item elsewhere, or its former file is unknown.
            removeNode(node, origin: rename.origin)
            return
        }
        if isDirectory {
            detachPendingRenames(below: node)
            leave(node)
        }
        uncertain.provisional.forget(node)
        moveRow(node, to: closed, named: name)
        detachBelow(closed, rename.origin)
    }
}
