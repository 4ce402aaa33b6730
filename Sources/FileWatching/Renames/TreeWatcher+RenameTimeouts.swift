// Pending renames whose `IN_MOVED_TO` has not come in time: their file is gone, unless it is found elsewhere.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata

extension TreeWatcher {
    /// Whether a pending rename waits longer: its file may lie in a directory that is being read.
    func isKeptForCrawl(_ rename: PendingRename) -> Bool {
        guard let container = containers[rename.container], container.outstanding > 0,
            // Pending renames that are held to the end of a comparison wait for the crawls as well.
            container.comparison.map({ $0.isInBackground || !$0.holdsRemovals }) ?? true
        else { return false }
        return readings.tasks.values.contains {
            $0.container === container && $0.outstanding > 0 && $0.position < rename.expiry
        }
    }

    /// The event position of the first of the look-ups that wait for queued events. One of them may find the file of a
    /// pending rename, or have its directory read, so renames whose time was over after this wait longer. One that waits for
    /// its directory may wait for such a rename itself.
    var oldestAwaitedNews: UInt64 {
        deferredLookUps.reduce(.max) { $1.waitsForNews ? min($0, $1.origin.position) : $0 }
    }

    /// Whether the `IN_MOVED_TO` may be among the queued events.
    func isAnnounced(_ rename: PendingRename) -> Bool { rename.end.map { position < $0 } ?? false }

    /// A program that is put off by others between the two events of a rename may stay so for longer than any time that a
    /// removal could wait: on a loaded machine one of some thousand renames. But it holds the directory, so having waited
    /// for that, the `IN_MOVED_TO` is queued, or there is none.
    private func settleTimeouts() {
        var ends: [DirectoryID: UInt64] = [:]
        for (serial, id) in renames.unsettled(now: kernel.now()) {
            if ends[id] == nil {
                if directories.isAlive(id), let directory = try? descriptor(of: id) {
                    kernel.finishRenames(in: directory)
                }
                ends[id] = position + queuedBytes()
            }
            if let end = ends[id] { renames.settle(serial, before: end) }
        }
    }

    /// Pending renames whose time is over are removals, to be verified like everything else; during a comparison they are
    /// held to its end, since the overflow may have swallowed the `IN_MOVED_TO`. One in the background, for which no
    /// barrier waits, does not hold them up.
    func expireRenames() {
        guard !renames.isEmpty else { return }
        settleTimeouts()
        // A look-up that waited for its directory may now have a directory read in which a file lies.
        let awaited = min(oldestAwaitedNews, deferredLookUps.positionOfRetried(taken: lookUps.taken))
        let isKept = { (rename: PendingRename) in
            self.isAnnounced(rename) || self.lookUps.taken < rename.lookUps || self.isKeptForCrawl(rename)
                || awaited < rename.expiry
        }
        let end = lookUps.end
        var missing: [Int] = []
        var isAnyThere = false
        // The file that left another name may have come to this one, or into the directory here. It is gone for good
        // only if the look-ups of those have not found it.
        for serial in renames.expired(now: kernel.now()) {
            guard let rename = renames.expire(serial, position: position, lookUps: end, isKept: isKept) else {
                continue
            }
            guard directories.isAlive(rename.directory), holder(of: rename) == nil, !rename.isDetached,
                let found = rename.name.withUnsafeBytes({ status(of: $0, in: rename.directory) })
            else {
                missing.append(serial)
                continue
            }
            _ = renames.take(serial)
            counters.movesUnpaired += 1
            removeLeft(rename, found)
            rename.name.withUnsafeBytes { lookUps.add($0, in: rename.directory, origin: rename.origin) }
            isAnyThere = true
        }
        if isAnyThere { renames.awaitLookUps(lookUps.end) }
        for serial in missing {
            guard renames.expire(serial, position: position, lookUps: end, isKept: isKept) != nil,
                let rename = renames.take(serial)
            else { continue }
            counters.movesUnpaired += 1
            guard directories.isAlive(rename.directory) else { continue }
            if let (container, task) = holder(of: rename) {
                lowerPosition(of: task, to: rename.origin.position)
                if rename.isDetached { continue }
                holdRemoval(rename.directory, rename.name, identity: rename.identity, in: container)
            } else if !rename.isDetached {
                rename.name.withUnsafeBytes { lookUps.add($0, in: rename.directory, origin: rename.origin) }
            }
        }
    }

    /// The container whose comparison holds a pending rename to its end, and the task of that; nil where none does.
    private func holder(of rename: PendingRename) -> (container: WatchedContainer, task: UInt32)? {
        guard let container = containers[rename.container], let comparison = container.comparison,
            comparison.holdsRemovals, !comparison.isInBackground
        else { return nil }
        return (container, comparison.task)
    }

    /// Removes the row of a file that has left for good, unless it is back: whatever else has its name now is another, and
    /// may be a directory in which it lies.
    private func removeLeft(_ rename: PendingRename, _ found: KernelStatus) {
        let parent = directories[rename.directory].node
        guard let node = rename.name.withUnsafeBytes({ tree.child(of: parent, named: $0) }), isRow(node, of: rename),
            likelyFile(of: node).map({ !fileIdentities.isSame(found.file, $0) }) ?? true
        else { return }
        removeNode(node, origin: rename.origin, isDisplaced: true, isOutdated: rename.isOutdated)
    }
}
