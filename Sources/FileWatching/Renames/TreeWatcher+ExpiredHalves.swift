// First halves of renames whose second has not come in time: their file is gone, unless it is found elsewhere.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata

extension TreeWatcher {
    /// Whether the first half waits longer: its file may lie in a directory that is being read.
    func isKeptForCrawl(_ half: RenameHalf) -> Bool {
        guard let container = containers[half.container], container.outstanding > 0,
            // First halves that are held to the end of a comparison wait for the crawls as well.
            container.comparison.map({ $0.isInBackground || !$0.holdsRemovals }) ?? true
        else { return false }
        return readings.tasks.values.contains {
            $0.container === container && $0.outstanding > 0 && $0.cause < half.expiry
        }
    }

    /// The event position of the first of the look-ups that wait for queued events. One of them may find the file of a
    /// first half, or have its directory read, so halves whose time was over after this wait longer. One that waits for
    /// its directory may wait for such a half itself.
    var oldestAwaitedNews: UInt64 { deferredLookUps.reduce(.max) { $1.waitsForNews ? min($0, $1.origin.cause) : $0 } }

    /// Whether the second half may be among the queued events.
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

    /// First halves whose time is over are removals, to be verified like everything else; during a comparison they are
    /// held to its end, since the overflow may have swallowed the second half. One in the background, for which no
    /// barrier waits, does not hold them up.
    func expireHalves() {
        guard !halves.isEmpty else { return }
        settleHalves()
        // A look-up that waited for its directory may now have a directory read in which a file lies.
        let awaited = min(oldestAwaitedNews, deferredLookUps.causeOfRetried(taken: lookUps.taken))
        let isKept = { (half: RenameHalf) in
            self.isAnnounced(half) || self.lookUps.taken < half.lookUps || self.isKeptForCrawl(half)
                || awaited < half.expiry
        }
        let end = lookUps.end
        var missing: [Int] = []
        var isAnyThere = false
        // The file that left another name may have come to this one, or into the directory here. It is gone for good
        // only if the look-ups of those have not found it.
        for serial in halves.expired(now: kernel.now()) {
            guard let half = halves.expire(serial, position: position, lookUps: end, isKept: isKept) else { continue }
            guard directories.isAlive(half.directory), holder(of: half) == nil, !half.isDetached,
                let found = half.name.withUnsafeBytes({ status(of: $0, in: half.directory) })
            else {
                missing.append(serial)
                continue
            }
            _ = halves.take(serial)
            counters.movesUnpaired += 1
            removeLeft(half, found)
            half.name.withUnsafeBytes { lookUps.add($0, in: half.directory, origin: half.origin) }
            isAnyThere = true
        }
        if isAnyThere { halves.awaitLookUps(lookUps.end) }
        for serial in missing {
            guard halves.expire(serial, position: position, lookUps: end, isKept: isKept) != nil,
                let half = halves.take(serial)
            else { continue }
            counters.movesUnpaired += 1
            guard directories.isAlive(half.directory) else { continue }
            if let (container, task) = holder(of: half) {
                lowerCause(of: task, to: half.origin.cause)
                if half.isDetached { continue }
                holdRemoval(half.directory, half.name, identity: half.identity, in: container)
            } else if !half.isDetached {
                half.name.withUnsafeBytes { lookUps.add($0, in: half.directory, origin: half.origin) }
            }
        }
    }

    /// The container whose comparison holds the first half to its end, and the task of that; nil where none does.
    private func holder(of half: RenameHalf) -> (container: WatchedContainer, task: UInt32)? {
        guard let container = containers[half.container], let comparison = container.comparison,
            comparison.holdsRemovals, !comparison.isInBackground
        else { return nil }
        return (container, comparison.task)
    }

    /// Removes the row of a file that has left for good, unless it is back: whatever else has its name now is another, and
    /// may be a directory in which it lies.
    private func removeLeft(_ half: RenameHalf, _ found: KernelStatus) {
        let parent = directories[half.directory].node
        guard let node = half.name.withUnsafeBytes({ tree.child(of: parent, named: $0) }), isRow(node, of: half),
            likelyFile(of: node).map({ !fileIdentities.isSame(found.file, $0) }) ?? true
        else { return }
        removeNode(node, origin: half.origin, isDisplaced: true, isOutdated: half.isOutdated)
    }
}
