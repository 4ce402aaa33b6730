// Comparing the tree with the file system: after an overflow, for a rescan, and where watches are missing.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata

extension TreeWatcher {
    /// Compares a container with the file system; the completion comes in a later turn with what differed. A container
    /// that is unavailable is looked for, and has no differences.
    package func rescan(_ number: UInt32, completion: @escaping (ComparisonCounts) -> Void) {
        guard let container = containers[number] else {
            completion(ComparisonCounts())
            return
        }
        suspects.insert(number)
        checkSuspects()
        guard container.failure == nil else {
            completion(ComparisonCounts())
            return
        }
        compare(container, origin: Origin(cause: causeNow))
        if container.nextComparison != nil {
            container.nextComparison?.completions.append(completion)
        } else {
            container.comparison?.completions.append(completion)
        }
    }

    /// Reads the extended attributes of the namespace `user`, and where symbolic links lead, at each look-up from now on, and
    /// of everything that is known by a comparison; the completion comes when that has ended.
    package func setReadsExtras(_ number: UInt32, completion: @escaping () -> Void = {}) {
        guard let container = containers[number], !container.options.readsExtras else {
            completion()
            return
        }
        container.options.readsExtras = true
        guard container.failure == nil else {
            completion()
            return
        }
        // What is known stays exact meanwhile, so that no other question waits for it. It follows what is under way, and leaves
        // out what that reads from now on.
        var comparison = Comparison(task: newComparisonTask(for: container, cause: .max), isPoll: false)
        comparison.isForExtras = true
        comparison.began = kernel.now()
        comparison.round = pool.raiseRound()
        comparison.completions = [{ _ in completion() }]
        if container.comparison == nil { container.comparison = comparison } else { container.nextFill = comparison }
    }

    /// Begins a comparison of every directory, or of some; the one that is under way may take it in. An overflow makes a
    /// comparison begin again only so often, and then another one follows when it has ended: so each ends, and no
    /// more than one waits. A paced one, for an overflow, waits some time after the last.
    func compare(
        _ container: WatchedContainer, origin: Origin, only directories: [DirectoryID]? = nil, isPaced: Bool = false
    ) {
        // A barrier waits for whatever is more than a poll, even where a poll has found that it is needed.
        let cause = directories == nil ? min(origin.cause, causeNow) : origin.cause
        guard let comparison = container.comparison else {
            var comparison = Comparison(
                task: newComparisonTask(for: container, cause: cause), isPoll: directories != nil,
                queue: directories ?? [])
            comparison.isPaced = isPaced
            if isPaced, kernel.now() < container.comparisonPause { comparison.notBefore = container.comparisonPause }
            container.comparison = comparison
            return
        }
        if let next = container.nextComparison {
            lowerCause(of: next.task, to: cause)
            return
        }
        // One that somebody asks for goes on at once, and has what was read before now read again: that may be older
        // than what it is for.
        let isWidening = comparison.began != nil && !comparison.isInBackground
        if isWidening, comparison.widenings >= WatchLimits.comparisonWidenings {
            var next = Comparison(task: newComparisonTask(for: container, cause: cause), isPoll: false)
            next.isPaced = isPaced
            next.restarts = comparison.restarts
            container.nextComparison = next
            return
        }
        lowerCause(of: comparison.task, to: cause)
        guard directories == nil else { return }
        container.comparison?.isPoll = false
        container.comparison?.isForExtras = false
        container.comparison?.isAudit = false
        container.comparison?.settled = nil
        if isPaced { container.comparison?.isPaced = true } else { container.comparison?.notBefore = nil }
        if isWidening { container.comparison?.widenings += 1 }
        if comparison.began != nil { container.comparison?.round = pool.raiseRound() }
        container.comparison?.phase = .listing
    }

    /// A task takes over what an event has caused: a barrier that waits for that waits for the task.
    func lowerCause(of task: UInt32, to cause: UInt64) {
        if let earlier = tasks[task]?.cause { tasks[task]?.cause = min(earlier, cause) }
    }

    /// Whether look-ups of a comparison wait, for their turn or for a move: what they find may be what it misses elsewhere.
    private func isWaiting(_ comparison: Comparison) -> Bool {
        if comparison.phase == .additions, !isAuditSettled(comparison) { return true }
        if lookUps.contains(task: comparison.task) { return true }
        return comparison.isLookingUp && deferredLookUps.contains { $0.origin.task == comparison.task }
    }

    /// Whether a comparison could go on at once.
    var hasComparisonStep: Bool {
        containers.values.contains { container in
            guard let comparison = container.comparison else { return false }
            if let time = comparison.notBefore, kernel.now() < time { return false }
            let outstanding = tasks[comparison.task]?.outstanding ?? 0
            return outstanding == 0 && !isWaiting(comparison) && container.outstanding == 0
        }
    }

    /// Takes the comparisons as far as they go now.
    func stepComparisons() {
        for container in containers.values where container.comparison != nil { step(container) }
    }

    private func step(_ container: WatchedContainer) {
        guard let comparison = container.comparison else { return }
        if let time = comparison.notBefore {
            guard kernel.now() >= time else { return }
            container.comparison?.notBefore = nil
        }
        if comparison.began == nil {
            container.comparison?.began = kernel.now()
            container.comparison?.round = pool.raiseRound()
        }
        let origin = Origin(cause: tasks[comparison.task]?.cause ?? causeNow, task: comparison.task)
        switch comparison.phase {
        case .listing:
            list(container, origin)
        case .additions:
            guard tasks[comparison.task]?.outstanding == 0, !isWaiting(comparison) else { return }
            guard isAuditSettled(comparison) else { return }
            // What moved here was read in its new place, and that may have found more.
            if comparison.nextAddition < comparison.additions.count {
                lookAtAdditions(container, origin)
                return
            }
            container.comparison?.additions = []
            container.comparison?.nextAddition = 0
            if isBehind(container) {
                container.comparison?.phase = .listing
                return
            }
            container.comparison?.phase = .replacements
            lookAtReplacements(container, origin)
        case .replacements:
            guard tasks[comparison.task]?.outstanding == 0, !isWaiting(comparison) else { return }
            if !comparison.additions.isEmpty || isBehind(container) {
                container.comparison?.phase = comparison.additions.isEmpty ? .listing : .additions
                return
            }
            if comparison.nextReplacement < comparison.replacements.count {
                lookAtReplacements(container, origin)
                return
            }
            if !comparison.linkedFindings.isEmpty {
                lookAtLinksOfFindings(container, origin)
                return
            }
            container.comparison?.phase = .removals
            lookAtRemovals(container, origin)
        case .removals:
            guard tasks[comparison.task]?.outstanding == 0, !isWaiting(comparison) else { return }
            if comparison.nextRemoval < comparison.removals.count {
                lookAtRemovals(container, origin)
                return
            }
            container.comparison?.removals = []
            container.comparison?.nextRemoval = 0
            container.comparison?.removalOfFile = [:]
            container.comparison?.isReplacement = []
            container.comparison?.replacements = []
            container.comparison?.nextReplacement = 0
            if isBehind(container) {
                container.comparison?.phase = .listing
                return
            }
            end(container)
        }
    }

    /// Hands out directories to be read, a window of them at a time. An overflow meanwhile makes those that were read
    /// before it be read again, the others not: so each comparison ends.
    private func list(_ container: WatchedContainer, _ origin: Origin) {
        guard var comparison = container.comparison else { return }
        let task = comparison.task
        while tasks[task]?.outstanding ?? 0 < settings.comparisonWindow {
            if comparison.next == comparison.queue.count {
                guard tasks[task]?.outstanding == 0 else { break }
                let wanted = comparison.isPoll ? [] : unreadSince(comparison.round, container)
                if wanted.isEmpty {
                    // Those that others are reading come in by themselves.
                    if !comparison.isPoll, isBehind(container) { break }
                    container.comparison?.queue = []
                    container.comparison?.next = 0
                    container.comparison?.phase = .additions
                    if comparison.isAudit { return settleAudit(container) }
                    lookAtAdditions(container, origin)
                    return
                }
                comparison.queue = wanted
                comparison.next = 0
            }
            let id = comparison.queue[comparison.next]
            comparison.next += 1
            guard directories.isAlive(id) else { continue }
            if !comparison.isPoll, directories[id].round >= comparison.round { continue }
            // What lies below a directory that was never read is not known, so nobody else has it read.
            read(id, descends: !directories[id].flags.contains(.wasRead), origin: origin)
            // A root that can be read again has what is known of it verified, instead of this.
            guard container.comparison?.task == task else { return }
            // The root could not be opened: nothing else can be read either. It is suspected, or we are short of
            // descriptors and go on later.
            if directories[id].flags.contains(.needsReading) { break }
        }
        container.comparison?.queue = comparison.queue
        container.comparison?.next = comparison.next
    }

    /// The next slice of what was found and not known.
    private func lookAtAdditions(_ container: WatchedContainer, _ origin: Origin) {
        guard let comparison = container.comparison else { return }
        let slice = comparison.additions[comparison.nextAddition...].prefix(settings.comparisonSlice)
        container.comparison?.nextAddition = slice.endIndex
        lookAt(slice, origin)
    }

    /// The next slice of what was known and not found.
    private func lookAtRemovals(_ container: WatchedContainer, _ origin: Origin) {
        guard let comparison = container.comparison else { return }
        let slice = comparison.removals[comparison.nextRemoval...].prefix(settings.comparisonSlice)
        container.comparison?.nextRemoval = slice.endIndex
        lookAt(slice, origin)
    }

    private func lookAt(_ entries: ArraySlice<(directory: DirectoryID, name: [UInt8])>, _ origin: Origin) {
        for entry in entries where directories.isAlive(entry.directory) {
            entry.name.withUnsafeBytes { lookUps.add($0, in: entry.directory, origin: origin) }
        }
        runLookUps()
    }

    /// The next slice of the names that other files have, with what that leads to, in one turn: until then rows may stand
    /// under names that are not theirs.
    private func lookAtReplacements(_ container: WatchedContainer, _ origin: Origin) {
        guard let comparison = container.comparison else { return }
        let slice = comparison.replacements[comparison.nextReplacement...].prefix(settings.comparisonSlice)
        container.comparison?.nextReplacement = slice.endIndex
        turnDeadline = .max
        defer { turnDeadline = kernel.now() }
        lookAt(slice.map { comparison.removals[$0] }[...], origin)
    }

    /// A slice of the files with several names that were found, when what was found has been looked at: one that had gone on by
    /// then has changed under its other names by that, and it was told of a name that the tree never had.
    private func lookAtLinksOfFindings(_ container: WatchedContainer, _ origin: Origin) {
        guard let findings = container.comparison?.linkedFindings else { return }
        for (file, status) in Array(findings.prefix(settings.comparisonSlice)) {
            container.comparison?.linkedFindings[file] = nil
            lookAtLinks(of: status, origin: origin)
        }
        runLookUps()
    }

    private func unreadSince(_ round: UInt32, _ container: WatchedContainer) -> [DirectoryID] {
        directories.directories(of: container.number) { $0.round < round && !$0.flags.contains(.reading) }
    }

    private func isBehind(_ container: WatchedContainer) -> Bool {
        guard let comparison = container.comparison, !comparison.isPoll else { return false }
        let round = comparison.round
        return directories.records.contains {
            $0.flags.contains(.alive) && $0.node.container == container.number && $0.round < round
        }
    }

    private func end(_ container: WatchedContainer) {
        guard let comparison = container.comparison else { return }
        // Its task ends with the others, when nothing of it is outstanding.
        container.comparison = container.nextComparison ?? container.nextFill.take()
        container.nextComparison = nil
        if comparison.isPaced, let began = comparison.began {
            let now = kernel.now()
            container.comparisonPause = now &+ min(now &- began, settings.comparisonPause)
        }
        if container.comparison?.isPaced == true { container.comparison?.notBefore = container.comparisonPause }
        // However long it took, there is a pause before the next.
        if comparison.isAudit { auditSliceEnded(container, comparison.counts) }
        if comparison.isPoll, !comparison.isAudit, container.nextPoll != nil {
            container.nextPoll = kernel.now() &+ settings.pollInterval
        }
        // Reading extras is no news of the file system.
        if !comparison.isInBackground {
            notices.append(.compared(container: container.number, counts: comparison.counts))
        }
        for completion in comparison.completions { completion(comparison.counts) }
    }

    /// Ends a comparison that has lost its container.
    func abandonComparison(_ container: WatchedContainer) {
        while container.comparison != nil { end(container) }
    }

    /// What was read of a directory against what is known. A difference is only a hint: it has the entry looked at, so
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
        tellMissing(missing, in: id, result, origin)
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
                        container?.comparison?.additions.append((id, Array(name)))
                        container?.comparison?.noteFinding(status)
                        if isAudit, status.links == 1, status.kind != .directory {
                            container?.comparison?.unknownFiles.insert(
                                InodeNumber(device: status.device, inode: status.inode))
                        }
                    } else {
                        lookUps.add(name, in: id, origin: origin)
                    }
                    continue
                }
                meet(child)
                var status = batch.statuses[index]
                var known = tree.status(of: child)
                if known.device != status.device, adoptDevice(of: status, for: child, known: known) {
                    known = tree.status(of: child)
                }
                // The list of a directory is read with what it holds, that of a file with its extras. One that changes
                // changes the time too.
                let list = status.accessList
                status.accessList = known.accessList
                var differs = !isEqual(known, status)
                if differs, holds, let container, !isSameFile(known, status) {
                    container.comparison?.noteFinding(status)
                    holdReplacement(id, name, of: known, in: container)
                    continue
                }
                if status.kind == .directory, !differs {
                    let isMounted = !batch.mountRoots.isEmpty && batch.mountRoots.contains(UInt32(index))
                    if isMounted, tree.childCount(of: child) > 0 { _ = record(child, known) }
                    differs = isMounted == (directories.directory(at: child) != nil)
                }
                if differs, isAudit, holds {
                    container?.comparison?.additions.append((id, Array(name)))
                } else if differs {
                    lookUps.add(name, in: id, origin: origin)
                }
                // What differs is looked at, and gets them then, together with who may read them.
                if !differs, let range = batch.extrasRange(at: index), touched.isEmpty || !touched.contains(Array(name))
                {
                    if status.kind != .directory, list != known.accessList {
                        known.accessList = list
                        tree.update(child, status: known)
                    }
                    let changed = batch.extras.withUnsafeBytes {
                        tree.setExtras(of: child, to: UnsafeRawBufferPointer(rebasing: $0[range]))
                    }
                    if changed { count(origin) { $0.changed += 1 } }
                }
            }
        }
    }

    /// What is known in a directory and was not read there.
    func tellMissing(_ missing: [TreeNode], in id: DirectoryID, _ result: CrawlResult, _ origin: Origin) {
        let container = containers[directories.container(of: id)]
        let holds = holdsFindings(of: result, in: container)
        for child in missing {
            var name: [UInt8] = []
            tree.appendName(of: child, to: &name)
            if ignoresNames, name.withUnsafeBytes({ isIgnored($0, in: id) }) {
                // It was not, when it came to be known.
                removeNode(child, origin: origin)
            } else if holds, let container {
                holdRemoval(id, name, identity: identity(of: tree.status(of: child)), in: container)
            } else {
                name.withUnsafeBytes { lookUps.add($0, in: id, origin: origin) }
            }
        }
    }

    /// A directory's own links and times are told by its own reading; a package is a directory to the file system.
    func isEqual(_ known: FileStatus, _ seen: FileStatus) -> Bool {
        if known == seen { return true }
        guard known.kind == .package, seen.kind == .directory else { return false }
        var known = known
        known.kind = .directory
        return known == seen
    }

    func holdRemoval(
        _ directory: DirectoryID, _ name: [UInt8], identity: FileIdentity?, in container: WatchedContainer
    ) {
        if let identity, let count = container.comparison?.removals.count {
            container.comparison?.removalOfFile[identity] = count
        }
        container.comparison?.removals.append((directory, name))
    }

    /// Holds a file that should be known, as nothing has told of its coming, until a comparison that is listing directories
    /// has come by the place that it may have left. False where there is none.
    func holdAddition(
        _ name: UnsafeRawBufferPointer, of status: FileStatus, in id: DirectoryID, _ origin: Origin
    ) -> Bool {
        guard let container = containers[directories.container(of: id)], let task = container.comparison?.task,
            origin.task != task, container.comparison?.isListingAll == true
        else { return false }
        lowerCause(of: task, to: origin.cause)
        container.comparison?.additions.append((id, Array(name)))
        container.comparison?.noteFinding(status)
        return true
    }

    /// The same of a file that a look-up of the comparison itself, of what was told while its directory was read, does not
    /// find. One in the background holds nothing that an event has told.
    func holdOwnRemoval(_ node: TreeNode, _ name: UnsafeRawBufferPointer, in id: DirectoryID, _ origin: Origin) -> Bool
    {
        guard origin.task != 0, let container = containers[node.container], let comparison = container.comparison,
            comparison.task == origin.task, comparison.holdsRemovals, !comparison.isInBackground
        else { return false }
        holdRemoval(id, Array(name), identity: identity(of: tree.status(of: node)), in: container)
        return true
    }

    /// Holds what may be the removal of a directory to the end of a comparison, which may find it elsewhere. False where
    /// there is no comparison, or where it holds nothing any more, or where an event has told of it and one is under way in the
    /// background: that may take minutes, and a question that waits for the removal would wait for all of it.
    func holdRemoval(of id: DirectoryID, _ origin: Origin) -> Bool {
        let node = directories[id].node
        guard let container = containers[node.container], let comparison = container.comparison,
            comparison.holdsRemovals, !comparison.isInBackground || origin.cause == .max,
            let parent = tree.parent(of: node), let above = directories.directory(at: parent)
        else { return false }
        lowerCause(of: comparison.task, to: origin.cause)
        var name: [UInt8] = []
        tree.appendName(of: node, to: &name)
        holdRemoval(above, name, identity: nil, in: container)
        return true
    }
}
