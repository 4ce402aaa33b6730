// The steps of a comparison, from the reading of the directories to its end.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata

extension TreeWatcher {
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
            container.comparison?.begin(at: kernel.now(), round: pool.raiseRound())
        }
        let origin = Origin(position: readings[comparison.task]?.position ?? positionNow, task: comparison.task)
        switch comparison.phase {
        case .listing:
            list(container, origin)
        case .additions:
            guard readings[comparison.task]?.outstanding == 0, !isWaiting(comparison) else { return }
            guard isAuditSettled(comparison) else { return }
            // A directory that moved here was read in its new place, and that reading may have found more.
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
            // The moves of files that left a directory before it was read may be queued.
            let end = comparison.missing.isEmpty ? position : position + queuedBytes()
            container.comparison?.missing.wait(until: end)
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
        guard let comparison = container.comparison else { return }
        let task = comparison.task
        var queue = comparison.queue
        while readings[task]?.outstanding ?? 0 < settings.comparisonWindow {
            // The path of each takes as many steps as it is deep. The results of the others wake the next iteration.
            if iteration.hasTakenSteps, readings[task]?.outstanding ?? 0 > 0 { break }
            guard let id = queue.first else {
                guard readings[task]?.outstanding == 0 else { break }
                let wanted = comparison.isPoll ? [] : unreadSince(comparison.round, container)
                if wanted.isEmpty {
                    // Those that others are reading come in by themselves.
                    if !comparison.isPoll, isBehind(container) { break }
                    container.comparison?.queue = DirectoryQueue()
                    container.comparison?.phase = .additions
                    if comparison.isAudit { return settleAudit(container) }
                    lookAtAdditions(container, origin)
                    return
                }
                queue = DirectoryQueue(wanted)
                continue
            }
            // The first reading of a directory does not count for a comparison that no barrier waits for.
            if readings[task]?.position == .max, !directories[id].flags.contains(.wasRead),
                container.outstanding >= settings.comparisonWindow
            {
                break
            }
            queue.removeFirst()
            guard directories.isAlive(id), !directories[id].flags.contains(.reading) else { continue }
            if !comparison.isPoll, directories[id].round >= comparison.round { continue }
            // The entries below a directory that was never read are not known, so no other task has them read.
            read(id, descends: !directories[id].flags.contains(.wasRead), origin: origin)
            // A root that can be read again has its known entries verified, instead of this.
            guard container.comparison?.task == task else { return }
            // The root could not be opened: nothing else can be read either. It is suspected, or we are short of
            // descriptors and go on later.
            if directories[id].flags.contains(.needsReading) { break }
        }
        container.comparison?.queue = queue
    }

    /// Looks at the next slice of the entries found and not known.
    private func lookAtAdditions(_ container: WatchedContainer, _ origin: Origin) {
        lookAt(container.comparison?.found.take(atMost: settings.comparisonSlice) ?? [], origin)
    }

    /// Looks at the next slice of the entries known and not found.
    private func lookAtRemovals(_ container: WatchedContainer, _ origin: Origin) {
        lookAt(container.comparison?.missing.take(atMost: settings.comparisonSlice) ?? [], origin)
    }

    private func lookAt(_ entries: ArraySlice<(directory: DirectoryID, name: [UInt8])>, _ origin: Origin) {
        for entry in entries where directories.isAlive(entry.directory) {
            let isExpected = isForXattrs(origin, of: entry.directory)
            entry.name.withUnsafeBytes { lookUps.add($0, in: entry.directory, origin: origin, isExpected: isExpected) }
        }
        runLookUps()
    }

    /// Looks at the next slice of the names that other files have, with the look-ups that follow, in one iteration: until
    /// then rows may stand under names that are not theirs.
    private func lookAtReplacements(_ container: WatchedContainer, _ origin: Origin) {
        let slice = container.comparison?.missing.takeReplaced(atMost: settings.comparisonSlice) ?? []
        iteration.setDeadline(.max)
        defer { iteration.setDeadline(kernel.now()) }
        lookAt(slice, origin)
    }

    /// Looks at a slice of the found files with several names, after the findings themselves were looked at. A file
    /// that had moved on by then changed under its other names by that move, and its event named a name that the tree
    /// never had.
    private func lookAtLinksOfFindings(_ container: WatchedContainer, _ origin: Origin) {
        for status in container.comparison?.found.takeLinked(atMost: settings.comparisonSlice) ?? [] {
            lookAtLinks(of: status, origin: origin)
        }
        runLookUps()
    }

    /// Begins to compare the known entries of a container with its directory, every directory of which is watched and
    /// read on the way. The threads go down from the root by themselves, as in a crawl, and each directory they find
    /// gets its record. A directory that is not in its known place is read where it is found. The known entries are
    /// older than every question, so every barrier waits, whatever the event position of this.
    func verify(_ container: WatchedContainer, _ root: DirectoryID) {
        container.knowledge.verify()
        let task = newComparisonTask(for: container, position: 0)
        abandonComparison(container)
        container.comparison = Comparison(task: task, of: .oldEntries, directories: [root])
        stepComparisons()
    }
}
