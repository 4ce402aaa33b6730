// The one owner of everything that changes: indexes, watcher, live queries and those who wait.
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
    let loop: any EventLoop
    var logger: Logger
    /// For work that is too long for the loop and does not touch the engine.
    let pool: NIOThreadPool
    let limits: ServiceLimits
    let workload: Workload
    private(set) var names: AccountNames
    /// The content types of this machine, as they were when the daemon started.
    let types: ContentTypeDatabase
    let zones: TimeZones
    let tree = IndexTree()
    let watcher: TreeWatcher<LinuxKernel, IndexTree>
    /// What is saved, for the next run.
    let store: StateStore
    /// The daemon's clock and the journal.
    let commits: CommitLog
    /// When indexes are saved.
    let checkpointer: Checkpointer

    var containers = ContainerSet()
    /// The live queries of all callers.
    var subscriptions: SubscriptionTable<Subscription>
    /// Questions that wait for a barrier or for containers to settle.
    let barriers: BarrierQueue
    /// The user of the helper that tells the states of shared containers; nil if there is none. It sees every item, since it
    /// has to hear of each change.
    var syncUser: UInt32?
    /// Live queries that wait for plans.
    var awaitedPlans = AwaitedPlans()
    /// Brings live queries that follow the time of day to the present.
    let clockFollower: ClockFollower
    /// Nil before a live query depends on files of the system, and where they cannot be watched.
    var fileWatch: DirectoryWatch?
    var hasTriedFileWatch = false
    /// The clock when a time zone was found to have other rules, and how many such changes are known.
    var zonesChanged: UInt64?
    var zoneChangesSeen = 0
    let mailbox: Mailbox
    /// What replies with changes are written with, one after the other.
    var deltaWriter = DeltaWriter()
    /// What was done, for those who measure.
    var activity = ServiceActivity()
    /// Who is told of changes of containers' states.
    let monitors: StateMonitors

    /// Whether callers see only what the kernel would let them list: the system's daemon.
    let tellsCallersApart: Bool

    let kernel: LinuxKernel
    /// Has the kernel tell its watches; nil where it does not. From any thread.
    let watchesOfKernel: @Sendable (LinuxKernel) -> [Int32: UInt64]?
    private var events: EventChannel?
    /// Nil where the table of mounts cannot be watched: mounts are noticed at the next comparison then.
    private var mountWatch: MountWatch?
    /// Whether memory is to be given back soon.
    var tidiesMemory = false
    /// The sweep of access lists that is under way, or to come.
    var accessListSweep = AccessListSweep()
    /// When loop iterations happen.
    let turns: TurnScheduler
    /// Writes the list of the containers that were added at run time, where the file was removed.
    var restoreRuntimeContainers: ([ContainerConfiguration]) -> Void = { _ in }

    /// Must be made on the loop. Goes on from the sequence that was saved.
    init(
        loop: any EventLoop, settings: WatchSettings, pool: NIOThreadPool, limits: ServiceLimits, state: SavedState,
        store: StateStore, snapshotInterval: TimeAmount, types: ContentTypeDatabase, logger: Logger,
        tellsCallersApart: Bool = false, accounts: AccountDirectory = .system, kept: KeptState? = nil,
        askForWatches: @escaping @Sendable (LinuxKernel) -> [Int32: UInt64]?,
        watchMounts: DaemonOptions.WatchMounts,
        watchClock: @escaping DaemonOptions.WatchClock = DaemonOptions.watchClock,
        zones: ZoneFiles = .system, timeOfDay: @escaping @Sendable () -> Timestamp = { .now }
    ) throws(SystemError) {
        let (parts, mailbox) = (EngineReference(), Mailbox(loop: loop))
        self.mailbox = mailbox
        turns = TurnScheduler(loop: loop) { parts.engine?.turn() }
        clockFollower = ClockFollower(
            loop: loop, interval: limits.clockInterval, timeOfDay: timeOfDay, startWatch: watchClock,
            isDue: { parts.engine?.turn() }, isSet: { mailbox.post(.clockSet) },
            hasFailed: { parts.engine?.logUnwatchedClock($0) })
        monitors = StateMonitors(loop: loop) { caller, isAwaited, then in
            guard let engine = parts.engine else { return }
            engine.describe(engine.listed(for: caller), for: caller, while: isAwaited, then: then)
        }
        names = AccountNames(accounts)
        self.tellsCallersApart = tellsCallersApart
        self.loop = loop
        self.store = store
        checkpointer = Checkpointer(store, interval: snapshotInterval, limits: limits, loop: loop)
        barriers = BarrierQueue(loop: loop)
        self.pool = pool
        self.limits = limits
        subscriptions = SubscriptionTable(limits: limits)
        workload = Workload(limits)
        self.logger = logger
        self.types = types
        self.zones = TimeZones(zones)
        watchesOfKernel = askForWatches
        kernel = try LinuxKernel(
            readsAccessLists: tellsCallersApart, inotify: kept?.events.map { Descriptor(owning: $0) },
            kept: kept?.memory, own: store.place,
            mountTimeLimit: settings.watches ? WatchLimits.mountTimeLimit : WatchLimits.mountTimeLimitOfOneAnswer)
        watcher = TreeWatcher(kernel: kernel, tree: tree, settings: settings, wake: { mailbox.post(.crawled) })
        commits = CommitLog(store, state, handover: watcher, limits: limits)
        if let kept {
            watcher.keep(in: kept.memory)
            if let start = kept.start { watcher.goOn(from: start) }
        }
        do throws(SystemError) {
            try pollEvents()
        } catch {
            watcher.close()
            throw error
        }
        hearOfMounts(watchMounts) { mailbox.post(.mountsChanged) }
        store.hasLostTrack = { [weak self] in self?.turn() }
        store.hasMadeDirectory = { [weak self] in
            guard let self else { return }
            kernel.setOwn(self.store.place)
            restoreRuntimeContainers(containers.map(\.configuration).filter { $0.origin == .runtime })
        }
        parts.engine = self
        mailbox.open(parts)
        // Nothing throws from here on: whoever makes an engine that fails has nothing to close.
        workload.start()
        commits.noteVanished(state)
        store.removeUseless()
    }

    /// Has somebody wait for mounts and unmounts, which no event tells of. What goes wrong with it is said once.
    private func hearOfMounts(_ watchMounts: DaemonOptions.WatchMounts, _ wake: @escaping @Sendable () -> Void) {
        var failure = kernel.mountChangesError
        do throws(SystemError) {
            mountWatch = try watchMounts(wake)
        } catch {
            failure = error
        }
        guard let failure else { return }
        logger.warning(
            "mounts cannot be watched: \(failure); a file system mounted or unmounted in a container may be noticed only at its next comparison ('gather container rescan'), or when gatherd is restarted",
            metadata: ["error": "\(failure)"])
    }

    /// Has the loop poll the inotify descriptor. Should that ever end it begins anew: the kernel keeps what was not read.
    private func pollEvents() throws(SystemError) {
        events = try EventChannel(kernel, loop: loop) { [weak self] in
            self?.turn()
        } failed: { [weak self] error in
            self?.pollEventsAgain(after: error)
        }
    }

    private func pollEventsAgain(after error: any Error) {
        logger.critical(
            "the inotify descriptor cannot be polled: \(error); gatherd tries again in a second, and the kernel queues the events until then"
        )
        let engine = NIOLoopBound(self, eventLoop: loop)
        loop.scheduleTask(in: Engine.pollAgainAfter) {
            let engine = engine.value
            guard !engine.turns.isClosed else { return }
            engine.events?.close()
            do {
                try engine.pollEvents()
                engine.turn()
            } catch {
                engine.pollEventsAgain(after: error)
            }
        }
    }

    private static let pollAgainAfter = TimeAmount.seconds(1)

    /// Ends watching: no turn happens afterwards. What is being saved is finished when the future succeeds.
    func close() -> EventLoopFuture<Void> {
        turns.close()
        commits.close()
        clockFollower.close()
        accessListSweep.next?.task.cancel()
        accessListSweep.next = nil
        events?.close()
        events = nil
        mountWatch?.stop()
        mountWatch = nil
        fileWatch?.stop()
        fileWatch = nil
        checkpointer.close(self)
        watcher.close()
        return commits.end()
    }

    /// Accounts may have changed: whoever goes by their names asks again.
    func forgetNames() {
        names = names.forgotten()
        for record in containers where !isHeld(record) { absorb(record) }
        for subscription in subscriptions.all { subscription.accountsChanged() }
        for record in containers { runErrands(of: record) }
        turn()
    }

    /// Brings the live queries of all containers to the present, if one follows the time of day.
    func followClock() {
        clockFollower.follow(containers) { record, moment in
            absorb(record)
            markOwnersReady(of: record.registry.advance(to: moment, in: record.index))
            runErrands(of: record)
        }
    }

    private func logUnwatchedClock(_ error: SystemError) {
        logger.warning(
            "cannot watch the time of day: \(error); when it is set back, live queries with $time are wrong for up to \(limits.clockInterval.nanoseconds / 1_000_000_000) s",
            metadata: ["error": "\(error)"])
    }

    /// The inotify descriptor, to be kept for the next process.
    var eventDescriptor: CInt { kernel.descriptor }

    // MARK: Turns

    /// Why the loop was woken.
    func woken(_ reason: Mailbox.Reason) {
        switch reason {
        case .mountsChanged:
            mountWatch?.arm()
            watcher.mountsChanged()
        case .clockSet: clockFollower.arm()
        case .systemFilesChanged:
            fileWatch?.arm()
            systemFilesChanged()
        case .crawled, .opened: break
        }
        turn()
    }

    /// Does what is due: reads events, takes crawled directories, and tells everybody what came of it. Cheap where
    /// nothing is due. Called by whatever may have caused work, a question that needs a barrier included.
    func turn() {
        guard turns.begin() else { return }
        let hasMore = watcher.turn()
        absorb()
        absorbAccess()
        noteAccessLists()
        followClock()
        reportNotices()
        reportStates()
        checkpointer.saveIfDue(self)
        turns.complete()
        // Who waits for a change hears of it before questions are answered that came after it.
        deliver()
        barriers.resolve(settling: Set(containers.filter { isSettling($0) }.map(\.number))) { !unsettled($0).isEmpty }
        deliver()
        while let (subscription, limit, value) = subscriptions.furthestBehind() {
            subscription.failBehind(limit, value)
        }
        for record in containers { record.registry.settle() }
        goOnPlanning()
        commits.settle()
        // What was read and not taken, since too much waits, is taken before more is read.
        let holdsEvents = kernel.holdsEvents
        events?.isPaused = watcher.isPausing || holdsEvents
        turns.end(
            hasMore: hasMore || subscriptions.hasReady || holdsEvents, now: kernel.now(), deadline: watcher.nextDeadline)
    }

    /// Takes the change sets of all indexes, and files them with the live queries that they touch.
    private func absorb() {
        for record in containers where !isHeld(record) && record.index.hasChanges { take(record) }
        commits.commit()
        for record in containers where !record.entry.isHeld {
            finishErrandsBack(of: record)
            bringBackThoseWaiting(for: record)
            if record.owesLook { lookAnew(at: record) }
        }
        for (container, error) in tree.takeRefusals() {
            guard let record = containers.numbered(container) else { continue }
            // One comparison for all that was refused until then: what is refused again then would be for ever.
            guard !record.isMending else { continue }
            record.isMending = true
            logger.error(
                "the index of container '\(record.identifier)' refused a change: \(error); the container is compared with the file system, and live queries receive the differences; please report this bug of gatherd",
                metadata: ["container": "\(record.identifier)", "error": "\(error)"])
            watcher.rescan(container) { _ in record.isMending = false }
        }
    }

    /// Whether a container's changes wait until it is verified.
    func isHeld(_ record: ContainerRecord) -> Bool {
        guard record.entry.isHeld else { return false }
        record.entry.isHeld = state(of: record).isSettling
        return record.entry.isHeld
    }

    /// Takes what changed in a container, and files it with the live queries that it touches.
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
        record.index.tidyCombinations()
        record.changeCount &+= UInt64(changes.count)
        guard !changes.isEmpty, record.registry.count > 0 else { return }
        markOwnersReady(of: record.registry.process(changes, in: record.index), newsRead: watcher.oldestNews)
        runErrands(of: record)
        // A file may have come that is too old by now for who waits for it.
        if record.registry.nextMoment != nil { followClock() }
    }

    private func deliver() {
        for subscription in subscriptions.takeReady() {
            subscription.isReady = false
            subscription.advance()
        }
    }
}
