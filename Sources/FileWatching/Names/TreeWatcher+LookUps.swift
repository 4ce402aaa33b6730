// Look-ups: find the present status of an entry, and bring the tree up to date.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata

extension TreeWatcher {
    /// Makes the look-ups that are due at once, and those that they cause, as far as the iteration's time goes: the rest
    /// comes first in the next iteration.
    func runLookUps() {
        repeat {
            while !isIterationOver, let entry = lookUps.take(into: buffers.name) { look(at: entry) }
            settleLinks()
        } while !lookUps.isEmpty && !isIterationOver
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
        // If a look-up found a file in it by name, no reader of the directory could find that file.
        if !name.isEmpty, directories[id].flags.contains(.inaccessible) { return }
        // It was an entry until its container was shared.
        if ignoresNames, !name.isEmpty, isIgnored(name, in: id) {
            if let child = tree.child(of: directories[id].node, named: name) { removeNode(child, origin: entry.origin) }
            return
        }
        // A name of a pending rename is looked at when its `IN_MOVED_TO` has come or has not. A
        // barrier for earlier events of the name waits for that.
        if !renames.isEmpty, !name.isEmpty, renames.lowerPosition(id, name, to: entry.origin.position) { return }
        let directory: CInt
        do throws(SystemError) {
            directory = try descriptor(of: id)
        } catch {
            if !handleRefusal(id, error, entry.origin) { wait(entry, name: name) }
            return
        }
        counters.lookUps += 1
        if entry.origin.task == 0 { iteration.notePosition(entry.origin.position) }
        guard let text = name.baseAddress?.assumingMemoryBound(to: CChar.self) else { return }
        let node = directories[id].node
        var status: KernelStatus
        do throws(SystemError) {
            status = try kernel.status(of: text, in: directory)
        } catch {
            if error == .noEntry, !name.isEmpty {
                guard let child = tree.child(of: node, named: name) else {
                    // The entry that waited here for news had been seen, and may have had names in directories that are
                    // read meanwhile.
                    if entry.hasWaited { pool.raiseLinkEpoch() }
                    awaitMovingOn(from: id)
                    handleMissingName(name, in: id, entry)
                    return
                }
                if entry.isExpected || mayBeReported(entry), waitForNews(entry, name: name) { return }
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
        if hardLinks.unlinked.hasNames, entry.isReported { handleFormerName(in: id, entry) }
        if name.count <= ContainerToken.name.utf8.count { lookAtMark(name, in: id, entry.origin) }
        let container = containers[node.container]
        container?.counts.lookUps &+= 1
        let xattrs = container?.options.readsXattrs == true ? readXattrs(of: text, &status, in: directory, id) : nil
        if name.isEmpty {
            lookedAtDirectory(id, status, xattrs, entry)
            return
        }
        if let child = tree.child(of: node, named: name) {
            found(child, named: name, in: id, status, xattrs, entry)
        } else {
            appeared(name, in: id, status, xattrs, entry)
        }
    }

    /// Reads the extended attributes of an entry, and its access control list; nil where they cannot be read. Where that is for a
    /// failure, the directory is read again soon, and counts as inexact until then.
    private func readXattrs(
        of name: UnsafePointer<CChar>, _ status: inout KernelStatus, in directory: CInt, _ id: DirectoryID
    ) -> UnsafeRawBufferPointer? {
        do throws(SystemError) {
            return try kernel.readXattrs(of: name, &status, in: directory, into: buffers.xattrs)
        } catch {
            fellShort(id, error)
            return nil
        }
    }

    /// An entry cannot be looked at in a directory that is open. If the reading of the directory has failed in the same
    /// way, and nothing else was refused, no caller can see the entry.
    private func refused(
        _ name: UnsafeRawBufferPointer, in id: DirectoryID, _ error: SystemError, _ origin: Origin
    ) {
        let wasKnown = directories[id].flags.contains(.unreadable) && !directories[id].flags.contains(.reading)
        guard handleRefusal(id, error, origin), wasKnown, !error.isLack, !name.isEmpty,
            let child = tree.child(of: directories[id].node, named: name)
        else { return }
        removeNode(child, origin: origin)
    }

    // MARK: Found entries

    private func found(
        _ child: TreeNode, named name: UnsafeRawBufferPointer, in id: DirectoryID, _ status: KernelStatus,
        _ xattrs: UnsafeRawBufferPointer?, _ entry: LookUpQueue.Entry
    ) {
        let old = tree.status(of: child)
        let isSame = fileIdentities.isSame(old, status.file)
        if entry.isReported, old.kind.isDirectory { hasMoved(child) }
        if !isSame, let exchanged = exchangeReplaced(child, name, in: id, status.file, entry.origin) {
            found(exchanged, named: name, in: id, status, xattrs, entry)
            return
        }
        if !isSame, mountChanged(child, from: old, to: status, xattrs: xattrs, entry.origin) { return }
        if !isSame, old.kind.isDirectory || status.file.kind == .directory {
            if foundTakenOver(child, status, xattrs: xattrs, origin: entry.origin) { return }
            if foundUnstable(child, status, xattrs: xattrs, origin: entry.origin) { return }
            // An event may have named it for something else, and the event of its replacement is still queued: the
            // look-up waits for that once, since a directory that is renamed onto another takes over its identity.
            let waits = entry.isExpected || (entry.attempts == 0 && entry.origin.task == 0) || mayBeReported(entry)
            if waits, waitForNews(entry, name: name, found: status.file) { return }
            let count = directories.directory(at: child).flatMap { readings.unstable.count(of: $0) }
            removeNode(child, origin: entry.origin, isDisplaced: true)
            appeared(name, in: id, status, xattrs, entry)
            if let count { goOnAstray(name, in: id, count) }
            return
        }
        if !isSame, holdOwnReplacement(child, name, in: id, entry.origin) { return }
        if !isSame { endInaccessible(former: old, of: child) }
        if !isSame || !uncertain.provisional.isEmpty {
            noteFound(child, status.file, known: old, isExpected: !entry.isUnexpected)
        }
        let changed = publish(child, status.file, xattrs: xattrs)
        if !changed, hardLinks.unlinked.hasNames, entry.isReported { handleUnchanged(in: id, entry) }
        if changed {
            count(entry.origin) { $0.changed += 1 }
            lookForCopying(of: old, to: status.file, in: id, entry.origin)
        }
        if status.file.kind == .directory {
            foundDirectory(child, status, changedFrom: changed ? old : nil, entry.origin)
            return
        }
        if !isSame, status.file.kind == .file || old.kind == .file {
            hardLinks.unlinked.lost(UnlinkedNames.Name(directory: id, hash: entry.hash), of: old)
            hardLinks.unlinked.came(status.file, child)
        }
        if !isSame, old.links > 1 { lookAtLinks(of: old, origin: entry.origin) }
        if changed, status.file.links > 1 || old.links > 1 {
            let isNews = !isSame || old.links != status.file.links
            publishLinks(of: status.file, xattrs: xattrs, searches: isNews, origin: entry.origin)
        }
    }

    private func appeared(
        _ name: UnsafeRawBufferPointer, in id: DirectoryID, _ status: KernelStatus, _ xattrs: UnsafeRawBufferPointer?,
        _ entry: LookUpQueue.Entry
    ) {
        let directory = directories[id].node
        if status.file.kind == .directory, !status.isMountRoot {
            directoryAppeared(name, in: id, status, xattrs, entry)
            return
        }
        // A file that left another name may have been there in between, where a third was replaced by it.
        // The `IN_MOVED_TO`, which says so, may be queued: it waits for that once, whatever was heard of this name.
        if entry.isExpected || entry.attempts == 0, !entry.isArrival,
            renames.contains(fileIdentities.identity(of: status.file)),
            waitForNews(entry, name: name, found: status.file)
        {
            return
        }
        if !entry.isArrival, let source = movedSource(of: status.file, in: directory.container) {
            tree.move(source, to: directory, named: name)
            uncertain.provisional.forget(source)
            publish(source, status.file, xattrs: xattrs)
            count(entry.origin) { $0.changed += 1 }
            // A rename changes the inode too, whatever other names it has.
            if status.file.links > 1 {
                publishLinks(of: status.file, xattrs: xattrs, searches: true, origin: entry.origin)
            }
            return
        }
        if entry.isExpected,
            holdAddition(name, of: status.file, in: id, entry.origin)
                || waitForNews(entry, name: name, found: status.file)
        {
            return
        }
        guard let node = tree.insert(named: name, status: status.file, xattrs: xattrs, into: directory) else { return }
        hardLinks.unlinked.came(status.file, node)
        noteFound(node, status.file, known: nil, isExpected: entry.isExpected)
        count(entry.origin) { $0.added += 1 }
        if status.file.links > 1 { publishLinks(of: status.file, xattrs: xattrs, searches: true, origin: entry.origin) }
    }

    // MARK: Hard links, saves and exchanges

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
        for node in [child, other] { uncertain.provisional.forget(node) }
        // Where the other was.
        if let parent = tree.parent(of: child), let above = directories.directory(at: parent) {
            withName(of: child) { lookUps.add($0, in: above, origin: origin) }
        }
        return other
    }

    /// Looks for the entries whose files have got more names, all in one search, and has them looked at.
    func findLinks() {
        guard hasLinksToFind else { return }
        let wanted = takeLinksToFind()
        var found: [(TreeNode, Origin)] = []
        let inodes = Set(wanted.keys)
        for number in containers.keys {
            tree.forEachNodeWithOneLink(among: inodes, in: number) { node in
                let status = tree.status(of: node)
                guard let origin = wanted[InodeNumber(device: status.device, inode: status.inode)] else { return }
                found.append((node, origin))
            }
        }
        for (node, origin) in found { lookAt(node, origin: origin) }
        lookAtCrawled(wanted)
        runLookUps()
    }

    /// Tells the names of the files that came up, and has them looked at where a name has ended.
    func settleLinks() {
        resolveNames()
        guard !hardLinks.files.news.isEmpty else { return }
        // Not those that it asks for itself.
        let areOthersWaiting = mayFindDirectories
        while let news = hardLinks.files.takeNews() { settle(news, areOthersWaiting: areOthersWaiting) }
    }

    /// Gives the row of a removed backup its former name again, with the file that has come there. False where the removed
    /// file is no backup. A barrier between the rename and the removal has made the rename final.
    func takeBack(_ node: TreeNode, _ entry: LookUpQueue.Entry) -> Bool {
        guard let backup = applied.takeBackup(of: node), entry.isUnlinked,
            kernel.now() &- backup.time < WatchLimits.backupWindow,
            entry.origin.position < backup.barrier ?? .max,
            fileIdentities.isSame(tree.status(of: node), backup.file), directories.isAlive(backup.directory)
        else { return false }
        let (id, file) = (backup.directory, tree.status(of: node))
        let directory = directories[id].node
        return backup.name.withUnsafeBytes { name in
            guard directory.container == node.container, renames.pending(id, name) == nil,
                let found = status(of: name, in: id), found.file.kind == .file, !fileIdentities.isSame(found.file, file)
            else { return false }
            if let other = tree.child(of: directory, named: name) {
                guard other != node, tree.status(of: other).kind == .file else { return false }
                tree.replace(node, with: other)
                uncertain.provisional.replaced(node, by: other, at: entry.origin.position)
                _ = applied.takeBackup(of: other)
            } else {
                uncertain.provisional.doubt(node)
            }
            tree.move(node, to: directory, named: name)
            noteLostName(of: node, file)
            if file.links > 1 { lookAtLinks(of: file, origin: entry.origin) }
            lookUps.add(name, in: id, origin: entry.origin)
            return true
        }
    }
}
