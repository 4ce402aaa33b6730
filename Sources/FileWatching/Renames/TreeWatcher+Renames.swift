// The two events of a rename, and their effect on the rows they name.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata

extension TreeWatcher {
    /// `IN_MOVED_FROM`: the rename is pending until its `IN_MOVED_TO` comes or its time is over.
    func movedFrom(_ id: DirectoryID, _ event: InotifyEvent, name: UnsafeRawBufferPointer, origin: Origin) {
        if ignoresNames, isIgnored(name, in: id) { return }
        if applied.exchange.isSecond(event.cookie) {
            lookUps.addRenamed(name, in: id, origin: origin)
            return
        }
        // The directory that left this name before was not reported again, and another file leaves it now.
        let isUnseen = directoryWaits(name, in: id)
        if !isUnseen, !detach(name, in: id) { _ = renames.take(id, name) }
        var node = isUnseen ? nil : tree.child(of: directories[id].node, named: name)
        if let known = node, let record = uncertain.provisional.record(of: known, at: origin.position), record.isLikely,
            lies(tree.status(of: known), name, in: id)
        {
            // The file that a look-up has found is there still: it came after the one of this event left.
            if record.isNew {
                uncertain.provisional.cameLater(known)
                node = nil
            } else {
                uncertain.provisional.doubt(known)
            }
        }
        // Where another process has heard it, all that waits was heard after it.
        if let node, origin.position >= resumption.received, isUnexpected(name, in: id),
            !uncertain.provisional.isTakenOver(node)
        {
            uncertain.provisional.doubt(node)
        }
        renames.append(
            PendingRename(
                cookie: event.cookie, directory: id, container: directories[id].node.container, name: Array(name),
                identity: node.flatMap { likelyFile(of: $0, at: origin.position) }.map {
                    self.fileIdentities.identity(of: $0)
                },
                hasRow: node != nil, isOutdated: node != nil && waits(name, in: id),
                deadline: kernel.now() &+ settings.renameWindow, origin: origin, isDetached: isUnseen))
        if let node { uncertain.provisional.left(node, tree.status(of: node), at: origin.position) }
    }

    /// Whether something that was heard of a name, and was not looked at since, says why another file may be there.
    private func isUnexpected(_ name: UnsafeRawBufferPointer, in id: DirectoryID) -> Bool {
        lookUps.isUnexpected(name, in: id) || deferredLookUps.isUnexpected(name, in: id)
    }

    /// `IN_MOVED_TO`. `following` are the records read behind it.
    func movedTo(
        _ id: DirectoryID, _ event: InotifyEvent, name: UnsafeRawBufferPointer, origin: Origin,
        following: UnsafeRawBufferPointer
    ) {
        let ignored = ignoresNames && isIgnored(name, in: id)
        if applied.exchange.isSecond(event.cookie) {
            applied.exchange.finish()
            if !ignored { lookUps.addRenamed(name, in: id, origin: origin) }
            return
        }
        guard let rename = renames.take(cookie: event.cookie) else {
            if !ignored {
                counters.movesUnpaired += 1
                cameFromElsewhere(name, in: id, event, origin, following)
                awaitMovingOn(from: id)
                // The identity of a replaced file goes to the one that came: if that is not there, it has moved on. It
                // may also have come from a directory that a listing comparison has not reached, whose watch may be
                // new.
                let isKnown = tree.child(of: directories[id].node, named: name) != nil
                let isExpected = isKnown || isBesideListing(containers[directories.container(of: id)])
                lookUps.add(name, in: id, origin: origin, isExpected: isExpected)
            }
            return
        }
        if rename.container != directories[id].node.container, hasLeft(id) {
            // The directory has come from another container itself, and is not known in its new place: the file that
            // left may be found by reading it there.
            renames.append(rename)
            lookUps.add(name, in: id, origin: origin)
            return
        }
        counters.movesPaired += 1
        let isArrival = rename.container != directories[id].node.container
        if directories.isAlive(rename.directory) {
            if isArrival {
                let file = removeDeparted(rename)
                if !ignored { cameFromContainer(name, in: id, by: file, event, rename.origin) }
            } else if !ignored {
                complete(rename, event, to: id, name: name, following: following)
            }
            // Where something is there, it has come since.
            rename.name.withUnsafeBytes { lookUps.addRenamed($0, in: rename.directory, origin: rename.origin) }
        }
        // Where it is not there, it has moved on.
        if !ignored { lookUps.addRenamed(name, in: id, origin: rename.origin, isArrival: isArrival) }
    }

    /// Whether a directory, or one above it, has left its known place for an unknown one.
    private func hasLeft(_ id: DirectoryID) -> Bool {
        guard let container = containers[directories.container(of: id)] else { return true }
        if container.comparison != nil { return !isInPlace(id) }
        guard renames.waits(in: container.number) else { return false }
        var node = directories[id].node
        while let parent = tree.parent(of: node), let above = directories.directory(at: parent) {
            var isLeft = false
            withName(of: node) { isLeft = renames.pending(above, $0)?.hasRow == true }
            if isLeft { return true }
            node = parent
        }
        return false
    }

    /// Removes the row of a file that has gone to another container, whatever has its name now: it has another identity
    /// there, and when it comes back. Returns its status, where that is known for certain.
    private func removeDeparted(_ rename: PendingRename) -> FileStatus? {
        guard !rename.isDetached,
            let node = rename.name.withUnsafeBytes({ tree.child(of: directories[rename.directory].node, named: $0) }),
            isRow(node, of: rename)
        else { return nil }
        let file = receivedFile(of: node, at: rename.origin.position)
        removeNode(node, origin: rename.origin, hasEnded: true)
        return file
    }

    /// Gives the row its new place. It is only the likely truth: the look-ups of both names, which follow in this iteration,
    /// correct the rows for later changes, and compare the inodes.
    private func complete(
        _ rename: PendingRename, _ event: InotifyEvent, to id: DirectoryID, name: UnsafeRawBufferPointer,
        following: UnsafeRawBufferPointer
    ) {
        let from = directories[rename.directory].node
        let to = directories[id].node
        let isDirectory = event.mask.contains(.isDirectory)
        // The second pair of a save by exchange: the item of the document stays, and both names are looked at.
        if !isDirectory, rename.directory == id, SaveName.complete.isName(name, of: rename.name) { return }
        let isSave = isSave(rename, event, name, in: id)
        if !isDirectory, waits(name, in: id) {
            hardLinks.unlinked.lostUnseen(
                UnlinkedNames.Name(directory: id, hash: LookUpQueue.hash(name, id.slot)))
        }
        // If it had no row when it left, the entry now known under its name has come since.
        var source =
            rename.isDetached || !rename.hasRow ? nil : rename.name.withUnsafeBytes { tree.child(of: from, named: $0) }
        if let known = source,
            tree.status(of: known).kind.isDirectory != isDirectory
                || (isDirectory && receivedFile(of: known, at: rename.origin.position) == nil
                    && !uncertain.provisional.isTakenOver(known)
                    && !lies(tree.status(of: known), name, in: id))
        {
            source = nil
            if !rename.name.withUnsafeBytes({ lies(tree.status(of: known), $0, in: rename.directory) }) {
                // Something else had the name before, and no look-up was made since.
                if isSelfOrAncestor(known, of: to) { return }
                removeNode(known, origin: rename.origin, isDisplaced: true)
            } else {
                uncertain.provisional.cameLater(known)
            }
        }
        let sign = !isSave && isOntoAnother(rename, name, in: id) ? exchangeSign(rename, id, name, following) : .isNone
        guard let source else {
            awaitMovingOn(from: id)
            if exchangeUnseen(rename, name, in: id, sign) { return }
            // It was made and renamed before a look-up. The file that left the name may lie in it.
            let hasMadeWay = isDirectory && giveWay(name, in: id, to: rename) || detach(name, in: id)
            if hasMadeWay { return }
            if isDirectory {
                takeOver(name, in: id, by: nil, origin: rename.origin)
            } else if let target = tree.child(of: to, named: name), !tree.status(of: target).kind.isDirectory {
                uncertain.provisional.doubt(target)
            }
            return
        }
        if isSelfOrAncestor(source, of: to), source != to, !takeOut(of: source, what: to, beside: rename) {
            // The directory to which it moved has left it before, for a place that no look-up has seen yet.
            renames.append(rename)
            rename.name.withUnsafeBytes { _ = detach($0, in: rename.directory) }
            return
        }
        guard let target = tree.child(of: to, named: name) else {
            if !isSelfOrAncestor(source, of: to) {
                // The unseen file that came to the name changes places with it: it is looked up where it is then.
                if let cookie = cookieOfExchange(sign, source, name, id, at: rename.origin.position) {
                    applied.exchange.expect(cookie)
                }
                noteBackup(source, leaving: rename.name, in: rename.directory, at: rename.origin.position)
                moveRow(source, to: to, named: name)
                uncertain.provisional.moved(source, at: rename.origin.position)
            }
            return
        }
        if source == target { return }
        // The directory that left the name held the source, which has left it by now.
        if isSelfOrAncestor(target, of: from), detach(name, in: id, for: source) {
            uncertain.provisional.moved(source, at: rename.origin.position)
            return
        }
        let sourceStatus = tree.status(of: source)
        let targetStatus = tree.status(of: target)
        let overlaps = isSelfOrAncestor(source, of: to) || isSelfOrAncestor(target, of: from)
        if !overlaps {
            if let waiting = renames.pending(id, name), isRow(target, of: waiting) {
                // The target has left this name before, and was not heard of since: nothing replaces it. Until it is heard of
                // it waits under the name that is free now.
                if let cookie = cookieOfExchange(sign, source, name, id, at: rename.origin.position) {
                    applied.exchange.expect(cookie)
                }
                exchangeRows(source, target)
                uncertain.provisional.moved(source, at: rename.origin.position)
                renames.move(id, name, to: rename.directory, rename.name)
                return
            }
            if let cookie = cookieOfExchange(sign, source, ontoAnother: true, name, id, at: rename.origin.position) {
                noteExchange(source, rename, target, name, in: id)
                exchangeRows(source, target)
                for node in [source, target] { uncertain.provisional.moved(node, at: rename.origin.position) }
                applied.exchange.expect(cookie)
                return
            }
        }
        let atSource = rename.name.withUnsafeBytes { status(of: $0, in: rename.directory) }
        let atTarget = status(of: name, in: id)
        let sourceFile = receivedFile(of: source, at: rename.origin.position)
        let targetFile = receivedFile(of: target, at: rename.origin.position)
        let isSame = { [fileIdentities] (found: KernelStatus?, file: FileStatus?) in
            guard let found, let file else { return false }
            return fileIdentities.isSame(found.file, file)
        }
        if !overlaps, !isDirectory, isNew(target, at: rename.origin.position), let sourceFile, sourceFile.links == 1,
            fileIdentities.isSame(targetStatus, sourceFile)
        {
            // A look has found it here before it was heard that it came.
            let removed = tree.remove(target)
            count(rename.origin) { $0.removed += removed }
            uncertain.provisional.forget(target)
            moveRow(source, to: to, named: name)
            return
        }
        let targetStayed = isSame(atTarget, targetFile)
        // An exchange comes as two pairs; the second finds everything in place. So does a rename onto one of several names of a
        // file, and back, when another of them has come to that since.
        let lostName = (targetFile?.links ?? 1) > (atTarget?.file.links ?? 1) || sign == .isTakenAgain
        let isAnotherName = targetFile.map { $0.links > 1 && !$0.kind.isDirectory } == true && lostName
        if isSame(atSource, sourceFile), targetStayed, !isAnotherName { return }
        if overlaps { return }
        let sourceArrived = atTarget == nil || isSame(atTarget, sourceFile) || (sourceFile == nil && !targetStayed)
        // A replaced file is nowhere, unless it has another name: so where it is, this is the first pair of an
        // exchange. If it is still in its place, it was moved back.
        let likelyTarget = likelyFile(of: target, at: rename.origin.position)
        let isThere = isSame(atSource, likelyTarget) || (targetStayed && !sourceArrived)
        let hasOneName =
            likelyTarget.map {
                $0.kind.isDirectory || ($0.links == 1 && !fileIdentities.isSame(sourceStatus, targetStatus))
            }
            ?? false
        if isThere, hasOneName, sign != .isNone {
            noteExchange(source, rename, target, name, in: id)
            exchangeRows(source, target)
            for node in [source, target] { uncertain.provisional.moved(node, at: rename.origin.position) }
            awaitSecondPair(from: id, name, to: rename.directory)
            return
        }
        if isNew(target, at: rename.origin.position) || isDirectory != targetStatus.kind.isDirectory {
            // Nothing is replaced. A look-up has made the target provisional, and by the events read the name is free; or
            // the moved file is of another kind, so rename(2) cannot have replaced the target, which has left.
            if isDirectory, targetStatus.kind.isDirectory, sourceFile == nil {
                replaceDirectory(source, with: target, origin: rename.origin)
            } else {
                removeNode(target, origin: rename.origin, isDisplaced: true)
            }
            moveRow(source, to: to, named: name)
            uncertain.provisional.moved(source, at: rename.origin.position)
            return
        }
        if isDirectory {
            // It has one name, so where it is nothing has replaced it: it was moved back, and the entry known under the
            // other name has come there since.
            if targetStayed, !sourceArrived { return }
            replaceDirectory(target, with: source, origin: rename.origin)
        } else {
            hardLinks.unlinked.lost(
                UnlinkedNames.Name(directory: id, hash: LookUpQueue.hash(name, id.slot)), of: targetStatus)
            tree.replace(target, with: source)
            hardLinks.unlinked.came(sourceStatus, target)
            uncertain.provisional.replaced(target, by: source, at: rename.origin.position)
            if targetStatus.links > 1 { lookAtLinks(of: targetStatus, origin: rename.origin) }
        }
    }
}
