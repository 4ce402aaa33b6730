// Barriers, and the work under way that they wait for.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

extension TreeWatcher {
    /// A point that is reached when everything that the kernel has queued until now is in the tree, and whatever is
    /// under way because of it, or was when this was called, is done. Where no event tells of the way to one of these
    /// containers, or of any, that is gone anew.
    package func barrier(for numbers: Set<UInt32>? = nil) -> Barrier {
        // No event tells of a mount, and the thread that waits for them may not have spoken yet.
        if kernel.haveMountsChanged() { mountsChanged() }
        suspectUnwatched(numbers)
        let barrier = Barrier(position: position + queuedBytes())
        events.force(to: barrier.position)
        applied.noteBarrier(at: barrier.position)
        opening.cache.closeAllAtBarrier()
        return barrier
    }

    /// Whether a barrier is reached: for all containers, or as far as those named are concerned. With nothing queued
    /// and nothing under way it is reached at once.
    package func isReached(_ barrier: Barrier, in numbers: Set<UInt32>? = nil) -> Bool {
        position >= barrier.position
            && !WorkKind.allCases.contains { isUnderWay($0, before: barrier.position, in: numbers) }
    }

    /// The position before which all that events have told is in the tree, with whatever came of it.
    var settledPosition: UInt64 { WorkKind.allCases.reduce(position) { min($0, leastPosition(of: $1)) } }

    /// Describes the work under way, for a person who asks why a barrier is not reached.
    package var unfinished: String {
        let work = WorkKind.allCases.filter { count(of: $0) > 0 }.map { kind in
            let oldest = leastPosition(of: kind)
            return "\(kind) \(count(of: kind))" + (oldest == .max ? "" : " since \(oldest)")
        }
        let comparisons = containers.values.compactMap { container in
            container.comparison.map {
                "container \(container.number): \($0.phase), \($0.queue.count) to be read, \(container.outstanding) outstanding"
            }
        }
        return "position \(position) + \(queuedBytes()), \(work.joined(separator: ", ")), look-ups \(lookUps.counts), "
            + "inbox \(inbox.count) at \(inbox.position), comparisons \(comparisons)"
    }

    // MARK: The work of each kind

    /// Returns whether work of a kind is under way in some containers, or in any, that an event before a position has caused.
    private func isUnderWay(_ kind: WorkKind, before position: UInt64, in numbers: Set<UInt32>?) -> Bool {
        let concerns = { (number: UInt32) in numbers?.contains(number) ?? true }
        let isIn = { (id: DirectoryID) in concerns(self.directories.container(of: id)) }
        switch kind {
        case .readings:
            return readings.tasks.values.contains { $0.position < position && concerns($0.container.number) }
        case .awaitedReadings: return readings.awaited.contains { $0.value < position && isIn($0.key) }
        case .renames: return renames.all.contains { $0.origin.position < position && concerns($0.container) }
        case .deferredLookUps: return deferredLookUps.contains { $0.origin.position < position && isIn($0.directory) }
        case .names: return lookUps.waits(before: position, where: isIn)
        case .linkNews: return hardLinks.files.news.values.contains { $0.origin.position < position }
        case .linkedFiles: return hardLinks.files.wanted.values.contains { $0.position < position }
        case .crawledLinks:
            return hardLinks.files.crawled.contains { number, links in
                concerns(number) && links.values.contains { $0.position < position }
            }
        case .unresolvedLinks:
            return hardLinks.files.unresolved.values.contains {
                $0.position < position && $0.containers.contains(where: concerns)
            }
        case .roots: return roots.suspects.contains { $0.value < position && concerns($0.key) }
        case .heldEvents: return false
        }
    }

    /// Returns the position of the oldest event that has caused work of a kind, or one before it; `UInt64.max` for none.
    private func leastPosition(of kind: WorkKind) -> UInt64 {
        switch kind {
        case .readings: readings.tasks.values.reduce(.max) { min($0, $1.position) }
        case .awaitedReadings: readings.awaited.values.reduce(.max, min)
        case .renames: renames.leastPosition ?? .max
        case .deferredLookUps: deferredLookUps.reduce(.max) { min($0, $1.origin.position) }
        case .names: lookUps.leastPosition
        case .linkNews: hardLinks.files.news.values.reduce(.max) { min($0, $1.origin.position) }
        case .linkedFiles: hardLinks.files.wanted.values.reduce(.max) { min($0, $1.position) }
        case .crawledLinks: hardLinks.files.crawled.values.joined().reduce(.max) { min($0, $1.value.position) }
        case .unresolvedLinks: hardLinks.files.unresolved.values.reduce(.max) { min($0, $1.position) }
        case .roots: roots.suspects.values.reduce(.max, min)
        case .heldEvents: watches.unknown.leastPosition
        }
    }

    /// Returns how many pieces of work of a kind are under way.
    private func count(of kind: WorkKind) -> Int {
        switch kind {
        case .readings: readings.tasks.count
        case .awaitedReadings: readings.awaited.count
        case .renames: renames.count
        case .deferredLookUps: deferredLookUps.count
        case .names: lookUps.countOfAll
        case .linkNews: hardLinks.files.news.count
        case .linkedFiles: hardLinks.files.wanted.count
        case .crawledLinks: hardLinks.files.crawled.values.reduce(0) { $0 + $1.count }
        case .unresolvedLinks: hardLinks.files.unresolved.count
        case .roots: roots.suspects.count
        case .heldEvents: watches.unknown.count
        }
    }
}
