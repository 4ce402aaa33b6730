// Compares a directory as read with its known entries, and holds the findings of a comparison to its end.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata

extension TreeWatcher {
    /// Compares a directory as read with its known entries. A difference is only a hint: it has the entry looked at, so
    /// that nothing is written that an event has overtaken.
    func compare(_ result: CrawlResult, with id: DirectoryID, touched: Set<[UInt8]>, _ origin: Origin) {
        let node = directories[id].node
        var matched: [TreeNode] = []
        matched.reserveCapacity(result.batch.count)
        compareEntries(of: result, 0..<result.batch.count, with: id, touched: touched, origin) { matched.append($0) }
        guard matched.count != tree.childCount(of: node) else { return }
        let seen = Set(matched)
        var missing: [TreeNode] = []
        tree.forEachChild(of: node) { if !seen.contains($0) { missing.append($0) } }
        publishMissing(missing, in: id, result, origin)
    }

    func holdsFindings(of result: CrawlResult, in container: WatchedContainer?) -> Bool {
        container?.comparison?.task == result.task && container?.comparison?.holdsRemovals == true
    }

    /// The same of some of the entries. Those that are known are given to `meet`.
    func compareEntries(
        of result: CrawlResult, _ range: Range<Int>, with id: DirectoryID, touched: Set<[UInt8]>, _ origin: Origin,
        meet: (TreeNode) -> Void
    ) {
        let batch = result.batch
        let node = directories[id].node
        let container = containers[node.container]
        let isAudit = isAudit(result)
        let holds = holdsFindings(of: result, in: container)
        batch.names.withUnsafeBytes { names in
            for index in range {
                let name = UnsafeRawBufferPointer(rebasing: names[batch.nameRange(at: index)])
                guard let child = tree.child(of: node, named: name) else {
                    if holds {
                        let status = batch.statuses[index]
                        container?.comparison?.found.add(id, Array(name))
                        container?.comparison?.found.noteFile(status)
                        if isAudit, status.links == 1, status.kind != .directory {
                            container?.comparison?.noteUnknown(
                                InodeNumber(device: status.device, inode: status.inode))
                        }
                    } else {
                        lookUps.add(name, in: id, origin: origin, isExpected: isBesideListing(container))
                    }
                    continue
                }
                meet(child)
                var status = batch.statuses[index]
                var known = tree.status(of: child)
                if known.device != status.device, adoptDevice(of: status, for: child, known: known) {
                    known = tree.status(of: child)
                }
                // The access control list of a directory is read with its entries, that of a file with its extended attributes. One
                // that changes changes the time too.
                let list = status.accessList
                status.accessList = known.accessList
                var differs = !isEqual(known, status)
                if differs, holds, let container, !fileIdentities.isSame(known, status) {
                    container.comparison?.found.noteFile(status)
                    holdReplacement(id, name, of: child, in: container)
                    continue
                }
                if status.kind == .directory, !differs {
                    let isMounted = !batch.mountRoots.isEmpty && batch.mountRoots.contains(UInt32(index))
                    if isMounted, tree.childCount(of: child) > 0 { _ = record(child, known) }
                    differs = isMounted == (directories.directory(at: child) != nil)
                }
                if differs, isAudit, holds {
                    container?.comparison?.found.add(id, Array(name))
                } else if differs {
                    lookUps.add(name, in: id, origin: origin, isExpected: isForXattrs(origin, of: id))
                }
                // An entry that differs is looked at. The look-up sets its extended attributes and its access control list.
                if !differs, let range = batch.xattrRange(at: index), touched.isEmpty || !touched.contains(Array(name))
                {
                    if status.kind != .directory, list != known.accessList {
                        known.accessList = list
                        tree.update(child, status: known)
                    }
                    let changed = batch.xattrs.withUnsafeBytes {
                        tree.setXattrs(of: child, to: UnsafeRawBufferPointer(rebasing: $0[range]))
                    }
                    if changed { count(origin) { $0.changed += 1 } }
                }
            }
        }
    }

    /// The known entries of a directory that the reading did not find.
    func publishMissing(_ missing: [TreeNode], in id: DirectoryID, _ result: CrawlResult, _ origin: Origin) {
        let container = containers[directories.container(of: id)]
        let holds = holdsFindings(of: result, in: container)
        for child in missing {
            var name: [UInt8] = []
            tree.appendName(of: child, to: &name)
            if ignoresNames, name.withUnsafeBytes({ isIgnored($0, in: id) }) {
                // It was not, when it came to be known.
                removeNode(child, origin: origin)
            } else if holds, let container {
                holdRemoval(id, name, identity: likelyIdentity(of: child), in: container)
            } else {
                name.withUnsafeBytes {
                    let isExpected = isBesideListing(container) || isForXattrs(origin, of: id)
                    lookUps.add($0, in: id, origin: origin, isExpected: isExpected)
                }
            }
        }
    }

    func holdRemoval(
        _ directory: DirectoryID, _ name: [UInt8], identity: FileIdentity?, in container: WatchedContainer
    ) {
        container.comparison?.missing.add(directory, name, identity)
    }

    /// Holds a file that should be known, as nothing has told of its coming, until a comparison that is listing directories
    /// has come by the place that it may have left. False where there is none.
    func holdAddition(
        _ name: UnsafeRawBufferPointer, of status: FileStatus, in id: DirectoryID, _ origin: Origin
    ) -> Bool {
        guard let container = containers[directories.container(of: id)], let task = container.comparison?.task,
            origin.task != task, container.comparison?.isListingAll == true
        else { return false }
        lowerPosition(of: task, to: origin.position)
        container.comparison?.found.add(id, Array(name))
        container.comparison?.found.noteFile(status)
        return true
    }

    /// The same of a file that the comparison's own look-up does not find, made for an event during the reading of its
    /// directory. A comparison in the background holds no entry that an event reported. The same of an entry that no
    /// event reported as gone: the event may be lost.
    func holdOwnRemoval(
        _ node: TreeNode, _ name: UnsafeRawBufferPointer, in id: DirectoryID, _ entry: LookUpQueue.Entry
    ) -> Bool {
        guard let container = containers[node.container], let comparison = container.comparison else { return false }
        if entry.origin.task != comparison.task {
            guard entry.isExpected, comparison.isListingAll else { return false }
            lowerPosition(of: comparison.task, to: entry.origin.position)
        } else {
            guard comparison.holdsRemovals, !comparison.isInBackground else { return false }
        }
        holdRemoval(id, Array(name), identity: likelyIdentity(of: node), in: container)
        return true
    }

    /// The same of a file that a look-up finds under the name of another while a comparison is listing directories. The
    /// event of the other's leaving may be lost, and it is recognised elsewhere only while its row is there.
    func holdOwnReplacement(
        _ node: TreeNode, _ name: UnsafeRawBufferPointer, in id: DirectoryID, _ origin: Origin
    ) -> Bool {
        guard let container = containers[node.container], let task = container.comparison?.task, origin.task != task,
            container.comparison?.isListingAll == true
        else { return false }
        lowerPosition(of: task, to: origin.position)
        holdReplacement(id, name, of: node, in: container)
        return true
    }

    /// Holds the possible removal of a directory to the end of a comparison, which may find it elsewhere. False where
    /// there is no comparison, or where it holds nothing any more, or where an event has told of it and one is under
    /// way in the background: that may take minutes, and a question that waits for the removal would wait for all of
    /// it.
    func holdRemoval(of id: DirectoryID, _ origin: Origin) -> Bool {
        let node = directories[id].node
        guard let container = containers[node.container], let comparison = container.comparison,
            comparison.holdsRemovals, !comparison.isInBackground || origin.position == .max,
            let parent = tree.parent(of: node), let above = directories.directory(at: parent)
        else { return false }
        lowerPosition(of: comparison.task, to: origin.position)
        var name: [UInt8] = []
        tree.appendName(of: node, to: &name)
        holdRemoval(above, name, identity: nil, in: container)
        return true
    }

    /// Keeps for later a file that a comparison has found under the name of another: the known one may have moved, and
    /// is recognised in its new place only while its row is there.
    func holdReplacement(
        _ directory: DirectoryID, _ name: UnsafeRawBufferPointer, of known: TreeNode, in container: WatchedContainer
    ) {
        container.comparison?.missing.add(directory, Array(name), likelyIdentity(of: known), isReplaced: true)
    }
}
