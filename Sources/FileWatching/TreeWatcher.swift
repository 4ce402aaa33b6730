// The watcher: keeps a tree equal to directory trees on disk, by inotify, look-ups, crawls and comparisons.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata

/// Keeps a tree equal to directory trees on disk.
///
/// Events are hints: they name an entry to look at, and only a `statx` made afterwards writes the tree. Everything but
/// the crawling threads runs on the caller's thread, in ``turn()``; the watcher is not Sendable and needs no locks.
/// Between two turns the tree is consistent, and after a turn it reflects what the turn's look-ups saw.
package final class TreeWatcher<Kernel: WatchKernel, Tree: WatchedTree> {
    package let kernel: Kernel
    package let tree: Tree
    package internal(set) var settings: WatchSettings

    let pool: CrawlPool<Kernel>
    var containers: [UInt32: WatchedContainer] = [:]
    var directories = DirectoryTable()
    /// Names to look at now, those that may wait until there is time, and those that change all the time.
    var lookUps = LookUpQueue()
    var patientLookUps = LookUpQueue(countsDirectories: true)
    var hotLookUps = LookUpQueue()
    var hotEntries = HotEntries()
    /// When the hot ones are looked at.
    var hotDeadline: UInt64?
    /// By slot: the last turn in which a look-up of a directory was let past others.
    var promptTurns: [UInt32] = []
    /// Up to here barriers wait for everything, hot entries included.
    var forcedPosition: UInt64 = 0
    /// When events are read again; see ``WatchSettings/hotReadPause``.
    package internal(set) var readsAgain: UInt64?
    /// The turn: its number, when it began, when it should end, and how many look-ups it has made.
    var turnNumber: UInt32 = 0
    var turnTime: UInt64 = 0
    var turnDeadline: UInt64 = 0
    var lookUpsOfTurn = 0
    /// How many directories it has climbed over since: in a deep tree a look-up costs as much as there lie above it.
    var stepsOfTurn = 0
    /// Whether the events that were read tell of entries that change all the time, and of nothing else.
    var onlyHot = false
    /// The same of what lies in entries, of their modes and times, and no names that come or go; and how fast they come.
    var onlyContent = false
    var pace = ReadPace()
    var deferredLookUps = DeferredLookUps()
    /// How many of those are to be checked for directories that have left the tree.
    var deferredToCheck = 0
    /// Descriptors of directories that have left the tree.
    var unclosed: [CInt] = []
    /// Directories that are not where their rows are.
    var lostDirectories = LostDirectories()
    /// The directory that could not be opened on the way to the last one that could not.
    var obstacle: DirectoryID?
    var halves = RenameHalves()
    /// Containers in which something was removed that may come again.
    var containersWithAside: Set<UInt32> = []
    /// The same of closed directories, as long as they are closed.
    var containersWithClosed: Set<UInt32> = []
    /// Where in the stream what tells of them lies before; and whence they may have moved on, which may not be queued yet.
    var asidePosition: UInt64 = 0
    var movedOnFrom: Set<DirectoryID> = []
    /// Rows that may know what was not heard of yet.
    var ahead: RowsAhead
    /// Of the second pair of an exchange that was recognised by the first; 0 for none.
    var exchangeCookie: UInt32 = 0
    /// Where that of one that was recognised by its files is to come from.
    var secondPair: SecondPair?
    var tasks: [UInt32: CrawlTask] = [:]
    var lastTask: UInt32 = 0
    /// The crawls of this turn: a burst of new directories is one, not one for each.
    var tasksOfTurn: [CrawlTask.OfTurn: UInt32] = [:]
    /// Directories that are to be read, of all tasks.
    var outstandingJobs = 0
    /// Directories that jobs are on their way to, by ticket.
    var tickets: [UInt64: DirectoryID] = [:]
    /// Those of them for which something else waits than what has asked for the job, and the first that has caused it.
    var awaitedReads: [DirectoryID: UInt64] = [:]
    /// How often in a row the reading of a directory has found something else in its place; see ``WatchLimits/readsAstray``.
    var readsAstray: [DirectoryID: UInt8] = [:]
    /// What has caused the first of the look-ups that have waited and are to be made now, and the end of those.
    var retriedLookUps: (cause: UInt64, end: UInt64) = (.max, 0)
    /// Results that were taken from the threads, of which the first `inboxNext` have been applied. They are applied
    /// when the stream of events has been read up to `inboxPosition`, where it was when they were taken: then whatever
    /// moved before a directory was read has been heard of.
    var inbox: [CrawlResult] = []
    var inboxNext = 0
    var inboxPosition: UInt64 = 0
    var processedEntries = 0
    /// How far the first of them was taken that has not been applied, where it is large.
    var slices: DirectorySlices?
    /// Events for watches that nobody knows yet, while something is being read.
    var heldEvents: [Int32: HeldEvents] = [:]
    /// Watches of known directories that have told of something while directories were being read, and the last of them.
    var heardWatches: Set<Int32> = []
    var lastHeardWatch: Int32 = -1
    /// When the self-audit has something to do, and the processor time of the slice that is under way.
    var nextAudit: UInt64?
    var auditCost: UInt64 = 0
    /// Whether more was due than the last slices have seen.
    var isAuditBehind = false
    /// Names in directories that are being read again, where extras are read.
    var touchedNames: [Int32: Set<[UInt8]>] = [:]
    /// Watches that have ended while something is being read: a result may still speak of them. Where they became too many
    /// they were forgotten, and every result with an earlier ticket than this is taken for one that does.
    var goneWatches: Set<Int32> = []
    var goneTicket: UInt64 = 0
    /// Watches to be ended, in order; one that is wanted again leaves the set.
    var unwantedWatches: [Int32] = []
    var unwanted: Set<Int32> = []
    /// When the stream has been read up to here, the queue has room for another slice of removals.
    var removalPosition: UInt64 = 0
    /// Containers by the watches on the directories above them.
    var ancestorWatches: [Int32: AncestorWatch] = [:]
    /// Directories that cannot be read, or not be reached: they are read again when that may have changed.
    var unreadable: Set<DirectoryID> = []
    /// Containers whose root must be looked at, and what has caused that first.
    var suspects: [UInt32: UInt64] = [:]
    /// What the look-ups of a turn have found out about files with several names.
    var linkNews: [InodeNumber: LinkNews] = [:]
    /// Containers above which it has changed who may pass.
    var passageChanges: Set<UInt32> = []
    /// Files with several names that came up, of which not all names are known: one may be known with one link.
    var linkedFiles: [InodeNumber: Origin] = [:]
    /// The same of those that crawls came by, by container.
    var crawledLinks: [UInt32: [InodeNumber: Origin]] = [:]
    /// Files whose names were looked for while directories were being read. Where they became too many they were forgotten, and
    /// every file of a result with an earlier ticket than this is taken for one of them.
    var soughtLinks: Set<InodeNumber> = []
    var soughtTicket: UInt64 = 0
    /// Files with several names, one of which was lost while there was more to hear.
    var strays: [InodeNumber: StrayLink] = [:]
    /// Names by which files were opened that live on under others.
    var unlinkedNames = UnlinkedNames()
    /// Names that are not there and whose content has changed, of files that are not known.
    var unresolvedNames: [(name: UnlinkedNames.Name, origin: Origin)] = []
    /// Files that were renamed of late, and may be the backups of programs that save.
    var backups: [TreeNode: Backup] = [:]
    /// File systems whose birth times say nothing of which file it is (see ``FileSystemType/keepsBirthTimes``).
    var devicesWithoutBirthTimes: Set<UInt64> = []
    var ignoresNames = false
    var cache: DirectoryCache
    /// Whether all directories are closed when the latest barrier is reached.
    var closesDirectories = false
    var notices: [WatchNotice] = []
    var isClosed = false
    /// How many watches there are, for the threads too.
    let budget: WatchBudget
    /// Watches that the kernel has, or had a moment ago.
    var heldWatches = WatchNumbers()
    /// Directories that have none since there are too few, of all containers.
    var overLimit = 0
    /// When directories that want a watch may get those that others have or have had.
    var nextBalance: UInt64?
    /// What was mounted when that was looked at last; nil before the first container.
    var knownMounts: Set<Mount>? {
        didSet { namesAboveMounts = knownMounts?.namesAbove ?? [] }
    }
    private(set) var namesAboveMounts: Set<[UInt8]> = []
    /// Whether a directory above a mount that may hang was perhaps renamed.
    var mountsMayHaveMoved = false
    /// Mounts and unmounts while directories were being read, which are looked at again, now and then until no more are; and
    /// those for which there was no descriptor.
    var unsureMounts: Set<Mount> = []
    var nextMountLook: UInt64?
    /// Mounts that do not answer, the version of that list, and when they are asked again and how much later after that.
    var unreachable: [UnreachableMount] = []
    var reachabilityVersion: UInt64 = 0
    var asksMountsAgain: UInt64?
    var mountPause = WatchLimits.mountRetry
    /// Whether one of those, or the table itself, could not be read for want of something.
    var lacksMounts = false
    /// Whether a watcher without threads reads directories in its turns; a test can hold that back, or have it read some.
    package var performsJobs = true
    package var jobsPerTurn = 64
    package internal(set) var counters = WatchCounters()

    /// The oldest event that a look-up of this turn was made for, by its place in the stream, and when which was read.
    var oldestCause = UInt64.max
    var readTimes = ReadTimes()

    /// Bytes of the stream that have been heard, plus 1, so that there is a position before the first.
    var position: UInt64 = 1
    /// Bytes that were read and not heard: they lie at the beginning of `readBuffer`, and what follows decides the first.
    var undecided = 0

    /// What the next process is to find; nil where nobody keeps it.
    package internal(set) var kept: KeptMemory?
    /// What another process has left and was not taken over yet: until that is done nothing is heard.
    var keptStart: KeptStart?
    var isAwaitingContainers = false
    /// Renames before this position were heard by another process, which has moved their rows.
    var heardBefore: UInt64 = 0
    /// First halves among them, by cookie, while they are heard again.
    var halvesBefore: [UInt32: HalfBefore] = [:]
    /// What was told to the next process of each slot, and of each container.
    var keptEntries: [KeptEntry?] = []
    var keptFlags: [UInt32: KeptContainer.Flags] = [:]
    var keptMounts: Set<Mount>?
    /// The slots whose records may have changed, and the number of the journal up to which what was going on was told.
    var keptNoted: [Int32] = []
    var keptSequence: UInt64?
    var hasKeptState = false
    /// The rows of first halves of which the process before has told that they waited, by cookie.
    var rowsOfHalves: [UInt32: TreeNode] = [:]
    /// Whether nothing is told to the next process at present.
    var isKeptWithdrawn = false
    /// What the kernel has said of the watches of the process before, as long as more is to be heard first.
    var watchCheck: WatchCheck?
    /// Watches that were there when this process began and that nobody has claimed.
    var orphanWatches: Set<Int32> = []

    // Buffers of the loop's own; released in deinit. `nameBuffer` holds the name of the look-up that is being made.
    let readBuffer: UnsafeMutableRawBufferPointer
    let nameBuffer: UnsafeMutableRawBufferPointer
    let extrasBuffer: UnsafeMutableRawBufferPointer
    var pathBuffer: [UInt8] = []

    /// Makes a watcher; nothing is watched yet.
    /// - Parameter wake: called from a crawling thread when there is something to take: ``turn()`` must be called soon.
    package init(
        kernel: Kernel, tree: Tree, settings: WatchSettings = WatchSettings(), wake: @escaping @Sendable () -> Void
    ) {
        self.kernel = kernel
        self.tree = tree
        self.settings = settings
        let budget = WatchBudget(isWanted: settings.watches)
        self.budget = budget
        pool = CrawlPool(
            kernel: kernel, budget: budget, threads: settings.crawlThreads,
            entriesAheadLimit: settings.crawledEntriesAhead, limits: settings.limits, wake: wake)
        ahead = RowsAhead(least: settings.limits.leastAhead)
        cache = DirectoryCache(limit: settings.openDirectoryLimit)
        readBuffer = .allocate(byteCount: max(settings.readBufferSize, 65_536), alignment: 8)
        nameBuffer = .allocate(byteCount: WatchLimits.nameLength + 1, alignment: 8)
        extrasBuffer = .allocate(byteCount: WatchLimits.extrasBuffer, alignment: 8)
        kernel.onLateAnswer(wake)
    }

    deinit {
        close()
        readBuffer.deallocate()
        nameBuffer.deallocate()
        extrasBuffer.deallocate()
    }

    /// Ends the crawling threads and closes every directory. The watcher does nothing afterwards.
    package func close() {
        guard !isClosed else { return }
        isClosed = true
        pool.stop()
        closeOpenDirectories()
        closeDescriptors(isAll: true)
        for container in containers.values { container.openRoot = nil }
        inbox = []
    }

    /// Does what is due: call it when the inotify descriptor is readable, when woken, and at ``nextDeadline``.
    /// Returns whether there is more to do at once: then call it again after giving others their turn.
    package func turn() -> Bool {
        guard !isClosed, !isAwaitingContainers else { return false }
        var more = false
        tasksOfTurn = [:]
        beginTurn()
        if settings.crawlThreads == 0, performsJobs { more = performJobs() }
        followMounts()
        takeResults()
        releaseHotLookUps()
        if !isFull, readEvents() { more = true }
        if mountsMayHaveMoved { mountsChanged() }
        retryDeferredLookUps()
        expireHalves()
        lookForStrays()
        runLookUps()
        checkSuspects()
        if applyResults() { more = true }
        runLookUps()
        stepComparisons()
        findLinks()
        runPatientLookUps()
        finishTasks()
        dropDeferredLookUps()
        endAside()
        endClosed()
        removeUnwantedWatches()
        closeDescriptors()
        poll()
        audit()
        balance()
        lookAtUnsureMounts()
        closeAhead()
        finishCheck()
        followMounts()
        // After all that opens any, or one more turn would be needed for them.
        closeIdleDirectories()
        more =
            more || !lookUps.isEmpty || !patientLookUps.isEmpty || !linkNews.isEmpty || !suspects.isEmpty
            || deferredLookUps.contains(where: isDue) || strays.values.contains(where: isDue)
            || hasComparisonStep || hasLinksToFind || !movedOnFrom.isEmpty
            || (!unwantedWatches.isEmpty && position >= removalPosition) || !unclosed.isEmpty
        if closesDirectories, isReached(Barrier(position: forcedPosition)) { closeOpenDirectories() }
        return more
    }

    private func beginTurn() {
        turnNumber &+= 1
        turnTime = kernel.now()
        turnDeadline = turnTime &+ settings.turnBudget
        (lookUpsOfTurn, stepsOfTurn) = (0, 0)
        oldestCause = .max
    }

    /// When ``turn()`` must be called at the latest, in the kernel's nanoseconds; nil when only events and wakes can
    /// cause work.
    package var nextDeadline: UInt64? {
        var deadline: UInt64?
        func consider(_ time: UInt64?) {
            if let time { deadline = min(deadline ?? .max, time) }
        }
        let awaited = halves.isEmpty ? .max : oldestAwaitedNews
        for half in halves.all where !isAnnounced(half) && !isKeptForCrawl(half) && awaited >= half.expiry {
            consider(half.deadline)
        }
        consider(hotDeadline)
        consider(readsAgain)
        if isAuditBehind || !settings.hasRegularTurns { consider(nextAudit) }
        consider(nextMountLook)
        consider(asksMountsAgain)
        if !tasksAreOutstanding { consider(nextBalance) }
        consider(cache.nextDeadline(idleTime: settings.directoryIdleTime))
        for container in containers.values {
            consider(container.nextPoll)
            consider(container.comparison?.notBefore)
        }
        return deadline
    }

    /// When the oldest event was read that the last turn has made a look-up for, in the kernel's nanoseconds; nil where it
    /// has made none.
    package var oldestNews: UInt64? { oldestCause == .max ? nil : readTimes.time(of: oldestCause) }

    /// Look-ups that are to be made.
    package var waitingLookUps: Int {
        lookUps.count + patientLookUps.count + hotLookUps.count + deferredLookUps.count
    }

    /// Bytes of events that were not taken yet, in the kernel's queue and of those that were read.
    package var waitingBytes: Int { Int(clamping: queuedBytes()) }

    /// Takes what there is to say, in order.
    package func takeNotices() -> [WatchNotice] {
        defer { notices = [] }
        return notices
    }

    // MARK: Barriers

    /// A point that is reached when everything that the kernel has queued until now is in the tree, and whatever is
    /// under way because of it, or was when this was called, is done. Where no event tells of the way to one of these
    /// containers, or of any, that is gone anew.
    package func barrier(for numbers: Set<UInt32>? = nil) -> Barrier {
        // No event tells of a mount, and the thread that waits for them may not have spoken yet.
        if kernel.haveMountsChanged() { mountsChanged() }
        suspectUnheard(numbers)
        let barrier = Barrier(position: position + queuedBytes())
        forcedPosition = max(forcedPosition, barrier.position)
        noteBarrier(at: barrier.position)
        closesDirectories = true
        return barrier
    }

    /// Whether nothing is to be read now: so much waits that the kernel's queue is to take what comes, or only what is
    /// written all the time was heard of of late, and neither a barrier nor what was read of directories waits for more.
    package var isPausing: Bool { isFull || (readsAgain != nil && max(forcedPosition, inboxPosition) <= position) }

    /// Whether a barrier is reached: for all containers, or as far as those named are concerned. With nothing queued
    /// and nothing under way it is reached at once.
    package func isReached(_ barrier: Barrier, in numbers: Set<UInt32>? = nil) -> Bool {
        guard position >= barrier.position else { return false }
        let concerns = { (number: UInt32) in numbers?.contains(number) ?? true }
        if tasks.values.contains(where: { $0.cause < barrier.position && concerns($0.container.number) }) {
            return false
        }
        if awaitedReads.contains(where: {
            $0.value < barrier.position && concerns(directories.container(of: $0.key))
        }) {
            return false
        }
        if halves.all.contains(where: { $0.origin.cause < barrier.position && concerns($0.container) }) { return false }
        if deferredLookUps.contains(where: {
            $0.origin.cause < barrier.position && concerns(directories.container(of: $0.directory))
        }) {
            return false
        }
        let isWaitedFor = { (entry: LookUpQueue.Entry) in
            entry.origin.cause < barrier.position && concerns(self.directories.container(of: entry.directory))
        }
        if lookUps.contains(where: isWaitedFor) { return false }
        for queue in [patientLookUps, hotLookUps] {
            // Only events add to them, so the oldest cause is that of the first.
            guard let oldest = queue.oldestCause, oldest < barrier.position else { continue }
            if queue.contains(where: isWaitedFor) { return false }
        }
        if linkNews.values.contains(where: { $0.origin.cause < barrier.position }) { return false }
        if linkedFiles.values.contains(where: { $0.cause < barrier.position }) { return false }
        if strays.values.contains(where: {
            $0.cause < barrier.position && $0.containers.contains(where: concerns)
        }) {
            return false
        }
        for (number, links) in crawledLinks where concerns(number) {
            if links.values.contains(where: { $0.cause < barrier.position }) { return false }
        }
        return !suspects.contains { $0.value < barrier.position && concerns($0.key) }
    }

    /// What is under way, for a person who asks why a barrier is not reached.
    package var unfinished: String {
        let comparisons = containers.values.compactMap { container in
            container.comparison.map {
                "container \(container.number): \($0.phase), \($0.next) of \($0.queue.count), "
                    + "\(container.outstanding) outstanding"
            }
        }
        return
            "position \(position) + \(queuedBytes()), tasks \(tasks.mapValues { "\($0.outstanding) since \($0.cause)" }), halves \(halves.count), "
            + "look-ups \(lookUps.count) + \(patientLookUps.count) + \(hotLookUps.count) hot, "
            + "deferred \(deferredLookUps.count), awaited \(awaitedReads.count), inbox \(inbox.count - inboxNext) at \(inboxPosition), "
            + "suspects \(suspects), strays \(strays.count), links \(linkedFiles.count) + \(crawledLinks.mapValues(\.count)), comparisons \(comparisons)"
    }

    /// Bytes of events that are to be heard.
    func queuedBytes() -> UInt64 { UInt64(((try? kernel.queuedBytes()) ?? 0) + undecided) }

    /// What is asked for from outside is caused now: a barrier made from now on waits for it.
    var causeNow: UInt64 { position - 1 }
}

extension DirectoryTable {
    func container(of id: DirectoryID) -> UInt32 { self[id].node.container }
}
