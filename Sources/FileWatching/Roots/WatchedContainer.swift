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
    /// Watches on the directories above it, and what each is needed for.
    var ancestors: [Int32: InotifyMask] = [:]
    /// The names on the way down to it, those that symlinks add too.
    var ancestorNames: Set<[UInt8]> = []
    /// What decides who may pass the directories above it, from `/` on and through symlinks; nil while that is not known.
    var above: [FileAccess]?
    /// Whether one of the directories above it may be searched, but not read, and so not be watched: nothing tells when that is
    /// closed, or when the next one on the way gets another name.
    var hasUnheardAncestors = false
    /// Whether a watch above it tells more than is needed, and could not be changed while directories are being read.
    var hasWideAncestors = false
    /// Entries that were found by a look-up, ever.
    var lookUps: UInt64 = 0
    var directories = 0
    var watches = 0
    var unreadable = 0
    var unwatched = 0
    /// Those of them that would have a watch if there were more.
    var overLimit = 0
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

    /// The mounts in it that do not answer, or the one that it lies on, and those of them that a notice has named.
    var unreachable: [UnreachableMount] = []
    var toldUnreachable: Set<Mount> = []
    var isOnUnreachableMount = false

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
        if failure?.isOfMount == true, isOnUnreachableMount, let reason = unreachableReason {
            return .unavailable(reason: reason)
        }
        if let failure = failure ?? rootError { return .unavailable(reason: failure.description) }
        if let reason = unreachableReason, isOnUnreachableMount || (firstCrawl == nil && wasCrawled) {
            return .degraded(reason: reason)
        }
        if firstCrawl != nil { return .crawling }
        // Its directory is being read, and what is known of it comes back after that.
        if isParked { return .verifying }
        if let comparison, !comparison.isInBackground { return .verifying }
        if let fileSystem {
            return .degraded(
                reason:
                    "\(directories == 1 ? "its directory is" : "all \(directories) directories are") polled: \(PollReason.fileSystem(name: fileSystem))"
            )
        }
        if unwatched > 0 {
            let reason = pollReason ?? .watchLimit
            let part = directories == 1 ? "its directory is" : "\(unwatched) of \(directories) directories are"
            return .degraded(reason: "\(part) polled: \(reason)")
        }
        // They are watched again, but what lies in them is not known yet, and no question waits for it.
        if let comparison, comparison.isPoll, !comparison.isAudit {
            return .degraded(reason: "directories that were polled are being read once more")
        }
        return wasCrawled ? .live : .crawling
    }
}

/// A crawl or a comparison under way.
struct CrawlTask {
    /// One that was begun in a turn: of which container, and whether something has told of what it reads.
    struct OfTurn: Hashable {
        var container: UInt32
        var isTold: Bool
    }

    /// The object, not its number: another container may get the number while results are on their way.
    let container: WatchedContainer
    /// The position in the stream of events that caused it, for barriers.
    var cause: UInt64
    /// Directories still to be read.
    var outstanding = 0
}

/// A comparison of a container's tree with the file system.
struct Comparison {
    enum Phase { case listing, additions, replacements, removals }

    var task: UInt32
    /// Whether it is only of some directories, those without a watch.
    var isPoll: Bool
    /// Whether it is only to read extras of what is known, and known to be right.
    var isForExtras = false
    /// Whether nobody waits for it but who asks for just that, so that it holds up nothing that an event has told.
    var isInBackground: Bool { isPoll || isForExtras }
    /// The round (see ``CrawlPool/round``) from which on a reading of a directory is good enough.
    var round: UInt32 = 0
    /// When it began; nil before that: then it takes in whatever comes.
    var began: UInt64?
    /// How often it has begun again for another overflow.
    var widenings = 0
    /// Whether it is a slice of the self-audit; a poll then, as long as nothing more is asked for.
    var isAudit = false
    /// Whether a directory that had no watch has got one meanwhile.
    var hasWatched = false
    /// For that: where the stream was when all was read, and the files with one name that were found and not known there.
    var settled: UInt64?
    var unknownFiles: Set<InodeNumber> = []
    /// Whether an overflow has caused it.
    var isPaced = false
    var phase = Phase.listing
    /// How often look-ups of its own that were given up have made it begin again.
    var restarts = 0
    /// Whether what is known comes from before the container was found: nothing of it was read yet.
    var isVerification = false
    /// We are short of something: it goes on when there may be some again.
    var notBefore: UInt64?
    var queue: [DirectoryID] = []
    var next = 0
    /// Entries that were found and not known, and entries that were known and not found. Both are held to the end, to
    /// recognise what moved.
    var additions: [(directory: DirectoryID, name: [UInt8])] = []
    /// Files with several names that were found and are not in the tree until that is looked at.
    var linkedFindings: [InodeNumber: FileStatus] = [:]
    /// How many of the additions have been looked at.
    var nextAddition = 0
    var removals: [(directory: DirectoryID, name: [UInt8])] = []
    /// How many of the removals have been looked at.
    var nextRemoval = 0
    var removalOfFile: [FileIdentity: Int] = [:]
    /// What may tell where the removals went lies before this in the stream, and is heard before they are looked at.
    var endOfMissing: UInt64 = 0
    /// Those of the removals whose names other files have: they are looked at when all that moved away was recognised.
    var replacements: [Int] = []
    var isReplacement: Set<Int> = []
    /// How many of the replacements have been looked at.
    var nextReplacement = 0
    var counts = ComparisonCounts()
    var completions: [(ComparisonCounts) -> Void] = []

    /// Notes what was found and is looked at later.
    mutating func noteFinding(_ status: FileStatus) {
        guard status.links > 1, !status.kind.isDirectory else { return }
        linkedFindings[InodeNumber(device: status.device, inode: status.inode)] = status
    }

    /// Whether what is held now will be looked at before the end.
    var holdsRemovals: Bool { phase == .listing || phase == .additions }
    /// Whether it is on its way through all directories, for what they hold.
    var isListingAll: Bool { phase == .listing && !isInBackground }
    /// Whether look-ups of its own are under way, as against readings.
    var isLookingUp: Bool { phase == .additions || phase == .replacements }
}

/// What events said about a watch that the loop does not know yet.
struct HeldEvents {
    var names: Set<[UInt8]> = []
    /// There were more names than are kept: the directory must be read again.
    var isCut = false
    var touchesDirectory = false
    /// They tell of the directory's mode, its owner or its access control list.
    var tellsAttributes = false
    var cause: UInt64
}
