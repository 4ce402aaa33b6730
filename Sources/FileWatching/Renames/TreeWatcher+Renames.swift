// The two halves of a rename, and their effect on the rows they name.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata

extension TreeWatcher {
    /// The first half: keeps it until the second comes or its time is over.
    func movedFrom(_ id: DirectoryID, _ event: InotifyEvent, name: UnsafeRawBufferPointer, origin: Origin) {
        if ignoresNames, isIgnored(name, in: id) { return }
        if exchange.isSecond(event.cookie) {
            lookUps.addRenamed(name, in: id, origin: origin)
            return
        }
        // The directory that left this name before was not reported again, and another file leaves it now.
        let isUnseen = directoryWaits(name, in: id)
        if !isUnseen, !detach(name, in: id) { _ = halves.take(id, name) }
        var node = isUnseen ? nil : tree.child(of: directories[id].node, named: name)
        if let known = node, let record = provisionalRows.record(of: known, at: origin.cause), record.isLikely,
            lies(tree.status(of: known), name, in: id)
        {
            // The file that a look-up has found is there still: it came after the one of this event left.
            if record.isNew {
                provisionalRows.cameLater(known)
                node = nil
            } else {
                provisionalRows.doubt(known)
            }
        }
        // Where another process has heard it, all that waits was heard after it.
        if let node, origin.cause >= resumption.heard, isUnexpected(name, in: id), !provisionalRows.isTakenOver(node) {
            provisionalRows.doubt(node)
        }
        halves.append(
            RenameHalf(
                cookie: event.cookie, directory: id, container: directories[id].node.container, name: Array(name),
                identity: node.flatMap { likelyFile(of: $0, at: origin.cause) }.map {
                    self.fileIdentities.identity(of: $0)
                },
                hasRow: node != nil, isOutdated: node != nil && waits(name, in: id),
                deadline: kernel.now() &+ settings.renameWindow, origin: origin, isDetached: isUnseen))
        if let node { provisionalRows.left(node, tree.status(of: node), at: origin.cause) }
    }

    /// Whether something that was heard of a name, and was not looked at since, says why another file may be there.
    private func isUnexpected(_ name: UnsafeRawBufferPointer, in id: DirectoryID) -> Bool {
        lookUps.isUnexpected(name, in: id) || deferredLookUps.isUnexpected(name, in: id)
    }

    /// The second half. `following` are the records read behind it.
    func movedTo(
        _ id: DirectoryID, _ event: InotifyEvent, name: UnsafeRawBufferPointer, origin: Origin,
        following: UnsafeRawBufferPointer
    ) {
        let ignored = ignoresNames && isIgnored(name, in: id)
        if exchange.isSecond(event.cookie) {
            exchange.finish()
            if !ignored { lookUps.addRenamed(name, in: id, origin: origin) }
            return
        }
        guard let half = halves.take(cookie: event.cookie) else {
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
        if half.container != directories[id].node.container, hasLeft(id) {
            // The directory has come from another container itself, and is not known in its new place: the file that
            // left may be found by reading it there.
            halves.append(half)
            lookUps.add(name, in: id, origin: origin)
            return
        }
        counters.movesPaired += 1
        let isArrival = half.container != directories[id].node.container
        if directories.isAlive(half.directory) {
            if isArrival {
                let file = removeDeparted(half)
                if !ignored { cameFromContainer(name, in: id, by: file, event, half.origin) }
            } else if !ignored {
                rename(half, event, to: id, name: name, following: following)
            }
            // Where something is there, it has come since.
            half.name.withUnsafeBytes { lookUps.addRenamed($0, in: half.directory, origin: half.origin) }
        }
        // Where it is not there, it has moved on.
        if !ignored { lookUps.addRenamed(name, in: id, origin: half.origin, isArrival: isArrival) }
    }

    /// Whether a directory, or one above it, has left its known place for an unknown one.
    private func hasLeft(_ id: DirectoryID) -> Bool {
        guard let container = containers[directories.container(of: id)] else { return true }
        if container.comparison != nil { return !isInPlace(id) }
        guard halves.waits(in: container.number) else { return false }
        var node = directories[id].node
        while let parent = tree.parent(of: node), let above = directories.directory(at: parent) {
            var isLeft = false
            withName(of: node) { isLeft = halves.half(above, $0)?.hasRow == true }
            if isLeft { return true }
            node = parent
        }
        return false
    }

    /// Removes the row of a file that has gone to another container, whatever has its name now: it has another identity
    /// there, and when it comes back. Returns its status, where that is known for certain.
    private func removeDeparted(_ half: RenameHalf) -> FileStatus? {
        guard !half.isDetached,
            let node = half.name.withUnsafeBytes({ tree.child(of: directories[half.directory].node, named: $0) }),
            isRow(node, of: half)
        else { return nil }
        let file = heardFile(of: node, at: half.origin.cause)
        removeNode(node, origin: half.origin, hasEnded: true)
        return file
    }

    /// Gives the row its new place. It is only the likely truth: the look-ups of both names, which follow in this turn,
    /// correct the rows for later changes, and compare the inodes.
    private func rename(
        _ half: RenameHalf, _ event: InotifyEvent, to id: DirectoryID, name: UnsafeRawBufferPointer,
        following: UnsafeRawBufferPointer
    ) {
        let from = directories[half.directory].node
        let to = directories[id].node
        let isDirectory = event.mask.contains(.isDirectory)
        // The second pair of a save by exchange: the item of the document stays, and both names are looked at.
        if !isDirectory, half.directory == id, SaveName.complete.isName(name, of: half.name) { return }
        let isSave = isSave(half, event, name, in: id)
        if !isDirectory, waits(name, in: id) {
            unlinkedNames.lostUnseen(
                UnlinkedNames.Name(directory: id, hash: LookUpQueue.hash(name, id.slot)))
        }
        // If it had no row when it left, the entry now known under its name has come since.
        var source =
            half.isDetached || !half.hasRow ? nil : half.name.withUnsafeBytes { tree.child(of: from, named: $0) }
        if let known = source,
            tree.status(of: known).kind.isDirectory != isDirectory
                || (isDirectory && heardFile(of: known, at: half.origin.cause) == nil
                    && !provisionalRows.isTakenOver(known)
                    && !lies(tree.status(of: known), name, in: id))
        {
            source = nil
            if !half.name.withUnsafeBytes({ lies(tree.status(of: known), $0, in: half.directory) }) {
                // Something else had the name before, and no look-up was made since.
                if isSelfOrAncestor(known, of: to) { return }
                removeNode(known, origin: half.origin, isDisplaced: true)
            } else {
                provisionalRows.cameLater(known)
            }
        }
        let sign = !isSave && isOntoAnother(half, name, in: id) ? exchangeSign(half, id, name, following) : .isNone
        guard let source else {
            awaitMovingOn(from: id)
            if exchangeUnseen(half, name, in: id, sign) { return }
            // It was made and renamed before a look-up. The file that left the name may lie in it.
            let hasMadeWay = isDirectory && giveWay(name, in: id, to: half) || detach(name, in: id)
            if hasMadeWay { return }
            if isDirectory {
                takeOver(name, in: id, by: nil, origin: half.origin)
            } else if let target = tree.child(of: to, named: name), !tree.status(of: target).kind.isDirectory {
                provisionalRows.doubt(target)
            }
            return
        }
        if isSelfOrAncestor(source, of: to), source != to, !takeOut(of: source, what: to, beside: half) {
            // The directory to which it moved has left it before, for a place that no look-up has seen yet.
            halves.append(half)
            half.name.withUnsafeBytes { _ = detach($0, in: half.directory) }
            return
        }
        guard let target = tree.child(of: to, named: name) else {
            if !isSelfOrAncestor(source, of: to) {
                // The unseen file that came to the name changes places with it: it is looked up where it is then.
                if let cookie = cookieOfExchange(sign, source, name, id, at: half.origin.cause) {
                    exchange.expect(cookie)
                }
                noteBackup(source, leaving: half.name, in: half.directory, at: half.origin.cause)
                moveRow(source, to: to, named: name)
                provisionalRows.moved(source, at: half.origin.cause)
            }
            return
        }
        if source == target { return }
        // The directory that left the name held the source, which has left it by now.
        if isSelfOrAncestor(target, of: from), detach(name, in: id, for: source) {
            provisionalRows.moved(source, at: half.origin.cause)
            return
        }
        let sourceStatus = tree.status(of: source)
        let targetStatus = tree.status(of: target)
        let overlaps = isSelfOrAncestor(source, of: to) || isSelfOrAncestor(target, of: from)
        if !overlaps {
            if let waiting = halves.half(id, name), isRow(target, of: waiting) {
                // The target has left this name before, and was not heard of since: nothing replaces it. Until it is heard of
                // it waits under the name that is free now.
                if let cookie = cookieOfExchange(sign, source, name, id, at: half.origin.cause) {
                    exchange.expect(cookie)
                }
                exchangeRows(source, target)
                provisionalRows.moved(source, at: half.origin.cause)
                halves.move(id, name, to: half.directory, half.name)
                return
            }
            if let cookie = cookieOfExchange(sign, source, ontoAnother: true, name, id, at: half.origin.cause) {
                noteExchange(source, half, target, name, in: id)
                exchangeRows(source, target)
                for node in [source, target] { provisionalRows.moved(node, at: half.origin.cause) }
                exchange.expect(cookie)
                return
            }
        }
        let atSource = half.name.withUnsafeBytes { status(of: $0, in: half.directory) }
        let atTarget = status(of: name, in: id)
        let sourceFile = heardFile(of: source, at: half.origin.cause)
        let targetFile = heardFile(of: target, at: half.origin.cause)
        let isSame = { [fileIdentities] (found: KernelStatus?, file: FileStatus?) in
            guard let found, let file else { return false }
            return fileIdentities.isSame(found.file, file)
        }
        if !overlaps, !isDirectory, isNew(target, at: half.origin.cause), let sourceFile, sourceFile.links == 1,
            fileIdentities.isSame(targetStatus, sourceFile)
        {
            // A look has found it here before it was heard that it came.
            let removed = tree.remove(target)
            count(half.origin) { $0.removed += removed }
            provisionalRows.forget(target)
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
        let likelyTarget = likelyFile(of: target, at: half.origin.cause)
        let isThere = isSame(atSource, likelyTarget) || (targetStayed && !sourceArrived)
        let hasOneName =
            likelyTarget.map {
                $0.kind.isDirectory || ($0.links == 1 && !fileIdentities.isSame(sourceStatus, targetStatus))
            }
            ?? false
        if isThere, hasOneName, sign != .isNone {
            noteExchange(source, half, target, name, in: id)
            exchangeRows(source, target)
            for node in [source, target] { provisionalRows.moved(node, at: half.origin.cause) }
            awaitSecondPair(from: id, name, to: half.directory)
            return
        }
        if isNew(target, at: half.origin.cause) || isDirectory != targetStatus.kind.isDirectory {
            // Nothing is replaced. A look-up has made the target provisional, and by the events read the name is free; or
            // the moved file is of another kind, so rename(2) cannot have replaced the target, which has left.
            if isDirectory, targetStatus.kind.isDirectory, sourceFile == nil {
                replaceDirectory(source, with: target, origin: half.origin)
            } else {
                removeNode(target, origin: half.origin, isDisplaced: true)
            }
            moveRow(source, to: to, named: name)
            provisionalRows.moved(source, at: half.origin.cause)
            return
        }
        if isDirectory {
            // It has one name, so where it is nothing has replaced it: it was moved back, and the entry known under the
            // other name has come there since.
            if targetStayed, !sourceArrived { return }
            replaceDirectory(target, with: source, origin: half.origin)
        } else {
            unlinkedNames.lost(
                UnlinkedNames.Name(directory: id, hash: LookUpQueue.hash(name, id.slot)), of: targetStatus)
            tree.replace(target, with: source)
            unlinkedNames.came(sourceStatus, target)
            provisionalRows.replaced(target, by: source, at: half.origin.cause)
            if targetStatus.links > 1 { lookAtLinks(of: targetStatus, origin: half.origin) }
        }
    }
}
