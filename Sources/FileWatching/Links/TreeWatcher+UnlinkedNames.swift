// Events at names that are gone, of descriptors whose files have other names.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata

extension TreeWatcher {
    /// Notes that an entry of a file with several links leaves the tree.
    func noteLostName(of node: TreeNode, _ file: FileStatus) {
        guard let parent = tree.parent(of: node), let id = directories.directory(at: parent) else { return }
        var hash: UInt32 = 0
        withName(of: node) { hash = LookUpQueue.hash($0, id.slot) }
        hardLinks.unlinked.lost(UnlinkedNames.Name(directory: id, hash: hash), of: file)
    }

    /// Looks at the file that had a name before the one that has it now: a descriptor of that may have been written to.
    func handleFormerName(in id: DirectoryID, _ entry: LookUpQueue.Entry) {
        guard let file = hardLinks.unlinked.file(of: UnlinkedNames.Name(directory: id, hash: entry.hash)) else {
            return
        }
        lookAt(file, origin: entry.origin)
    }

    /// Looks for the file that had a name and was never seen, where the file that has it now did not change.
    func handleUnchanged(in id: DirectoryID, _ entry: LookUpQueue.Entry) {
        let name = UnlinkedNames.Name(directory: id, hash: entry.hash)
        if entry.isExpected, !entry.isRenamed, hardLinks.unlinked.isOfUnseen(name) {
            hardLinks.unlinked.noteUnresolved(name, entry.origin)
        }
    }

    /// Looks at the file that had a name which is not there. Where that is not known, ``resolveNames()`` looks for it.
    func handleMissingName(_ name: UnsafeRawBufferPointer, in id: DirectoryID, _ entry: LookUpQueue.Entry) {
        guard entry.isReported, !entry.isRenamed else { return }
        let former = UnlinkedNames.Name(directory: id, hash: entry.hash)
        if let file = hardLinks.unlinked.file(of: former) { return lookAt(file, origin: entry.origin) }
        if let inode = UnlinkedNames.inode(ofTemporary: name) {
            let file = InodeNumber(device: directories[id].device, inode: inode)
            if hardLinks.unlinked.place(of: file) != nil { return lookAt(file, origin: entry.origin) }
        }
        // A name that came, was written to and went is no news. One whose content changes after it went is.
        guard entry.isExpected || entry.isWrittenUnlinked else { return }
        hardLinks.unlinked.noteUnresolved(former, entry.origin)
    }

    private func lookAt(_ file: InodeNumber, origin: Origin) {
        if let node = hardLinks.unlinked.place(of: file), isEntry(node, of: file) { lookAt(node, origin: origin) }
        for node in links(of: file) { lookAt(node, origin: origin) }
    }

    /// Looks for the files that were written to by names which were never seen: among the files that came last, and those
    /// in the directories of the names where these are few. The cost is bounded, however many names there are.
    func resolveNames() {
        let names = hardLinks.unlinked.takeUnresolved()
        guard !names.isEmpty else { return }
        var candidates = Set(hardLinks.unlinked.latest)
        for (name, _) in names where directories.isAlive(name.directory) {
            let directory = directories[name.directory].node
            guard candidates.count < 2 * UnlinkedNames.latestLimit,
                tree.childCount(of: directory) <= UnlinkedNames.latestLimit
            else { continue }
            tree.forEachChild(of: directory) { candidates.insert($0) }
        }
        let origin = Origin(position: names.reduce(.max) { min($0, $1.origin.position) })
        var changed: [FileStatus] = []
        for node in candidates {
            guard containers[node.container] != nil, tree.node(row: node.row, in: node.container) != nil,
                let parent = tree.parent(of: node), let id = directories.directory(at: parent)
            else { continue }
            let known = tree.status(of: node)
            guard known.kind == .file else { continue }
            var found: KernelStatus?
            withName(of: node) { found = status(of: $0, in: id) }
            guard let file = found?.file, fileIdentities.isSame(file, known), file.changed != known.changed else {
                continue
            }
            lookAt(node, origin: origin)
            hardLinks.unlinked.came(known, node)
            changed.append(known)
        }
        // With one of each the name is that file's, and is found at once from now on.
        if changed.count == 1, names.count == 1 { hardLinks.unlinked.lost(names[0].name, of: changed[0]) }
    }

    /// Looks again at the names of those for which nothing more is under way.
    func resolveLinks() {
        guard !hardLinks.files.unresolved.isEmpty else { return }
        let areOthersWaiting = mayFindDirectories
        let end = (lookUps.end, directories.unreadable.isEmpty ? lookUps.takenPatient : lookUps.endOfPatient)
        for (file, link) in hardLinks.files.unresolved where isDue(link) {
            if areOthersWaiting, link.lookUps == nil {
                hardLinks.files.unresolved[file]?.lookUps = end
                continue
            }
            hardLinks.files.unresolved[file] = nil
            let known = links(of: link.status)
            let lacksNames = known.first.map { known.count < tree.status(of: $0).links } ?? false
            if lacksNames { for node in known { lookAt(node, origin: Origin(position: link.position)) } }
            if let again = link.again {
                // Its own looks find names lost that came since, with its position. A barrier does not wait for that for ever.
                let isOld = link.attempts + 1 >= settings.limits.lookUpAttempts
                noteUnresolvedLink(
                    link.status, position: isOld ? positionNow : again, in: link.containers,
                    areOthersWaiting: areOthersWaiting, attempts: isOld ? 0 : link.attempts + 1)
            } else if lacksNames, link.position != .max {
                // Barriers for events until now wait for this look-up only, which sees all changes made before them.
                noteUnresolvedLink(
                    link.status, position: positionNow, in: link.containers, areOthersWaiting: areOthersWaiting,
                    attempts: link.attempts + 1)
            }
            let others = link.otherTasks.filter { readings[$0] != nil }
            if lacksNames, hardLinks.files.unresolved[file] == nil, !others.isEmpty {
                // No question about this file's containers waits until another one has been read.
                hardLinks.files.unresolved[file] = UnresolvedLink(
                    status: link.status, position: .max, containers: link.containers, end: position,
                    tasks: others, otherTasks: [], attempts: link.attempts)
            }
        }
    }

    func isDue(_ link: UnresolvedLink) -> Bool {
        guard isReceived(link.end), !link.tasks.contains(where: { readings[$0] != nil }) else { return false }
        guard let end = link.lookUps else { return true }
        return lookUps.taken >= end.prompt && lookUps.takenPatient >= end.patient
    }
}
