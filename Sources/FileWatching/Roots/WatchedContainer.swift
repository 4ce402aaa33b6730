// What the watcher keeps for a container.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata

/// A container under watch. One object each, on the loop.
final class WatchedContainer {
    let number: UInt32
    /// What stands for it in what the next process finds; 0 for nothing.
    var key: UInt64 = 0
    /// Whether it has gone on with the watches of another process.
    var goesOn = false
    /// The absolute path, ended by a NUL.
    let path: [CChar]
    var options: CrawlOptions
    /// The container's own directory; nil while it is unavailable.
    var root: DirectoryID?
    /// Why it is unavailable.
    var failure: SystemError? = .noEntry
    /// Why the container's own directory, which is there, cannot be read.
    var rootError: SystemError?
    /// The tree has entries of it that were known before its directory was found, and they are not being verified yet.
    var isKnown = false
    /// Those entries have left the tree, to come back when the directory does.
    var isParked = false
    /// The crawl that reads it for the first time.
    var firstCrawl: UInt32?
    /// Whether it was read as a whole since it was found.
    var wasCrawled = false
    var comparison: Comparison?
    /// What begins when that has ended: more events were lost after it had taken in as many overflows as it may.
    var nextComparison: Comparison?
    /// The reading of extras that was asked for meanwhile, and begins after both.
    var nextFill: Comparison?
    /// Before this no comparison begins for an overflow.
    var comparisonPause: UInt64 = 0
    /// Where the self-audit is.
    var audit: AuditPass?
    /// Directories to be read by crawls and comparisons.
    var outstanding = 0
    /// The root, open for the threads while there is something outstanding.
    var openRoot: OpenDirectory?
    /// Where the symbolic links in the path led when the root was opened last; nil before that.
    var resolvedPath: String?
    var above = AncestorPath()
    /// Entries that were found by a look-up, ever.
    var lookUps: UInt64 = 0
    var counts = DirectoryCounts()
    /// Why directories are without a watch.
    var pollReason: PollReason?
    /// The name of its file system, where that does not tell of all changes: every directory is polled then, and watched
    /// too for what is told.
    var fileSystem: String?
    /// Whether its directory is one on which a file system is mounted, and stands for nothing without that.
    var isMountPoint = false
    /// Whether that file system is not there any more.
    var isUnmounted = false
    var nextPoll: UInt64?
    /// Where it lies in another container.
    var enclosure: Enclosure?
    /// Whether it is no container of its own for that.
    var isEnclosed = false

    var mounts = ContainerMounts()

    init(number: UInt32, path: String, options: CrawlOptions) {
        self.number = number
        self.path = path.utf8.map(CChar.init(bitPattern:)) + [0]
        self.options = options
    }

    /// Whether that is the task of a comparison that has not ended.
    func isComparison(_ task: UInt32) -> Bool {
        comparison?.task == task || nextComparison?.task == task || nextFill?.task == task
    }

    var state: ContainerState {
        if isEnclosed, let enclosure { return .unavailable(reason: enclosure.reason) }
        if isUnmounted {
            return .unavailable(reason: "its file system is not mounted")
        }
        if failure?.isOfMount == true, mounts.holdsContainer, let reason = mounts.reason {
            return .unavailable(reason: reason)
        }
        if let failure = failure ?? rootError { return .unavailable(reason: failure.description) }
        if let reason = mounts.reason, mounts.holdsContainer || (firstCrawl == nil && wasCrawled) {
            return .degraded(reason: reason)
        }
        if firstCrawl != nil { return .crawling }
        // Its directory is being read, and what is known of it comes back after that.
        if isParked { return .verifying }
        if let comparison, !comparison.isInBackground { return .verifying }
        if let fileSystem {
            return .degraded(
                reason:
                    "\(counts.directories == 1 ? "its directory is" : "all \(counts.directories) directories are") polled: \(PollReason.fileSystem(name: fileSystem))"
            )
        }
        if counts.unwatched > 0 {
            let reason = pollReason ?? .watchLimit
            let part =
                counts.directories == 1
                ? "its directory is" : "\(counts.unwatched) of \(counts.directories) directories are"
            return .degraded(reason: "\(part) polled: \(reason)")
        }
        // They are watched again, but what lies in them is not known yet, and no question waits for it.
        if let comparison, comparison.isPoll, !comparison.isAudit {
            return .degraded(reason: "directories that were polled are being read once more")
        }
        return wasCrawled ? .live : .crawling
    }
}
