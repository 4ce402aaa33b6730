// Comparing the tree with the file system: after an overflow, for a rescan, and where watches are missing.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata

extension TreeWatcher {
    /// Reads the extended attributes of the namespace `user`, and where symbolic links lead, at each look-up from now on, and
    /// of everything that is known by a comparison; the completion comes when that has ended.
    package func setReadsXattrs(_ number: UInt32, completion: @escaping () -> Void = {}) {
        guard let container = containers[number], !container.options.readsXattrs else {
            completion()
            return
        }
        container.options.readsXattrs = true
        guard container.place.failure == nil else {
            completion()
            return
        }
        // The known entries stay exact meanwhile, so that no other question waits for this. It follows the comparison
        // under way, and leaves out the directories that one reads from now on.
        var comparison = Comparison(task: newComparisonTask(for: container, position: .max), of: .xattrs)
        comparison.begin(at: kernel.now(), round: pool.raiseRound())
        comparison.completions = [{ _ in completion() }]
        container.comparisons.readXattrs(comparison)
    }

    /// Begins a comparison of every directory, or of some; the one that is under way may take it in. An overflow makes a
    /// comparison begin again only so often, and then another one follows when it has ended: so each ends, and no
    /// more than one waits. A paced one, for an overflow, waits some time after the last.
    func compare(
        _ container: WatchedContainer, origin: Origin, only directories: [DirectoryID]? = nil, isPaced: Bool = false
    ) {
        // A barrier waits for whatever is more than a poll, even where a poll has found that it is needed.
        let position = directories == nil ? min(origin.position, positionNow) : origin.position
        if directories == nil { counters.comparisons += 1 }
        guard let comparison = container.comparison else {
            let comparison = Comparison(
                task: newComparisonTask(for: container, position: position),
                of: directories == nil ? .everything : .someDirectories, directories: directories ?? [],
                isPaced: isPaced)
            container.comparisons.begin(comparison, now: kernel.now())
            return
        }
        if let next = container.comparisons.next {
            lowerPosition(of: next.task, to: position)
            return
        }
        if comparison.wouldBeginAgain, comparison.beginnings.widenings >= settings.limits.comparisonWidenings {
            container.comparisons.follow(
                Comparison(
                    task: newComparisonTask(for: container, position: position), of: .everything, isPaced: isPaced,
                    restarts: comparison.beginnings.restarts))
            return
        }
        lowerPosition(of: comparison.task, to: position)
        if directories == nil { container.comparison?.widen(isPaced: isPaced, round: pool.raiseRound) }
    }

    /// A task takes over an event position: a barrier that waits for that position waits for the task.
    func lowerPosition(of task: UInt32, to position: UInt64) {
        guard readings.lowerPosition(of: task, to: position) else { return }
        deferredLookUps.lowerPositions(of: task, to: position)
    }

    /// Whether look-ups of a comparison wait, for their turn or for a move: they may find an entry that it misses
    /// elsewhere.
    func isWaiting(_ comparison: Comparison) -> Bool {
        if comparison.phase == .additions, !isAuditSettled(comparison) { return true }
        if comparison.phase == .removals, position < comparison.missing.endOfNews { return true }
        if lookUps.contains(task: comparison.task) { return true }
        return comparison.isLookingUp && deferredLookUps.contains { $0.origin.task == comparison.task }
    }

    /// Whether a comparison could go on at once.
    var hasComparisonStep: Bool {
        containers.values.contains { container in
            guard let comparison = container.comparison else { return false }
            if let time = comparison.notBefore, kernel.now() < time { return false }
            let outstanding = readings[comparison.task]?.outstanding ?? 0
            return outstanding == 0 && !isWaiting(comparison) && container.outstanding == 0
        }
    }

    func unreadSince(_ round: UInt32, _ container: WatchedContainer) -> [DirectoryID] {
        directories.directories(of: container.number) { $0.round < round && !$0.flags.contains(.reading) }
    }

    func isBehind(_ container: WatchedContainer) -> Bool {
        guard let comparison = container.comparison, !comparison.isPoll else { return false }
        let round = comparison.round
        return directories.records.contains {
            $0.flags.contains(.alive) && $0.node.container == container.number && $0.round < round
        }
    }

    func end(_ container: WatchedContainer) {
        guard let task = container.comparison?.task else { return }
        // Its crawls are reading the directories that it found and did not have to read. Its task ends with the others,
        // when nothing of it is outstanding.
        if let position = readings[task]?.position { lowerCrawls(of: container, to: position) }
        guard let comparison = container.comparisons.end(now: kernel.now(), longestPause: settings.comparisonPause)
        else { return }
        // However long it took, there is a pause before the next.
        if comparison.isAudit { auditSliceEnded(container, comparison.counts) }
        if comparison.isPoll, !comparison.isAudit, container.polling.next != nil { pollLater(container) }
        // Reading extended attributes is no news of the file system.
        if !comparison.isInBackground {
            notices.append(.compared(container: container.number, counts: comparison.counts))
        }
        for completion in comparison.completions { completion(comparison.counts) }
    }

    /// Ends a comparison that has lost its container.
    func abandonComparison(_ container: WatchedContainer) {
        while container.comparison != nil { end(container) }
    }

    /// Begins a task whose look-ups are those of a comparison.
    func newComparisonTask(for container: WatchedContainer, position: UInt64) -> UInt32 {
        let task = readings.begin(for: container, position: position)
        lookUps.comparisons.insert(task)
        return task
    }

    /// A poll may have asked for the reading under way of a directory, and no barrier waits for a poll. From now on
    /// barriers wait for it, and its findings count for this event position.
    func awaitRead(of id: DirectoryID, position: UInt64) {
        readings.awaitReading(of: id, position: position)
    }

    /// Something has told of all that may lie in a container: a barrier that waits for it waits for the readings under way
    /// there.
    func lowerCrawls(of container: WatchedContainer, to position: UInt64) {
        for (number, task) in readings.tasks where task.container === container && !container.isComparison(number) {
            lowerPosition(of: number, to: position)
        }
    }

    /// The entries of a container leave the tree while its directory is away or cannot be read.
    func detachAll(_ container: WatchedContainer) {
        guard container.knowledge.detachAll() else { return }
        uncertain.provisional.forget { $0.container == container.number }
        uncertain.detached.removeInaccessible(container.number)
        tree.detachAll(container.number)
    }

    /// The same directory on a file system that has got another number: every file on it is unchanged.
    func adoptDevice(of found: FileStatus, in container: WatchedContainer) {
        let known = tree.status(of: tree.root(of: container.number))
        guard known.device != found.device, known.inode == found.inode,
            fileIdentities.haveSameBirth(known, found)
        else { return }
        tree.renumber(deviceFrom: known.device, to: found.device, in: container.number)
    }

    /// The same for a directory below, as of a subvolume, which has a number of its own without being mounted.
    func adoptDevice(of found: FileStatus, for child: TreeNode, known: FileStatus) -> Bool {
        guard known.device != found.device, known.kind.isDirectory, found.kind == .directory,
            known.inode == found.inode, let created = known.created, created == found.created,
            containers[child.container]?.comparison?.isVerification == true
        else { return false }
        let root = tree.status(of: tree.root(of: child.container))
        guard known.device != root.device, found.device != root.device else { return false }
        tree.renumber(deviceFrom: known.device, to: found.device, in: child.container)
        directories.renumber(deviceFrom: known.device, to: found.device, in: child.container)
        return true
    }

    /// A slice has ended. One that an overflow has made a comparison of everything does not come here.
    func auditSliceEnded(_ container: WatchedContainer, _ counts: ComparisonCounts) {
        container.audit?.counts.added += counts.added
        container.audit?.counts.changed += counts.changed
        container.audit?.counts.removed += counts.removed
        counters.auditRepairs += UInt64(counts.added + counts.changed + counts.removed)
        auditSchedule.endSlice(share: settings.auditShare, now: kernel.now())
    }

    /// Whether all that a slice of the audit waits for was heard and looked at.
    func isAuditSettled(_ comparison: Comparison) -> Bool {
        guard let end = comparison.audit?.settled else { return true }
        guard position >= end, renames.isEmpty, hardLinks.files.news.isEmpty else { return false }
        return !lookUps.waits(before: end) { _ in true }
    }

    /// Whether a result belongs to a slice that is being read. The findings of such a result are only noted then: an
    /// event that reports them may be queued.
    func isAudit(_ result: CrawlResult) -> Bool {
        guard let comparison = readings[result.task]?.container.comparison else { return false }
        return comparison.isAudit && comparison.isPoll && comparison.task == result.task
    }
}
