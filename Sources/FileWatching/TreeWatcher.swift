// The watcher: keeps a tree equal to directory trees on disk, by inotify, look-ups, crawls and comparisons.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata

/// Keeps a tree equal to directory trees on disk.
///
/// Events are hints: each entry that one names is looked at, and only a `statx` made afterwards gives a row its attributes. The events of
/// a rename move, exchange and remove rows at once, so that these keep their identifiers. Look-ups of all names in the same iteration
/// correct that. Everything but the crawling threads runs on the caller's thread, in ``iterate()``; the watcher is not Sendable and needs no locks.
/// Between two iterations the tree is consistent, and after an iteration it reflects the findings of the iteration's look-ups.
package final class TreeWatcher<Kernel: WatchKernel, Tree: WatchedTree> {
    package let kernel: Kernel
    package let tree: Tree
    package internal(set) var settings: WatchSettings

    let pool: CrawlPool<Kernel>
    var containers: [UInt32: WatchedContainer] = [:]
    var directories = DirectoryTable()
    var lookUps = PendingNames()
    var iteration = LoopIteration()
    var deferredLookUps = DeferredLookUps()
    var opening: DirectoryOpening
    var renames = PendingRenames()
    var applied = AppliedRenames()
    var uncertain: UncertainRows
    var readings: Readings
    var inbox = CrawlInbox()
    var auditSchedule = AuditSchedule()
    var roots = RootMonitor()
    var hardLinks = HardLinks()
    var fileIdentities = FileIdentities()
    var ignoresNames = false
    var notices: [WatchNotice] = []
    var isClosed = false
    var watches: WatchTable
    var mounts = WatchedMounts()
    package var jobs = LoopJobs()
    package internal(set) var counters = WatchCounters()

    var events: EventStream

    /// The handover to the next process; nil if no service manager keeps it.
    var handover: HandoverWriter?
    var resumption = Resumption()

    var buffers = LookUpBuffers()

    /// Makes a watcher; nothing is watched yet.
    /// - Parameter wake: called from a crawling thread when there is something to take: ``iterate()`` must be called soon.
    package init(
        kernel: Kernel, tree: Tree, settings: WatchSettings = WatchSettings(), wake: @escaping @Sendable () -> Void
    ) {
        self.kernel = kernel
        self.tree = tree
        self.settings = settings
        let budget = WatchBudget(isWanted: settings.watches)
        watches = WatchTable(budget: budget)
        pool = CrawlPool(
            kernel: kernel, budget: budget, threads: settings.crawlThreads,
            entriesAheadLimit: settings.crawledEntriesAhead, limits: settings.limits, wake: wake)
        uncertain = UncertainRows(leastProvisional: settings.limits.leastProvisional)
        readings = Readings(unstableAfter: settings.limits.readsAstray)
        opening = DirectoryOpening(limit: settings.openDirectoryLimit)
        events = EventStream(readLimit: max(settings.readBufferSize, 65_536))
        kernel.onLateAnswer(wake)
    }

    deinit { close() }

    /// Ends the crawling threads and closes every directory. The watcher does nothing afterwards.
    package func close() {
        guard !isClosed else { return }
        isClosed = true
        pool.stop()
        closeOpenDirectories()
        closeDescriptors(isAll: true)
        for container in containers.values { container.openRoot = nil }
        inbox.removeAll()
    }

    /// When the oldest event was read that the last iteration has made a look-up for, in the kernel's nanoseconds; nil where it
    /// has made none.
    package var oldestNews: UInt64? { iteration.oldestPosition.flatMap { events.time(of: $0) } }

    /// Look-ups that are to be made.
    package var waitingLookUps: Int {
        lookUps.countOfAll + deferredLookUps.count
    }

    /// Bytes of events that were not taken yet, in the kernel's queue and of those that were read.
    package var waitingBytes: Int { Int(clamping: queuedBytes()) }

    /// Takes the notices, in order.
    package func takeNotices() -> [WatchNotice] {
        defer { notices = [] }
        return notices
    }

    /// Whether nothing is to be read now. Either so much waits that new events stay in the kernel's queue, or the last
    /// events were only of files written all the time. In the latter case neither a barrier nor the results of readings
    /// wait for more.
    package var isPausing: Bool {
        isFull || (events.pauseEnd != nil && max(events.forcedPosition, inbox.position) <= position)
    }

    /// When events are read again; nil for at once. See ``WatchSettings/hotReadPause``.
    package var readsAgain: UInt64? { events.pauseEnd }

    /// Where the stream of events was heard to.
    var position: UInt64 { events.position }

    /// Bytes of events that are to be heard.
    func queuedBytes() -> UInt64 { UInt64((try? kernel.queuedBytes()) ?? 0) }

    /// The event position of a request from outside is now: a barrier made from now on waits for it.
    var positionNow: UInt64 { position - 1 }

    /// Whether so much waits that nothing more is read: new events then stay in the kernel's queue, until it overflows.
    var isFull: Bool { lookUps.countOfCold >= settings.limits.lookUpsAhead }

    /// Whether the loop iteration has had its time.
    var isIterationOver: Bool { iteration.isOver(now: kernel.now()) }

    /// Whether all of the stream before a position has been heard, renames with both their events.
    func isReceived(_ end: UInt64) -> Bool {
        position >= end && renames.oldest.map { $0.origin.position >= end } ?? true
    }

    /// Whether directories are being read.
    var tasksAreOutstanding: Bool { readings.areUnderWay }

    // MARK: Telling the tree

    func withName(of node: TreeNode, _ body: (UnsafeRawBufferPointer) -> Void) {
        buffers.path.removeAll(keepingCapacity: true)
        tree.appendName(of: node, to: &buffers.path)
        buffers.path.append(0)
        buffers.path.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0.dropLast())) }
    }

    /// A directory's own links and times are told by its own reading; a package is a directory to the file system.
    func isEqual(_ known: FileStatus, _ seen: FileStatus) -> Bool {
        if known == seen { return true }
        guard known.kind == .package, seen.kind == .directory else { return false }
        var known = known
        known.kind = .directory
        return known == seen
    }

    /// Sets an entry's present status in the tree, and its extended attributes with that. If they are not known and the entry has
    /// changed, its known extended attributes are dropped, and with them its access control list, which is asked for with them.
    /// Returns whether anything differs.
    @discardableResult
    func publish(_ node: TreeNode, _ status: FileStatus, xattrs: UnsafeRawBufferPointer?) -> Bool {
        guard let xattrs else {
            let known = tree.status(of: node)
            var same = status
            if !status.kind.isDirectory { same.accessList = known.accessList }
            if isEqual(known, same) { return false }
            let changed = tree.update(node, status: status)
            tree.forgetXattrs(of: node)
            return changed
        }
        // The reading of its directory under way may be older.
        if readings.hasTouched, let parent = tree.parent(of: node), let above = directories.directory(at: parent) {
            withName(of: node) { readings.touched($0, in: above) }
        }
        let changed = tree.update(node, status: status)
        return tree.setXattrs(of: node, to: xattrs) || changed
    }

    func count(_ origin: Origin, _ change: (inout ComparisonCounts) -> Void) {
        guard origin.task != 0, let container = readings[origin.task]?.container,
            var counts = container.comparison?.counts, container.comparison?.task == origin.task
        else { return }
        change(&counts)
        container.comparison?.counts = counts
    }
}

extension DirectoryTable {
    func container(of id: DirectoryID) -> UInt32 { self[id].node.container }
}
