// The watcher's data for a container.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata

/// A container under watch. One object each, on the loop.
final class WatchedContainer {
    let number: UInt32
    /// Its key in the handover to the next process; 0 for none.
    let key: UInt64
    /// The absolute path, ended by a NUL.
    let path: [CChar]
    var options: CrawlOptions
    /// The container's own directory; nil while it is unavailable.
    var root: DirectoryID?
    var place: RootPlace
    var knowledge: ContainerKnowledge
    var comparisons = ContainerComparisons()
    /// Where the self-audit is.
    var audit: AuditPass?
    /// Directories to be read by crawls and comparisons.
    var outstanding = 0
    /// The root, open for the threads while there is something outstanding.
    var openRoot: OpenDirectory?
    var above = AncestorPath()
    var counts = DirectoryCounts()
    var polling = ContainerPolling()
    var mounts = ContainerMounts()

    init(
        number: UInt32, path: String, options: CrawlOptions, key: UInt64 = 0, place: RootPlace = RootPlace(),
        knowledge: ContainerKnowledge = ContainerKnowledge()
    ) {
        self.number = number
        self.path = path.utf8.map(CChar.init(bitPattern:)) + [0]
        self.options = options
        (self.key, self.place, self.knowledge) = (key, place, knowledge)
    }

    /// The comparison that is under way.
    var comparison: Comparison? {
        get { comparisons.current }
        _modify { yield &comparisons.current }
    }

    /// Whether that is the task of a comparison that has not ended.
    func isComparison(_ task: UInt32) -> Bool { comparisons.has(task) }

    var state: WatchState {
        if let reason = place.reason(mounts) { return .unavailable(reason: reason) }
        if let reason = mounts.reason, mounts.holdsContainer || knowledge.isWhole { return .degraded(reason: reason) }
        if knowledge.firstCrawl != nil { return .crawling }
        // Its directory is being read, and its known entries come back after that.
        if knowledge.isDetached { return .verifying }
        if let comparison, !comparison.isInBackground { return .verifying }
        if let reason = polling.degradation(counts) { return .degraded(reason: reason) }
        // They are watched again, but their entries are not known yet, and no question waits for it.
        if let comparison, comparison.isPoll, !comparison.isAudit {
            return .degraded(reason: "directories that were polled are being read once more")
        }
        return knowledge.wasRead ? .live : .crawling
    }
}
