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
        suspect(number, cause: causeNow)
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
        if directories == nil { counters.comparisons += 1 }
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
        if isWidening, comparison.widenings >= settings.limits.comparisonWidenings {
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
        guard readings.lowerCause(of: task, to: cause) else { return }
        deferredLookUps.lowerCauses(of: task, to: cause)
    }

    /// Whether look-ups of a comparison wait, for their turn or for a move: what they find may be what it misses elsewhere.
    private func isWaiting(_ comparison: Comparison) -> Bool {
        if comparison.phase == .additions, !isAuditSettled(comparison) { return true }
        if comparison.phase == .removals, position < comparison.endOfMissing { return true }
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
        let origin = Origin(cause: readings[comparison.task]?.cause ?? causeNow, task: comparison.task)
        switch comparison.phase {
        case .listing:
            list(container, origin)
        case .additions:
            guard readings[comparison.task]?.outstanding == 0, !isWaiting(comparison) else { return }
            guard isAuditSettled(comparison) else { return }
            // What moved here was read in its new place, and that may have found more.
            if comparison.found.hasNext {
                lookAtAdditions(container, origin)
                return
            }
            container.comparison?.found.removeEntries()
            if isBehind(container) {
                container.comparison?.phase = .listing
                return
            }
            container.comparison?.phase = .replacements
            lookAtReplacements(container, origin)
        case .replacements:
            guard readings[comparison.task]?.outstanding == 0, !isWaiting(comparison) else { return }
            if !comparison.found.isEmpty || isBehind(container) {
                container.comparison?.phase = comparison.found.isEmpty ? .listing : .additions
                return
            }
            if comparison.missing.hasNextReplaced {
                lookAtReplacements(container, origin)
                return
            }
            if comparison.found.hasLinked {
                lookAtLinksOfFindings(container, origin)
                return
            }
            container.comparison?.phase = .removals
            // The moves of what has left a directory before that was read may be queued.
            let end = comparison.missing.isEmpty ? position : position + queuedBytes()
            container.comparison?.endOfMissing = end
            if position >= end { lookAtRemovals(container, origin) }
        case .removals:
            guard readings[comparison.task]?.outstanding == 0, !isWaiting(comparison) else { return }
            if comparison.missing.hasNext {
                lookAtRemovals(container, origin)
                return
            }
            container.comparison?.missing.removeAll()
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
        while readings[task]?.outstanding ?? 0 < settings.comparisonWindow {
            // The path of each takes as many steps as it is deep. The results of the others wake the next iteration.
            if iteration.hasTakenSteps, readings[task]?.outstanding ?? 0 > 0 { break }
            if comparison.next == comparison.queue.count {
                guard readings[task]?.outstanding == 0 else { break }
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
            // What was never read counts for none that nobody waits for.
            if readings[task]?.cause == .max, !directories[id].flags.contains(.wasRead),
                container.outstanding >= settings.comparisonWindow
            {
                break
            }
            comparison.next += 1
            guard directories.isAlive(id), !directories[id].flags.contains(.reading) else { continue }
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
        lookAt(container.comparison?.found.take(atMost: settings.comparisonSlice) ?? [], origin)
    }

    /// The next slice of what was known and not found.
    private func lookAtRemovals(_ container: WatchedContainer, _ origin: Origin) {
        lookAt(container.comparison?.missing.take(atMost: settings.comparisonSlice) ?? [], origin)
    }

    private func lookAt(_ entries: ArraySlice<(directory: DirectoryID, name: [UInt8])>, _ origin: Origin) {
        for entry in entries where directories.isAlive(entry.directory) {
            let isExpected = isForExtras(origin, of: entry.directory)
            entry.name.withUnsafeBytes { lookUps.add($0, in: entry.directory, origin: origin, isExpected: isExpected) }
        }
        runLookUps()
    }

    /// The next slice of the names that other files have, with what that leads to, in one turn: until then rows may stand
    /// under names that are not theirs.
    private func lookAtReplacements(_ container: WatchedContainer, _ origin: Origin) {
        let slice = container.comparison?.missing.takeReplaced(atMost: settings.comparisonSlice) ?? []
        iteration.setDeadline(.max)
        defer { iteration.setDeadline(kernel.now()) }
        lookAt(slice, origin)
    }

    /// A slice of the files with several names that were found, when what was found has been looked at: one that had gone on by
    /// then has changed under its other names by that, and it was told of a name that the tree never had.
    private func lookAtLinksOfFindings(_ container: WatchedContainer, _ origin: Origin) {
        for status in container.comparison?.found.takeLinked(atMost: settings.comparisonSlice) ?? [] {
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
        // What it has come by and had not to read is being read by them.
        if let cause = readings[comparison.task]?.cause { lowerCrawls(of: container, to: cause) }
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
}
