// The two halves of a rename, and what becomes of the rows they name.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata

extension TreeWatcher {
    /// The first half: keeps it until the second comes or its time is over.
    func movedFrom(_ id: DirectoryID, _ event: InotifyEvent, name: UnsafeRawBufferPointer, origin: Origin) {
        if ignoresNames, isIgnored(name, in: id) { return }
        if event.cookie == exchangeCookie, exchangeCookie != 0 {
            lookUps.add(name, in: id, origin: origin)
            return
        }
        // What left this name before has not been heard of again, and what leaves it now is something else.
        if !setAside(name, in: id) { _ = halves.take(id, name) }
        let node = tree.child(of: directories[id].node, named: name)
        halves.append(
            RenameHalf(
                cookie: event.cookie, directory: id, container: directories[id].node.container, name: Array(name),
                identity: node.map { self.identity(of: tree.status(of: $0)) },
                isAhead: node.map { isAhead($0, of: origin) } ?? false, deadline: kernel.now() &+ settings.renameWindow,
                origin: origin))
    }

    /// The second half. `following` is what was read behind it.
    func movedTo(
        _ id: DirectoryID, _ event: InotifyEvent, name: UnsafeRawBufferPointer, origin: Origin,
        following: UnsafeRawBufferPointer
    ) {
        let ignored = ignoresNames && isIgnored(name, in: id)
        if event.cookie == exchangeCookie, exchangeCookie != 0 {
            exchangeCookie = 0
            if !ignored { lookUps.add(name, in: id, origin: origin, isExpected: true) }
            return
        }
        guard let half = halves.take(cookie: event.cookie) else {
            if !ignored {
                counters.movesUnpaired += 1
                if event.mask.contains(.isDirectory) { takeOver(name, in: id, origin: origin) }
                // What was replaced goes on as what has come: where that is not there, it has moved on.
                let isKnown = tree.child(of: directories[id].node, named: name) != nil
                lookUps.add(name, in: id, origin: origin, isExpected: isKnown)
            }
            return
        }
        if half.container != directories[id].node.container, !isInPlace(id) {
            // The directory has come from another container itself, and is not known in its new place: what is read there
            // may be what has left.
            halves.append(half)
            lookUps.add(name, in: id, origin: origin)
            return
        }
        counters.movesPaired += 1
        if directories.isAlive(half.directory) {
            if half.container == directories[id].node.container, !ignored {
                rename(half, to: id, name: name, following: following)
            } else if !ignored, event.mask.contains(.isDirectory) {
                takeOver(name, in: id, origin: half.origin)
            }
            // Where something is there, it has come since.
            half.name.withUnsafeBytes { lookUps.addRenamed($0, in: half.directory, origin: half.origin) }
        }
        // Where it is not there, it has moved on.
        if !ignored { lookUps.addRenamed(name, in: id, origin: half.origin) }
    }

    /// Gives the row its new place. It is only the likely truth: the look-ups of both names, which follow in this turn,
    /// put right what happened since, and compare the inodes.
    private func rename(
        _ half: RenameHalf, to id: DirectoryID, name: UnsafeRawBufferPointer, following: UnsafeRawBufferPointer
    ) {
        let from = directories[half.directory].node
        let to = directories[id].node
        guard !half.isAside, let source = half.name.withUnsafeBytes({ tree.child(of: from, named: $0) }) else {
            // It was made and renamed before anybody looked. What has left the name may lie in it.
            if !setAside(name, in: id) { takeOver(name, in: id, origin: half.origin) }
            return
        }
        // What its row knows came to the name that it leaves, and is not looked for in the one that it gets.
        if isAhead(source, of: half.origin) { setAhead(source, until: position + queuedBytes()) }
        if isSelfOrAncestor(source, of: to), source != to {
            // The directory to which it moved has left it before, to where nobody has looked yet.
            halves.append(half)
            half.name.withUnsafeBytes { _ = setAside($0, in: half.directory) }
            return
        }
        guard let target = tree.child(of: to, named: name) else {
            if !isSelfOrAncestor(source, of: to) { tree.move(source, to: to, named: name) }
            return
        }
        if source == target { return }
        // What has left the name held the source, which has left it by now.
        if isSelfOrAncestor(target, of: from), setAside(name, in: id) { return }
        let sourceStatus = tree.status(of: source)
        let targetStatus = tree.status(of: target)
        let overlaps = isSelfOrAncestor(source, of: to) || isSelfOrAncestor(target, of: from)
        if !overlaps {
            if let file = halves.file(id, name), file == identity(of: targetStatus) {
                // The target has left this name before, and was not heard of since: nothing replaces it. Until it is heard of
                // it waits under the name that is free now.
                tree.exchange(source, target)
                halves.move(id, name, to: half.directory, half.name)
                return
            }
            if let cookie = exchange(half, id, name, sourceStatus, following) {
                tree.exchange(source, target)
                exchangeCookie = cookie
                return
            }
        }
        let atSource = half.name.withUnsafeBytes { status(of: $0, in: half.directory) }
        let atTarget = status(of: name, in: id)
        let sourceStayed = atSource.map { isSameFile($0.file, sourceStatus) } ?? false
        let targetStayed = atTarget.map { isSameFile($0.file, targetStatus) } ?? false
        // An exchange comes as two pairs; the second finds everything in place. So does a rename of which the rows know already
        // what followed it: `mv s a; mv a b` and another a, looked at when all of it was done.
        let areAhead = isAhead(source, of: half.origin) || isAhead(target, of: half.origin)
        if sourceStayed, targetStayed, !areAhead { return }
        if overlaps { return }
        let sourceArrived = atTarget.map { isSameFile($0.file, sourceStatus) } ?? true
        // Nor was the target replaced where it is still there: of an exchange the first half has been moved on since. Unless
        // what its row knows came after this, and was only looked at before.
        let isAhead = isAhead(target, of: half.origin) || isNoExchange(half, id, name, following)
        if targetStayed, !sourceArrived, !isAhead { return }
        if let atSource, sourceArrived, isSameFile(atSource.file, targetStatus) {
            tree.exchange(source, target)
            return
        }
        if sourceStatus.kind.isDirectory != targetStatus.kind.isDirectory {
            // rename(2) lets neither replace the other, so one of the rows is out of date: the source's, where something
            // else has come. The look-ups see to it.
            guard sourceArrived else { return }
            removeNode(target, origin: half.origin, isDisplaced: true)
            tree.move(source, to: to, named: name)
        } else if sourceStatus.kind.isDirectory {
            replaceDirectory(target, with: source, origin: half.origin)
        } else {
            tree.replace(target, with: source)
            // Its own row is free for another.
            if let end = ahead.removeValue(forKey: source) { ahead[target] = end }
            // It knows another file by that name, which came after.
            if sourceStayed { setAhead(target, until: position + queuedBytes()) }
            if targetStatus.links > 1 { lookAtLinks(of: targetStatus, origin: half.origin) }
        }
    }

    /// A look has found another file under a name, and what has brought it there may be queued still.
    func noteAhead(_ node: TreeNode) {
        let queued = queuedBytes()
        guard queued > 0 else { return }
        setAhead(node, until: position + queued)
    }

    private func setAhead(_ node: TreeNode, until end: UInt64) {
        aheadPosition = max(aheadPosition, end)
        ahead[node] = end
    }

    /// Whether what follows a rename shows that it is not the first pair of an exchange: while that is made, nothing else is
    /// told of the two directories.
    private func isNoExchange(
        _ half: RenameHalf, _ id: DirectoryID, _ name: UnsafeRawBufferPointer, _ following: UnsafeRawBufferPointer
    ) -> Bool {
        let (there, here) = (directories[half.directory].watch, directories[id].watch)
        var offset = 0
        for _ in 0..<WatchLimits.eventsAhead {
            guard let event = InotifyEvent(in: following, at: &offset) else { return false }
            guard event.nameLength > 0, event.watch == here || event.watch == there else { continue }
            let named = event.name(in: following)
            return !event.mask.contains(.movedFrom) || event.watch != here || !named.elementsEqual(name)
        }
        return false
    }

    /// Lets go of those that were heard of since, between two reads. Under constant renames there are always some that were not.
    func forgetAhead() {
        if ahead.isEmpty { return }
        if position >= aheadPosition {
            ahead = [:]
        } else if ahead.count >= aheadLimit {
            ahead = ahead.filter { $0.value > position }
        } else {
            return
        }
        aheadLimit = max(WatchLimits.leastAhead, 2 * ahead.count)
    }

    /// Whether a row knows a file that may have come after what an event tells.
    private func isAhead(_ node: TreeNode, of origin: Origin) -> Bool {
        ahead[node].map { origin.cause < $0 } ?? false
    }

    /// Whether the second half of a rename onto an entry is the first pair of an exchange: then the cookie of the second
    /// pair, which follows at once. `mv a b; mv b a` has the same four events. After that nothing is called b, so whatever
    /// is told of b next tells which it was: that it was made, or came, or something else; where nothing is told, a look.
    private func exchange(
        _ half: RenameHalf, _ id: DirectoryID, _ name: UnsafeRawBufferPointer, _ source: FileStatus,
        _ following: UnsafeRawBufferPointer
    ) -> UInt32? {
        let (there, here) = (directories[half.directory].watch, directories[id].watch)
        var offset = 0
        var cookie: UInt32?
        var isPair = false
        for _ in 0..<WatchLimits.eventsAhead {
            guard let event = InotifyEvent(in: following, at: &offset) else { break }
            if event.nameLength == 0 { continue }
            let named = event.name(in: following)
            if cookie == nil {
                guard event.mask.contains(.movedFrom), event.watch == here, named.elementsEqual(name) else {
                    return nil
                }
                cookie = event.cookie
            } else if !isPair {
                guard event.mask.contains(.movedTo), event.cookie == cookie, event.watch == there,
                    named.elementsEqual(half.name)
                else { return nil }
                isPair = true
            } else if event.watch == here, named.elementsEqual(name) {
                return event.mask.isDisjoint(with: [.create, .movedTo]) ? cookie : nil
            }
        }
        guard isPair, let found = status(of: name, in: id), isSameFile(found.file, source) else { return nil }
        return cookie
    }

    /// A directory that is not known here was renamed onto one that is, which must have been empty: it takes over that one's
    /// identity, as a file does. For `rename(2)` the name itself is never unlinked, so only the event of the move tells
    /// this from a directory that was removed and another made.
    private func takeOver(_ name: UnsafeRawBufferPointer, in id: DirectoryID, origin: Origin) {
        let parent = directories[id].node
        guard let target = tree.child(of: parent, named: name), tree.status(of: target).kind.isDirectory,
            // It may have left this name before.
            halves.file(id, name) == nil,
            let found = status(of: name, in: id), found.file.kind == .directory, !found.isMountRoot
        else { return }
        let known = tree.status(of: target)
        guard known.device == found.file.device, !isSameFile(known, found.file),
            knownDirectory(found.file, in: parent.container) == nil
        else { return }
        leave(target)
        removeChildren(of: target, origin: origin)
        tell(target, found.file, extras: nil)
        enter(target, found.file, origin: origin)
    }

    /// A directory renamed onto another, which must have been empty: what is known to lie in it is gone.
    private func replaceDirectory(_ target: TreeNode, with source: TreeNode, origin: Origin) {
        let known = directories.directory(at: source)
        leave(target)
        removeChildren(of: target, origin: origin)
        tree.replace(target, with: source)
        ahead[source] = nil
        if let known { directories.setNode(known, to: target) }
    }

    /// Whether `node` is `other` or lies above it. A tree that has not heard of all moves yet may say so of a move
    /// that the kernel has made.
    func isSelfOrAncestor(_ node: TreeNode, of other: TreeNode) -> Bool {
        var current: TreeNode? = other
        while let place = current {
            if place == node { return true }
            current = tree.parent(of: place)
        }
        return false
    }

    /// Whether two states are of the same file: by device, inode and birth time, never by inode alone.
    func isSameFile(_ a: FileStatus, _ b: FileStatus) -> Bool {
        a.inode == b.inode && a.device == b.device && a.kind.isDirectory == b.kind.isDirectory && haveSameBirth(a, b)
    }

    /// Whether two birth times may be of one file, as far as they are known and mean something.
    func haveSameBirth(_ a: FileStatus, _ b: FileStatus) -> Bool {
        a.created == b.created || a.created == nil || b.created == nil || !keepsBirthTimes(b)
    }

    func keepsBirthTimes(_ status: FileStatus) -> Bool {
        devicesWithoutBirthTimes.isEmpty || !devicesWithoutBirthTimes.contains(status.device)
    }

    /// By what a file is known again.
    func identity(of status: FileStatus) -> FileIdentity {
        guard keepsBirthTimes(status) else {
            return FileIdentity(device: status.device, inode: status.inode, created: nil)
        }
        return status.identity
    }

    /// Looks at an entry now; nil where it is not there or its directory is not where its row is.
    func status(of name: UnsafeRawBufferPointer, in id: DirectoryID) -> KernelStatus? {
        guard let directory = try? descriptor(of: id) else { return nil }
        nameBuffer.copyMemory(from: name)
        nameBuffer[name.count] = 0
        guard let text = nameBuffer.baseAddress.map({ UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self) })
        else { return nil }
        return try? kernel.status(of: text, in: directory)
    }

    /// Whether the first half waits longer: its file may lie in a directory that is being read.
    func isKeptForCrawl(_ half: RenameHalf) -> Bool {
        guard let container = containers[half.container], container.outstanding > 0,
            // What is held to the end of a comparison waits for the crawls as well.
            container.comparison.map({ $0.isInBackground || !$0.holdsRemovals }) ?? true
        else { return false }
        return tasks.values.contains {
            $0.container === container && $0.outstanding > 0 && $0.cause < half.expiry
        }
    }

    /// What has caused the first of the look-ups that wait for what is queued. One of them may find what a first half has
    /// become, or have that read, so halves whose time was over after this wait longer. One that waits for its directory may
    /// wait for such a half itself.
    var oldestAwaitedNews: UInt64 { deferredLookUps.reduce(.max) { $1.waitsForNews ? min($0, $1.origin.cause) : $0 } }

    /// Whether the second half may lie in what is queued.
    func isAnnounced(_ half: RenameHalf) -> Bool { half.end.map { position < $0 } ?? false }

    /// A program that is put off by others between the two halves of a rename may stay so for longer than any time that a
    /// removal could wait: on a loaded machine one of some thousand renames. But it holds the directory, so having waited
    /// for that, the second half is queued, or there is none.
    private func settleHalves() {
        var ends: [DirectoryID: UInt64] = [:]
        for (serial, id) in halves.unsettled(now: kernel.now()) {
            if ends[id] == nil {
                if directories.isAlive(id), let directory = try? descriptor(of: id) {
                    kernel.finishRenames(in: directory)
                }
                ends[id] = position + queuedBytes()
            }
            if let end = ends[id] { halves.settle(serial, before: end) }
        }
    }

    /// First halves whose time is over are removals, to be verified like everything else; during a comparison they
    /// are held to its end, since the second half may be what the overflow has swallowed. One in the background, for
    /// which no barrier waits, does not hold them up.
    func expireHalves() {
        guard !halves.isEmpty else { return }
        settleHalves()
        let awaited = oldestAwaitedNews
        let isKept = { (half: RenameHalf) in
            self.isAnnounced(half) || self.lookUps.taken < half.lookUps || self.isKeptForCrawl(half)
                || awaited < half.expiry
        }
        for half in halves.takeExpired(
            now: kernel.now(), position: position, lookUps: lookUps.end, isKept: isKept)
        {
            counters.movesUnpaired += 1
            guard directories.isAlive(half.directory) else { continue }
            if let container = containers[half.container], let comparison = container.comparison,
                comparison.holdsRemovals, !comparison.isInBackground
            {
                lowerCause(of: comparison.task, to: half.origin.cause)
                if half.isAside { continue }
                holdRemoval(
                    half.directory, half.name, identity: half.isAhead ? nil : half.identity, in: container)
            } else {
                if half.isAside { continue }
                removeLeft(half)
                half.name.withUnsafeBytes { lookUps.add($0, in: half.directory, origin: half.origin) }
            }
        }
    }

    /// Removes the row of a file that has left for good, unless it is back: whatever else has its name now is another, and
    /// may be a directory in which it lies.
    private func removeLeft(_ half: RenameHalf) {
        let parent = directories[half.directory].node
        guard let node = half.name.withUnsafeBytes({ tree.child(of: parent, named: $0) }),
            identity(of: tree.status(of: node)) == half.identity
        else { return }
        let found = half.name.withUnsafeBytes { status(of: $0, in: half.directory) }
        if let found, !isSameFile(found.file, tree.status(of: node)) {
            removeNode(node, origin: half.origin, isDisplaced: true)
        }
    }
}
