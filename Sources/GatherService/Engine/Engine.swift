// The one owner of everything that changes: indexes, watcher, live queries and waiting calls.
// SPDX-License-Identifier: Apache-2.0

import ContentTypes
import FileWatching
import LinuxSystem
import LiveQueries
import Logging
import Metadata
import MetadataIndex
import NIOCore
import NIOPosix

/// The daemon's state and the one place where it changes. Everything here happens on one event loop, in order and
/// without locks; other threads only wake it, or work on snapshots.
final class Engine {
    var logger: Logger
    let limits: ServiceLimits
    /// Work that is too long for the loop and does not touch the engine.
    let scans: ScanRunner
    let watcher: TreeWatcher<LinuxKernel, IndexTree>
    private let events: EventSource
    /// When loop iterations happen.
    let iterations: IterationScheduler
    /// The daemon's clock and the journal.
    let commits: CommitLog
    /// When indexes are saved.
    let checkpointer: Checkpointer
    var containers = ContainerSet()
    /// Which containers and items callers see.
    var access: AccessControl
    let accessLists: AccessListSweeper
    /// The live queries of all callers.
    var subscriptions: SubscriptionTable<Subscription>
    /// Live queries that wait for plans.
    var plans: PlanQueue<AwaitedPlan>
    /// Questions that wait for a barrier or for containers to settle.
    let barriers: BarrierQueue
    /// Brings live queries that follow the time of day to the present.
    let clockFollower: ClockFollower
    /// The names of accounts, time zones and content types.
    let system: SystemFiles
    let memory: MemoryTidier
    /// The writer of replies with changes, one after the other.
    var deltaWriter = DeltaWriter()
    /// Counters of the work done, for metrics.
    var activity = ServiceActivity()
    /// The calls that are told of changes of containers' states.
    let monitors: StateMonitors

    /// Must be made on the loop. Goes on from the sequence that was saved.
    init(
        loop: any EventLoop, settings: WatchSettings, pool: NIOThreadPool, limits: ServiceLimits, state: RecoveredState,
        store: PersistentStore, snapshotInterval: TimeAmount, types: ContentTypeDatabase, logger: Logger,
        tellsCallersApart: Bool = false, accounts: AccountDirectory = .system, handover: Handover? = nil,
        marks: ContainerMarks, watchMounts: DaemonOptions.WatchMounts,
        watchClock: @escaping DaemonOptions.WatchClock = DaemonOptions.watchClock,
        zones: ZoneFiles = .system, timeOfDay: @escaping @Sendable () -> Timestamp = { .now }
    ) throws(SystemError) {
        let (parts, mailbox) = (EngineReference(), Mailbox(loop: loop))
        (self.limits, self.logger) = (limits, logger)
        scans = ScanRunner(
            Workload(limits), pool: pool, loop: loop, rowsOnLoop: limits.rowsScannedOnLoop,
            servesOthers: store.isPersistent)
        iterations = IterationScheduler(loop: loop) { parts.engine?.runIteration() }
        checkpointer = Checkpointer(store, marks, interval: snapshotInterval, limits: limits, loop: loop)
        accessLists = AccessListSweeper(limits: limits, loop: loop)
        subscriptions = SubscriptionTable(limits: limits)
        plans = PlanQueue(mostBytes: limits.predicateBytesOnLoop)
        barriers = BarrierQueue(loop: loop)
        clockFollower = ClockFollower(
            loop: loop, interval: limits.clockInterval, timeOfDay: timeOfDay, startWatch: watchClock,
            isDue: { parts.engine?.runIteration() }, isSet: { mailbox.post(.clockSet) },
            hasFailed: { parts.engine?.logUnwatchedClock($0) })
        system = SystemFiles(
            types: types, zones: TimeZones(zones), names: AccountNames(accounts),
            hasChanged: { mailbox.post(.systemFilesChanged) }, hasFailed: { parts.engine?.logUnwatchedFiles($0) })
        memory = MemoryTidier(loop: loop) {
            pool.submit { state in
                if state == .active { Heap.giveBackUnused() }
            }
        }
        monitors = StateMonitors(loop: loop) { caller, isAwaited, then in
            guard let engine = parts.engine else { return }
            engine.describe(engine.listed(for: caller), for: caller, while: isAwaited, then: then)
        }
        let kernel = try LinuxKernel(
            readsAccessLists: tellsCallersApart, inotify: handover?.events.map { Descriptor(owning: $0) },
            handover: handover?.memory, own: store.place,
            mountTimeLimit: settings.watches ? WatchLimits.mountTimeLimit : WatchLimits.mountTimeLimitOfOneAnswer)
        watcher = TreeWatcher(kernel: kernel, tree: IndexTree(), settings: settings, wake: { mailbox.post(.crawled) })
        commits = CommitLog(store, state, handover: watcher, limits: limits)
        access = AccessControl(tellsCallersApart: tellsCallersApart, source: watcher)
        if let handover {
            watcher.beginHandover(in: handover.memory)
            if let start = handover.start { watcher.resume(from: start) }
        }
        do throws(SystemError) {
            events = try EventSource(
                kernel, loop: loop, ready: { parts.engine?.runIteration() },
                hasFailed: { parts.engine?.logUnpolledEvents($0) })
        } catch {
            watcher.close()
            throw error
        }
        if let error = events.watchMounts(watchMounts, wake: { mailbox.post(.mountsChanged) }) {
            logUnwatchedMounts(error)
        }
        store.hasLostTrack = { [weak self] in self?.runIteration() }
        store.hasMadeDirectory = { [weak store, marks] in
            kernel.setOwn(store?.place)
            marks.directoryWasMade()
        }
        parts.engine = self
        mailbox.open(parts)
        // Nothing throws from here on: a caller whose engine fails has nothing to close.
        scans.workload.start()
        commits.noteVanished(state)
        store.removeUseless()
    }

    private func logUnwatchedMounts(_ error: SystemError) {
        logger.warning(
            "mounts cannot be watched: \(error); a file system mounted or unmounted in a container may be noticed only at its next comparison ('gather container rescan'), or when gatherd is restarted",
            metadata: ["error": "\(error)"])
    }

    private func logUnpolledEvents(_ error: any Error) {
        logger.critical(
            "the inotify descriptor cannot be polled: \(error); gatherd tries again in a second, and the kernel queues the events until then"
        )
    }

    private func logUnwatchedFiles(_ error: SystemError) {
        logger.warning(
            "cannot watch the files of accounts and time zones: \(error); live queries follow them from the next such question on",
            metadata: ["error": "\(error)"])
    }

    /// Ends watching: no iteration happens afterwards. Snapshots under way are finished when the future succeeds.
    func close() -> EventLoopFuture<Void> {
        iterations.close()
        commits.close()
        clockFollower.close()
        accessLists.close()
        events.close()
        system.close()
        checkpointer.close(self)
        watcher.close()
        return commits.end()
    }

    private func logUnwatchedClock(_ error: SystemError) {
        logger.warning(
            "cannot watch the time of day: \(error); when it is set back, live queries with $time are wrong for up to \(limits.clockInterval.nanoseconds / 1_000_000_000) s",
            metadata: ["error": "\(error)"])
    }

    var loop: any EventLoop { scans.loop }
    var tree: IndexTree { watcher.tree }
    var workload: Workload { scans.workload }

    /// The inotify descriptor, to be kept for the next process.
    var eventDescriptor: CInt { watcher.kernel.descriptor }

    /// The mark by which a container is known; nil for none.
    func mark(of record: ContainerRecord) -> ContainerMark? { watcher.mark(of: record.number) }

    /// Finds the parts of containers that scopes name.
    var scopes: ScopeResolver {
        ScopeResolver(containers: containers, access: access) { [watcher] in watcher.resolvedPath(of: $0) }
    }

    /// Writes events of containers into the log.
    var log: ContainerLog {
        ContainerLog(logger: logger, containers: containers, isWatching: watcher.settings.watches) { [unowned self] in
            state(of: $0)
        }
    }

    /// The sessions of helpers that tell the states of shared containers.
    var sync: SyncSessions { SyncSessions(owner: self) }

    /// Understands and answers questions.
    var questions: QuestionRunner { QuestionRunner(owner: self) }

    /// Counts the items that callers see of containers.
    var census: CensusTaker { CensusTaker(access: access, scans: scans, workload: workload) }

    // MARK: Iterations

    /// Why the loop was woken.
    func woken(_ reason: Mailbox.Reason) {
        switch reason {
        case .mountsChanged:
            events.armMounts()
            watcher.mountsChanged()
        case .clockSet: clockFollower.arm()
        case .systemFilesChanged:
            system.arm()
            systemFilesChanged()
        case .crawled, .opened: break
        }
        runIteration()
    }

    /// Does the work that is due: reads events, takes crawled directories, and sends the changes to all subscribers.
    /// Cheap where nothing is due. Called by whatever may have caused work, a question that needs a barrier included.
    func runIteration() {
        guard iterations.begin() else { return }
        let hasMore = watcher.iterate()
        absorb()
        absorbAccess()
        if access.tellsCallersApart { accessLists.note(self) }
        followClock()
        for notice in watcher.takeNotices() {
            if case .containerMarked(let number) = notice, let record = containers.numbered(number) {
                checkpointer.marks.set(watcher.mark(of: number), of: record.configuration)
                monitors.stateChanged()
            }
            log.note(notice)
        }
        reportStates()
        checkpointer.saveIfDue(self)
        iterations.complete()
        // A subscriber that waits for a change gets it before later questions are answered.
        deliver()
        barriers.resolve(settling: Set(containers.filter { isSettling($0) }.map(\.number))) { !unsettled($0).isEmpty }
        deliver()
        while let (subscription, limit, value) = subscriptions.furthestBehind() {
            subscription.failBehind(limit, value)
        }
        for record in containers { record.registry.settle() }
        goOnPlanning()
        commits.settle()
        // Events that were read and not taken, since too much waits, are taken before more is read.
        let holdsEvents = watcher.kernel.holdsEvents
        events.pause(watcher.isPausing || holdsEvents)
        iterations.end(
            hasMore: hasMore || subscriptions.hasReady || holdsEvents, now: watcher.kernel.now(),
            deadline: watcher.nextDeadline)
    }

    /// Takes the change sets of all indexes, and files them with the live queries that they touch.
    private func absorb() {
        for record in containers where !updateHold(of: record) && record.index.hasChanges { take(record) }
        commits.commit()
        for record in containers where !record.entry.isHeld {
            finishReturnedUpdates(of: record)
            bringBackThoseWaiting(for: record)
            if record.held.owesLook { lookAnew(at: record) }
        }
        for (container, error) in tree.takeRefusals() {
            guard let record = containers.numbered(container) else { continue }
            // One comparison for all changes refused until then: a change refused again then would be refused for ever.
            guard !record.isMending else { continue }
            record.isMending = true
            logger.error(
                "the index of container '\(record.identifier)' refused a change: \(error); the container is compared with the file system, and live queries receive the differences; please report this bug of gatherd",
                metadata: ["container": "\(record.identifier)", "error": "\(error)"])
            watcher.rescan(container) { _ in record.isMending = false }
        }
    }

    /// Ends the hold of a container's changes if it has settled. Returns whether they still wait until it is verified.
    func updateHold(of record: ContainerRecord) -> Bool {
        guard record.entry.isHeld else { return false }
        record.entry.isHeld = state(of: record).isSettling
        return record.entry.isHeld
    }

    /// Takes the changes of a container, and files them with the live queries that they touch.
    func absorb(_ record: ContainerRecord) {
        take(record)
        commits.commit()
    }

    /// As ``absorb(_:)``, but for the journal: that must be written before anybody hears of it.
    private func take(_ record: ContainerRecord) {
        let before = record.index.clock
        let changes = record.index.takeChanges()
        guard record.index.clock != before else { return }
        commits.append(changes, of: record)
        record.index.tidyAttributes()
        record.history.noteChanges(changes.count)
        guard !changes.isEmpty, record.registry.count > 0 else { return }
        markOwnersReady(of: record.registry.process(changes, in: record.index), newsRead: watcher.oldestNews)
        runBackgroundUpdates(of: record)
        // A file may have come that is too old by now for a query that waits for it.
        if record.registry.nextMoment != nil { followClock() }
    }

    private func deliver() {
        for subscription in subscriptions.takeReady() {
            subscription.isReady = false
            subscription.advance()
        }
    }
}
