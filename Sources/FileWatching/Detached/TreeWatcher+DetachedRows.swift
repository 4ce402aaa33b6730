// Detaches rows whose files may only be elsewhere: their identities are kept until every name was looked at.
// SPDX-License-Identifier: Apache-2.0

import Metadata

// A row whose file has left its name by a pending rename stands there until more is heard: the file may lie
// in a directory that is being read. Its place may be wanted before that: something else takes the name, the directory
// goes, or it is moved below the file that has left it. Then the row leaves the tree, and its pending rename goes on
// waiting without. A crawl or a look-up that finds its file later inserts an entry. The tree recognises that entry by
// device, inode and birth time; so it does the entries below, which are read again. The same holds for whatever else is
// removed while renames are pending and directories are being read.
extension TreeWatcher {
    /// Whether a row is still that of the file of a pending rename.
    func isRow(_ node: TreeNode, of rename: PendingRename) -> Bool {
        rename.hasRow && rename.identity == likelyIdentity(of: node)
    }

    /// Whether the row of a directory that has left a name is there still. It need not make way for an entry that was
    /// not seen: events of the entries in it go on arriving.
    func directoryWaits(_ name: UnsafeRawBufferPointer, in id: DirectoryID) -> Bool {
        guard let rename = renames.pending(id, name), let node = tree.child(of: directories[id].node, named: name)
        else {
            return false
        }
        return tree.status(of: node).kind.isDirectory && isRow(node, of: rename)
    }

    /// Has the row of the file that has left a name make way. False where nothing has left it, or its row is not that
    /// any more.
    func detach(_ name: UnsafeRawBufferPointer, in id: DirectoryID) -> Bool {
        guard let rename = renames.pending(id, name),
            let node = tree.child(of: directories[id].node, named: name), isRow(node, of: rename)
        else { return false }
        renames.detach(id, name)
        removeNode(node, origin: rename.origin, isDisplaced: true, isOutdated: rename.isOutdated)
        return true
    }

    /// The same for a directory, where an entry that lay in it (`node`) takes its name: that entry stays in the tree.
    func detach(_ name: UnsafeRawBufferPointer, in id: DirectoryID, for node: TreeNode) -> Bool {
        let place = directories[id].node
        guard let rename = renames.pending(id, name), let directory = tree.child(of: place, named: name),
            isRow(directory, of: rename)
        else { return false }
        // It is taken out first, to a name that is free: no reader sees that name, since the row gets the other at
        // once.
        var beside: [UInt8] = []
        repeat {
            beside.append(UInt8(ascii: "~"))
        } while beside.withUnsafeBytes { tree.child(of: place, named: $0) } != nil
        guard beside.count <= WatchLimits.nameLength else { return false }
        beside.withUnsafeBytes { moveRow(node, to: place, named: $0) }
        _ = detach(name, in: id)
        moveRow(node, to: place, named: name)
        return true
    }

    /// The same for a directory that something comes onto from a name where nothing is: there its row waits. Events in
    /// it since then, as of a file saved by a rename, are still to be looked up where it is found.
    func giveWay(_ name: UnsafeRawBufferPointer, in id: DirectoryID, to rename: PendingRename) -> Bool {
        guard let node = tree.child(of: directories[id].node, named: name), tree.status(of: node).kind.isDirectory,
            !isSelfOrAncestor(node, of: directories[rename.directory].node)
        else { return false }
        return rename.name.withUnsafeBytes { hasWait(node, left: name, in: id, by: $0, in: rename.directory) }
    }

    /// The same for a directory that has left another (`source`), which moves now into it or below it (`place`): it waits by
    /// its own name beside where that was. False where nothing has left, or something has that name there.
    func takeOut(of source: TreeNode, what place: TreeNode, beside rename: PendingRename) -> Bool {
        var node = place
        while node != source, let parent = tree.parent(of: node) {
            var isOut = false
            if let id = directories.directory(at: parent) {
                withName(of: node) { isOut = hasWait(node, left: $0, in: id, by: $0, in: rename.directory) }
            }
            if isOut { return true }
            node = parent
        }
        return false
    }

    /// Has the row of a file that has left its name wait by another in a directory, where nothing is. False where it
    /// has not left.
    private func hasWait(
        _ node: TreeNode, left name: UnsafeRawBufferPointer, in id: DirectoryID, by newName: UnsafeRawBufferPointer,
        in directory: DirectoryID
    ) -> Bool {
        let place = directories[directory].node
        guard let waiting = renames.pending(id, name), isRow(node, of: waiting),
            tree.child(of: place, named: newName) == nil, renames.pending(directory, newName) == nil
        else { return false }
        moveRow(node, to: place, named: newName)
        renames.move(id, name, to: directory, Array(newName))
        // A look-up of the former name may have been left to the `IN_MOVED_TO`, which looks at the new one.
        lookUps.addRenamed(name, in: id, origin: waiting.origin)
        return true
    }

    /// The file that left its name was found elsewhere: an entry that has taken the name since need not wait for the
    /// `IN_MOVED_TO`.
    func giveUpName(of node: TreeNode) {
        guard !renames.isEmpty, let parent = tree.parent(of: node), let id = directories.directory(at: parent)
        else { return }
        withName(of: node) { name in
            guard let rename = renames.pending(id, name), isRow(node, of: rename) else { return }
            renames.detach(id, name)
            lookUps.addRenamed(name, in: id, origin: rename.origin)
        }
    }

    /// Whether the file of a removed entry may be elsewhere, where no look-up has been yet. If so, notes that the
    /// container has detached rows. `isDisplaced`: no event reported the file as gone; only another file is in its
    /// place. The event of its move may be queued.
    func keepsIdentities(_ number: UInt32, _ status: FileStatus, isDisplaced: Bool) -> Bool {
        guard let container = containers[number], isDisplaced || isUnsettled(container),
            fileIdentities.keepsBirthTime(status)
        else {
            return false
        }
        uncertain.detached.insert(in: number, receivedBefore: isDisplaced ? position + queuedBytes() : nil)
        return true
    }

    /// Something without a row has come to a name in a directory, or has left it before a look-up. It may be a detached
    /// row's file: the events queued at the end of the iteration show where it went.
    func awaitMovingOn(from id: DirectoryID) {
        uncertain.detached.awaitMovingOn(from: id)
    }

    /// Once an iteration, however many such names there were: each directory is opened for it, so that there may be too many of them
    /// for one iteration. No detached row ends before the last.
    private func finishMovingOn() {
        guard uncertain.detached.isAwaitingMovingOn else { return }
        for id in uncertain.detached.takeMovedOn(atMost: WatchLimits.movedOnPerIteration) where directories.isAlive(id)
        {
            if let directory = try? descriptor(of: id) { kernel.finishRenames(in: directory) }
        }
        uncertain.detached.waitedForRenames(before: position + queuedBytes())
    }

    private func isUnsettled(_ container: WatchedContainer) -> Bool {
        uncertain.detached.isAwaitingNews(at: position) || container.outstanding > 0
            || renames.waits(in: container.number) || !deferredLookUps.isEmpty
            || container.comparison?.isInBackground == false
    }

    /// Ends the detached rows that did not come again, where nothing is under way that could bring them. The tree keeps
    /// only some of very many such rows, so that they end there even where something is always under way.
    func endDetached() {
        guard !uncertain.detached.containers.isEmpty, lookUps.isEmpty else { return }
        finishMovingOn()
        for number in uncertain.detached.containers {
            if let container = containers[number] {
                if isUnsettled(container) { continue }
                tree.endDetached(number)
            }
            uncertain.detached.remove(number)
        }
    }

    /// Removes an entry with the entries below it, and has the other names of its files looked at. `isOutdated`: it was
    /// heard to have changed since it was looked at. `hasEnded`: its identity has ended, whatever comes of those below.
    func removeNode(
        _ node: TreeNode, origin: Origin, isDisplaced: Bool = false, isOutdated: Bool = false, hasEnded: Bool = false
    ) {
        let status = tree.status(of: node)
        var linked: [FileStatus] = []
        if status.kind.isDirectory {
            linked = linkedFiles(below: node)
            leave(node)
        } else if status.links > 1 {
            linked = [status]
            noteLostName(of: node, status)
        }
        let isKept = keepsIdentities(node.container, status, isDisplaced: isDisplaced)
        // A row of unknown file is known by its name, and may never have been the file that was found there. The
        // entries found in it are known by their files all the same.
        let mayComeAgain = isKept && !hasEnded && likelyFile(of: node) != nil
        var removed = 0
        if status.kind.isDirectory {
            forgetProvisionalRows(below: node, mayComeAgain: isKept)
            if isKept, !mayComeAgain { removed += tree.detachChildren(of: node) }
        }
        // A row of an inaccessible directory ends with the row that has its file since: that must be the one that goes.
        let isKnownAgain = mayComeAgain || uncertain.detached.containersWithInaccessible.contains(node.container)
        if isKnownAgain, !status.kind.isDirectory { _ = becomeLikely(node) }
        removed += mayComeAgain ? tree.detach(node, isOutdated: isOutdated) : tree.remove(node)
        // The row is free for another.
        uncertain.provisional.forget(node)
        count(origin) { $0.removed += removed }
        for file in linked { lookAtLinks(of: file, origin: origin) }
    }

    func removeChildren(of node: TreeNode, origin: Origin) {
        let linked = linkedFiles(below: node)
        let isKept = keepsIdentities(node.container, tree.status(of: node), isDisplaced: true)
        forgetProvisionalRows(below: node, mayComeAgain: isKept)
        let removed = isKept ? tree.detachChildren(of: node) : tree.removeChildren(of: node)
        count(origin) { $0.removed += removed }
        for file in linked { lookAtLinks(of: file, origin: origin) }
    }
}
