// Look-ups: what an entry is now, and what the tree must be told of it.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata

extension TreeWatcher {
    /// Makes the look-ups that are to be made at once, and those that they cause, as far as the turn's time goes: what
    /// is left comes first in the next turn.
    func runLookUps() {
        repeat {
            while !isTurnOver, let entry = lookUps.take(into: buffers.name) { look(at: entry) }
            settleLinks()
        } while !lookUps.isEmpty && !isTurnOver
    }

    /// Looks at an entry whose name is in `buffers`.
    func look(at entry: LookUpQueue.Entry) {
        iteration.noteLookUp()
        lookUps.lookedAt(entry, now: iteration.began, interval: settings.hotInterval)
        guard directories.isAlive(entry.directory) else { return }
        look(at: UnsafeRawBufferPointer(rebasing: buffers.name[..<Int(entry.length)]), entry)
    }

    private func look(at name: UnsafeRawBufferPointer, _ entry: LookUpQueue.Entry) {
        let id = entry.directory
        // What may be found in it by its name would be found by nobody who reads it.
        if !name.isEmpty, directories[id].flags.contains(.closed) { return }
        // It was an entry until its container was shared.
        if ignoresNames, !name.isEmpty, isIgnored(name, in: id) {
            if let child = tree.child(of: directories[id].node, named: name) { removeNode(child, origin: entry.origin) }
            return
        }
        // A name that has left by the first half of a rename is looked at when the second has come or has not. A barrier
        // that waits for what was heard of it before waits for that.
        if !halves.isEmpty, !name.isEmpty, halves.lowerCause(id, name, to: entry.origin.cause) { return }
        let directory: CInt
        do throws(SystemError) {
            directory = try descriptor(of: id)
        } catch {
            if !isRefused(id, error, entry.origin) { wait(entry, name: name) }
            return
        }
        counters.lookUps += 1
        if entry.origin.task == 0 { iteration.noteCause(entry.origin.cause) }
        guard let text = name.baseAddress?.assumingMemoryBound(to: CChar.self) else { return }
        let node = directories[id].node
        var status: KernelStatus
        do throws(SystemError) {
            status = try kernel.status(of: text, in: directory)
        } catch {
            if error == .noEntry, !name.isEmpty {
                guard let child = tree.child(of: node, named: name) else {
                    // What waited here for news had been seen, and may have had names in directories that are read meanwhile.
                    if entry.hasWaited { pool.raiseLinkEpoch() }
                    awaitMovingOn(from: id)
                    heardOfMissingName(name, in: id, entry)
                    return
                }
                if entry.isExpected || mayBeTold(entry), waitForNews(entry, name: name) { return }
                if let directory = directories.directory(at: child) {
                    if holdRemoval(of: directory, entry.origin) { return }
                } else if holdOwnRemoval(child, name, in: id, entry) || takeBack(child, entry) {
                    return
                }
                removeNode(child, origin: entry.origin, isOutdated: entry.isExpected)
            } else {
                refused(name, in: id, error, entry.origin)
            }
            return
        }
        if unlinkedNames.hasNames, entry.isTold { heardOfFormerName(in: id, entry) }
        let container = containers[node.container]
        container?.lookUps &+= 1
        let readsExtras = container?.options.readsExtras == true
        let extras = readsExtras ? readExtras(of: text, &status, in: directory, id) : nil
        if name.isEmpty {
            lookedAtDirectory(id, status, extras, entry)
            return
        }
        if let child = tree.child(of: node, named: name) {
            found(child, named: name, in: id, status, extras, entry)
        } else {
            appeared(name, in: id, status, extras, entry)
        }
    }

    /// The extras of an entry, with who may read them; nil where nothing can be said of them. Where that is for a failure, the
    /// directory is read again soon, and counts as inexact until then.
    private func readExtras(
        of name: UnsafePointer<CChar>, _ status: inout KernelStatus, in directory: CInt, _ id: DirectoryID
    ) -> UnsafeRawBufferPointer? {
        do throws(SystemError) {
            return try kernel.readExtras(of: name, &status, in: directory, into: buffers.extras)
        } catch {
            fellShort(id, error)
            return nil
        }
    }

    /// Tells the tree what an entry is now, and its extras with that. Where they are not known and the entry is not what it was,
    /// what was known of them is over; so is who may read them, which is asked for with them. Returns whether anything differs.
    @discardableResult
    func tell(_ node: TreeNode, _ status: FileStatus, extras: UnsafeRawBufferPointer?) -> Bool {
        guard let extras else {
            let known = tree.status(of: node)
            var same = status
            if !status.kind.isDirectory { same.accessList = known.accessList }
            if isEqual(known, same) { return false }
            let changed = tree.update(node, status: status)
            tree.forgetExtras(of: node)
            return changed
        }
        // What is being read of its directory may be older.
        if readings.hasTouched, let parent = tree.parent(of: node), let above = directories.directory(at: parent) {
            withName(of: node) { readings.touched($0, in: above) }
        }
        let changed = tree.update(node, status: status)
        return tree.setExtras(of: node, to: extras) || changed
    }

    /// A directory looked at through its own descriptor.
    private func lookedAtDirectory(
        _ id: DirectoryID, _ status: KernelStatus, _ extras: UnsafeRawBufferPointer?, _ entry: LookUpQueue.Entry
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
        heard(of: id, cause: entry.origin.cause)
        let isAccessTold = directories[id].flags.remove(.attributesTold) != nil
        let changed = tell(node, status.file, extras: extras)
        if changed { count(entry.origin) { $0.changed += 1 } }
        if isAccessTold {
            if closeIfRefused(id, entry.origin, attempts: entry.attempts) { return }
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

    /// An overlay copies a directory to its upper layer before it does so with what lies in it, and tells of neither: an
    /// entry that has got another birth time has its directory looked at, and that the one above.
    private func lookForCopying(of old: FileStatus, to new: FileStatus, in id: DirectoryID, _ origin: Origin) {
        guard old.created != new.created, !fileIdentities.keepsBirthTime(new) else { return }
        lookUps.add(UnsafeRawBufferPointer(start: nil, count: 0), in: id, origin: origin)
    }

    /// Whether a directory cannot be opened, or an entry in it be looked at, for reasons that waiting for a move does
    /// not end. The look-up is dropped: the directory is read, which tells what it is that refuses, and again when its mode
    /// or that of one above changes, or it is polled.
    func isRefused(_ id: DirectoryID, _ error: SystemError, _ origin: Origin) -> Bool {
        if error.isRefusal {
            let isNews = !directories[id].flags.contains(.unreadable)
            // It may be a directory above the container that refuses.
            if isNews { suspect(directories.container(of: id), cause: origin.cause) }
            becameUnreadable(id, error)
            if directories[id].flags.contains(.reading) {
                directories[id].flags.insert(.changedMeanwhile)
                awaitRead(of: id, cause: origin.cause)
            } else if isNews {
                read(id, descends: !directories[id].flags.contains(.wasRead), origin: origin)
            }
            return true
        }
        if error.isLack {
            fellShort(id, error)
            return true
        }
        return false
    }

    /// An entry cannot be looked at in a directory that is open. Where reading that has come to the same, and nothing else was
    /// refused, nobody sees the entry.
    private func refused(
        _ name: UnsafeRawBufferPointer, in id: DirectoryID, _ error: SystemError, _ origin: Origin
    ) {
        let wasKnown = directories[id].flags.contains(.unreadable) && !directories[id].flags.contains(.reading)
        guard isRefused(id, error, origin), wasKnown, !error.isLack, !name.isEmpty,
            let child = tree.child(of: directories[id].node, named: name)
        else { return }
        removeNode(child, origin: origin)
    }

    // MARK: What a look-up found

    private func found(
        _ child: TreeNode, named name: UnsafeRawBufferPointer, in id: DirectoryID, _ status: KernelStatus,
        _ extras: UnsafeRawBufferPointer?, _ entry: LookUpQueue.Entry
    ) {
        let old = tree.status(of: child)
        let isSame = fileIdentities.isSame(old, status.file)
        if entry.isTold, old.kind.isDirectory { hasMoved(child) }
        if !isSame, let exchanged = exchangeReplaced(child, name, in: id, status.file, entry.origin) {
            found(exchanged, named: name, in: id, status, extras, entry)
            return
        }
        if !isSame, mountChanged(child, from: old, to: status, extras: extras, entry.origin) { return }
        if !isSame, old.kind.isDirectory || status.file.kind == .directory {
            if foundTakenOver(child, status, extras: extras, origin: entry.origin) { return }
            if foundUnstable(child, status, extras: extras, origin: entry.origin) { return }
            // An event may have named it for something else, and what replaced it is still in the queue: the look-up waits
            // for that once, since a directory that is renamed onto another takes over its identity.
            let waits = entry.isExpected || (entry.attempts == 0 && entry.origin.task == 0) || mayBeTold(entry)
            if waits, waitForNews(entry, name: name, found: status.file) { return }
            let count = directories.directory(at: child).flatMap { unstableDirectories.count(of: $0) }
            removeNode(child, origin: entry.origin, isDisplaced: true)
            appeared(name, in: id, status, extras, entry)
            if let count { goOnAstray(name, in: id, count) }
            return
        }
        if !isSame, holdOwnReplacement(child, name, in: id, entry.origin) { return }
        if !isSame { endClosed(former: old, of: child) }
        if !isSame || !ahead.isEmpty {
            noteFound(child, status.file, known: old, isExpected: !entry.isUnexpected)
        }
        let changed = tell(child, status.file, extras: extras)
        if !changed, unlinkedNames.hasNames, entry.isTold { heardWithoutChange(in: id, entry) }
        if changed {
            count(entry.origin) { $0.changed += 1 }
            lookForCopying(of: old, to: status.file, in: id, entry.origin)
        }
        if status.file.kind == .directory {
            foundDirectory(child, status, changedFrom: changed ? old : nil, entry.origin)
            return
        }
        if !isSame, status.file.kind == .file || old.kind == .file {
            unlinkedNames.lost(UnlinkedNames.Name(directory: id, hash: entry.hash), of: old)
            unlinkedNames.came(status.file, child)
        }
        if !isSame, old.links > 1 { lookAtLinks(of: old, origin: entry.origin) }
        if changed, status.file.links > 1 || old.links > 1 {
            let isNews = !isSame || old.links != status.file.links
            tellLinks(of: status.file, extras: extras, searches: isNews, origin: entry.origin)
        }
    }

    func foundDirectory(
        _ node: TreeNode, _ status: KernelStatus, changedFrom old: FileStatus?, _ origin: Origin
    ) {
        guard let id = directories.directory(at: node) else {
            if !status.isMountRoot { enter(node, status.file, origin: origin) }
            return
        }
        if status.isMountRoot {
            // Something was mounted over it: what lies below cannot be seen any more.
            leave(node)
            removeChildren(of: node, origin: origin)
            return
        }
        placeChanged(node)
        heard(of: id, cause: origin.cause)
        let flags = directories[id].flags
        // What reads it for the first time may have been asked for by what has come later than this.
        let isFirstOnItsWay = flags.contains(.reading) && !flags.contains(.wasRead)
        if isFirstOnItsWay || flags.contains(.needsReading), !isUnstable(id) {
            read(id, descends: true, origin: origin)
        }
        if let old { directoryChanged(id, from: old, to: status.file, origin: origin) }
    }

    /// A directory has changed: it may be closed now; or if it could not be read, it may be now, and so may those below it if
    /// that was a change of its mode, its owner or its place.
    func directoryChanged(_ id: DirectoryID, from old: FileStatus, to new: FileStatus, origin: Origin) {
        let decidesAccess = mayDecideAccess(old, new)
        if decidesAccess, closeIfRefused(id, origin) { return }
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
            if directories[id].flags.contains(.unreadable) { awaitRead(of: id, cause: origin.cause) }
        } else if directories[id].flags.contains(.unreadable) {
            read(id, descends: true, origin: origin)
        }
    }

    private func appeared(
        _ name: UnsafeRawBufferPointer, in id: DirectoryID, _ status: KernelStatus, _ extras: UnsafeRawBufferPointer?,
        _ entry: LookUpQueue.Entry
    ) {
        let directory = directories[id].node
        if status.file.kind == .directory, !status.isMountRoot {
            directoryAppeared(name, in: id, status, extras, entry)
            return
        }
        // What has left another name may have been there in between, where a third was replaced by it. The second half, which says
        // so, may be queued: it waits for that once, whatever was heard of this name.
        if entry.isExpected || entry.attempts == 0, !entry.isArrival,
            halves.contains(fileIdentities.identity(of: status.file)),
            waitForNews(entry, name: name, found: status.file)
        {
            return
        }
        if !entry.isArrival, let source = movedSource(of: status.file, in: directory.container) {
            tree.move(source, to: directory, named: name)
            ahead.forget(source)
            tell(source, status.file, extras: extras)
            count(entry.origin) { $0.changed += 1 }
            // A rename changes the inode too, whatever other names it has.
            if status.file.links > 1 {
                tellLinks(of: status.file, extras: extras, searches: true, origin: entry.origin)
            }
            return
        }
        if entry.isExpected,
            holdAddition(name, of: status.file, in: id, entry.origin)
                || waitForNews(entry, name: name, found: status.file)
        {
            return
        }
        guard let node = tree.insert(named: name, status: status.file, extras: extras, into: directory) else { return }
        unlinkedNames.came(status.file, node)
        noteFound(node, status.file, known: nil, isExpected: entry.isExpected)
        count(entry.origin) { $0.added += 1 }
        if status.file.links > 1 { tellLinks(of: status.file, extras: extras, searches: true, origin: entry.origin) }
    }

    /// The entry that is known as this directory, wherever it is known to lie.
    func knownDirectory(_ status: FileStatus, in container: UInt32) -> TreeNode? {
        var known: TreeNode?
        let root = tree.root(of: container)
        tree.forEachNode(inode: status.inode, device: status.device, in: container) { node in
            if node != root, known == nil { known = node }
        }
        guard let known, fileIdentities.isSame(tree.status(of: known), status) else { return nil }
        return known
    }

    // MARK: Removals

    /// Removes an entry with what lies below it, and has the other names of its files looked at.
    /// `isOutdated`: it was heard to have changed since it was looked at. `hasEnded`: its identity has ended, whatever comes of
    /// those below.
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
        // A row of which nobody knows the file is known by its name, and may never have been the file that was found there. What
        // was found in it is known by its files all the same.
        let mayComeAgain = isKept && !hasEnded && likelyFile(of: node) != nil
        var removed = 0
        if status.kind.isDirectory {
            forgetAhead(below: node, mayComeAgain: isKept)
            if isKept, !mayComeAgain { removed += tree.setAsideChildren(of: node) }
        }
        // What a closed directory held ends with the row that has its file since: that must be the one that goes.
        let isKnownAgain = mayComeAgain || detachedRows.closedContainers.contains(node.container)
        if isKnownAgain, !status.kind.isDirectory { _ = becomeLikely(node) }
        removed += mayComeAgain ? tree.setAside(node, isOutdated: isOutdated) : tree.remove(node)
        // The row is free for another.
        ahead.forget(node)
        count(origin) { $0.removed += removed }
        for file in linked { lookAtLinks(of: file, origin: origin) }
    }

    func removeChildren(of node: TreeNode, origin: Origin) {
        let linked = linkedFiles(below: node)
        let isKept = keepsIdentities(node.container, tree.status(of: node), isDisplaced: true)
        forgetAhead(below: node, mayComeAgain: isKept)
        let removed = isKept ? tree.setAsideChildren(of: node) : tree.removeChildren(of: node)
        count(origin) { $0.removed += removed }
        for file in linked { lookAtLinks(of: file, origin: origin) }
    }

    func count(_ origin: Origin, _ change: (inout ComparisonCounts) -> Void) {
        guard origin.task != 0, let container = readings[origin.task]?.container,
            var counts = container.comparison?.counts, container.comparison?.task == origin.task
        else { return }
        change(&counts)
        container.comparison?.counts = counts
    }
}
