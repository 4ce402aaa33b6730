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
    var schedule: SavingSchedule
    /// The clocks of earlier runs that are known.
    private let history: ClockHistory
    /// Counts change sets of all indexes: the daemon's clock, over all runs.
    var sequence: UInt64
    /// The clock when a container was removed last: its log is gone, so nobody resumes from before.
    private(set) var lastRemoval: UInt64

    /// The containers, in the order of their identifiers.
    var containers: [ContainerRecord] = []
    var nextContainerNumber: UInt32 = 1
    /// Live queries, by an object that stands for each.
    var subscriptions: [ObjectIdentifier: Subscription] = [:]
    var subscriptionsOfUser: [UInt32: Int] = [:]
    /// Bytes of their predicates, as ``Subscription/predicateBytes`` counts them.
    var predicateBytesOfUser: [UInt32: Int] = [:]
    /// The most that there were since memory was given back for them.
    var mostSubscriptions = 0
    /// Whose each query of the containers' registries is.
    var owners: [ObjectIdentifier: Subscription] = [:]
    /// Changes that subscribers have not taken, over all of them.
    var pendingItems = 0
    /// Bytes that they take in memory.
    private(set) var pendingBytes = 0
    /// These bytes by user, without users that have none.
    private(set) var pendingBytesOfUser: [UInt32: Int] = [:]
    /// Those of them that have something to deliver, or a first phase to go on with.
    var stirred: [Subscription] = []
    /// Questions that wait for a barrier or for containers to settle.
    var waiters: [Waiter] = []
    /// The user of the helper that tells the states of shared containers; nil if there is none. It sees every item, since it
    /// has to hear of each change.
    var syncUser: UInt32?
    /// The number of the last session of a helper.
    var lastSyncSession: Int64 = 0
    /// Live queries that wait for plans.
    var awaitedPlans = AwaitedPlans()
    /// Queries that have to catch up with a clock of their index, and what to call then.
    var flushes: [(behind: [(query: LiveQuery, clock: UInt64)], completion: () -> Void)] = []
    /// The time of day up to which live queries that follow it have been brought.
    var moment: Timestamp
    /// Reads the time of day.
    let timeOfDay: @Sendable () -> Timestamp
    let startClockWatch: DaemonOptions.WatchClock
    /// Nil before a live query follows the clock, and where it cannot be watched.
    var clockWatch: ClockWatch?
    var hasTriedClockWatch = false
    /// Nil before a live query depends on files of the system, and where they cannot be watched.
    var fileWatch: DirectoryWatch?
    var hasTriedFileWatch = false
    /// The clock when a time zone was found to have other rules, and how many such changes are known.
    var zonesChanged: UInt64?
    var zoneChangesSeen = 0
    let mailbox: Mailbox
    var isFollowingClock = false
    var clockTask: (moment: Int64, task: Scheduled<Void>)?
    /// What is to be called at the end of the turn: the watcher's completions come in the middle of its own.
    var completions: [() -> Void] = []
    /// What replies with changes are written with, one after the other.
    var deltaWriter = DeltaWriter()
    /// What was done, for those who measure.
    var activity = ServiceActivity()
    /// Who is told of changes of containers' states.
    private(set) lazy var monitors = StateMonitors(loop: loop) { [weak self] caller, isAwaited, then in
        guard let self else { return }
        describe(listed(for: caller), for: caller, while: isAwaited, then: then)
    }

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
    private var isTurning = false
    /// Whether a turn was asked for while one was under way.
    private var turnRequested = false
    /// Turns since one had nothing to do afterwards.
    private var turnsInARow = 0
    /// The next turn that comes by itself, in the kernel's nanoseconds.
    private var nextTurn: (time: UInt64, task: Scheduled<Void>)?
    private(set) var isClosed = false
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
        self.timeOfDay = timeOfDay
        startClockWatch = watchClock
        moment = timeOfDay()
        names = AccountNames(accounts)
        self.tellsCallersApart = tellsCallersApart
        self.loop = loop
        self.store = store
        schedule = SavingSchedule(interval: snapshotInterval, retryAfter: limits.saveAgainAfter)
        history = state.history
        sequence = state.sequence
        lastRemoval = state.lastRemoval
        self.pool = pool
        self.limits = limits
        workload = Workload(limits)
        self.logger = logger
        self.types = types
        self.zones = TimeZones(zones)
        watchesOfKernel = askForWatches
        kernel = try LinuxKernel(
            readsAccessLists: tellsCallersApart, inotify: kept?.events.map { Descriptor(owning: $0) },
            kept: kept?.memory, own: store.place,
            mountTimeLimit: settings.watches ? WatchLimits.mountTimeLimit : WatchLimits.mountTimeLimitOfOneAnswer)
        let mailbox = Mailbox(loop: loop)
        self.mailbox = mailbox
        watcher = TreeWatcher(kernel: kernel, tree: tree, settings: settings, wake: { mailbox.post(.crawled) })
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
        mailbox.open(self)
        // Nothing throws from here on: whoever makes an engine that fails has nothing to close.
        workload.start()
        if state.hasVanished { noteRemoval(of: state.vanished.isEmpty ? [0] : state.vanished) }
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
            guard !engine.isClosed else { return }
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
        isClosed = true
        nextTurn?.task.cancel()
        clockTask?.task.cancel()
        accessListSweep.next?.task.cancel()
        accessListSweep.next = nil
        schedule.timer?.cancel()
        events?.close()
        events = nil
        mountWatch?.stop()
        mountWatch = nil
        clockWatch?.stop()
        clockWatch = nil
        fileWatch?.stop()
        fileWatch = nil
        saveAtEnd()
        watcher.close()
        return store.close(at: sequence)
    }

    /// Tells clocks of this run from those of others.
    var run: UInt64 { store.run }

    /// Whether a clock is one that was given out, by this run or one before, and what it tells of is known.
    func isKnown(_ clock: QueryClock) -> Bool {
        guard clock.sequence >= lastRemoval else { return false }
        if clock.run == run { return clock.sequence <= sequence }
        return history.contains(run: clock.run, sequence: clock.sequence)
    }

    /// Accounts may have changed: whoever goes by their names asks again.
    func forgetNames() {
        names = names.forgotten()
        for record in containers where !isHeld(record) { absorb(record) }
        for subscription in subscriptions.values { subscription.accountsChanged() }
        for record in containers { runErrands(of: record) }
        turn()
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
        case .clockSet: clockWatch?.arm()
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
        guard !isClosed else { return }
        guard !isTurning else {
            turnRequested = true
            return
        }
        isTurning = true
        turnRequested = false
        let hasMore = watcher.turn()
        absorb()
        absorbAccess()
        noteAccessLists()
        followClock()
        reportNotices()
        reportStates()
        saveIfDue()
        complete()
        // Who waits for a change hears of it before questions are answered that came after it.
        deliver()
        resolveWaiters()
        deliver()
        endThoseBehind()
        for record in containers { record.registry.settle() }
        goOnPlanning()
        tellNext()
        isTurning = false
        // What was read and not taken, since too much waits, is taken before more is read.
        let holdsEvents = kernel.holdsEvents
        events?.isPaused = watcher.isPausing || holdsEvents
        scheduleTurn(atOnce: hasMore || turnRequested || !stirred.isEmpty || holdsEvents)
    }

    /// So much later comes another turn: the loop does all tasks that are due, those that tasks add included, before it
    /// looks at its descriptors. A turn that asks for the next at once would keep it from inotify and all sockets.
    private static let turnPause = TimeAmount.microseconds(10)
    /// On a starved machine that much is over before the loop looks whether a task is due, turn after turn: what takes many
    /// turns would keep it from its descriptors all the same. So after so many in a row comes a pause that no turn outlasts.
    private static let turnsInARow = 32
    static let longTurnPause = TimeAmount.microseconds(500)

    /// Another turn when the watcher asks for it, or at once, after those who wait for the loop have had theirs.
    private func scheduleTurn(atOnce: Bool) {
        let now = kernel.now()
        let wanted = atOnce ? now : watcher.nextDeadline
        turnsInARow = wanted.map { $0 <= now } == true ? turnsInARow + 1 : 0
        let isLong = turnsInARow > 0 && turnsInARow.isMultiple(of: Engine.turnsInARow)
        let pause = isLong ? Engine.longTurnPause : Engine.turnPause
        let time = wanted.map { max($0, now &+ UInt64(pause.nanoseconds)) }
        guard time != nextTurn?.time else { return }
        nextTurn?.task.cancel()
        nextTurn = nil
        guard let time else { return }
        let engine = NIOLoopBound(self, eventLoop: loop)
        let task = loop.scheduleTask(in: .nanoseconds(Int64(clamping: time - now))) {
            engine.value.nextTurn = nil
            engine.value.turn()
        }
        nextTurn = (time, task)
    }

    /// Takes the change sets of all indexes, and files them with the live queries that they touch.
    private func absorb() {
        for record in containers where !isHeld(record) && record.index.hasChanges { take(record) }
        commit()
        for record in containers where !record.entry.isHeld {
            finishErrandsBack(of: record)
            bringBackThoseWaiting(for: record)
            if record.owesLook { lookAnew(at: record) }
        }
        for (container, error) in tree.takeRefusals() {
            guard let record = self.container(number: container) else { continue }
            // One comparison for all that was refused until then: what is refused again then would be for ever.
            guard !record.isMending else { continue }
            record.isMending = true
            logger.error(
                "the index of container '\(record.identifier)' refused a change: \(error); the container is compared with the file system, and live queries receive the differences; please report this bug of gatherd",
                metadata: ["container": "\(record.identifier)", "error": "\(error)"])
            watcher.rescan(container) { _ in record.isMending = false }
        }
    }

    /// Calls what is due at the end of a turn, when the indexes are whole and their changes are with the live queries.
    private func complete() {
        while !completions.isEmpty {
            let due = completions
            completions = []
            for completion in due { completion() }
        }
    }

    /// Whether a container's changes wait until it is verified.
    func isHeld(_ record: ContainerRecord) -> Bool {
        guard record.entry.isHeld else { return false }
        record.entry.isHeld = state(of: record).isSettling
        return record.entry.isHeld
    }

    /// Moves the clock past the removal of a container.
    func noteRemoval(of record: ContainerRecord) {
        store.forget(record.identifier)
        noteRemoval(of: [record.index.epoch])
    }

    /// Moves the clock past the removal of containers whose indexes had these epochs, a step for each. Each is named, so that
    /// the next start does not miss them once more, and forget all clocks again.
    private func noteRemoval(of epochs: Set<UInt64>) {
        for epoch in epochs {
            sequence += 1
            store.appendRemoval(of: epoch, sequence: sequence)
        }
        lastRemoval = sequence
        commit()
        store.removeUseless()
    }

    /// Takes what changed in a container, and files it with the live queries that it touches.
    func absorb(_ record: ContainerRecord) {
        take(record)
        commit()
    }

    /// As ``absorb(_:)``, but for the journal: that must be written before anybody hears of it.
    private func take(_ record: ContainerRecord) {
        let before = record.index.clock
        let changes = record.index.takeChanges()
        guard record.index.clock != before else { return }
        sequence += 1
        record.clocks.note(sequence)
        journal(changes, of: record)
        record.index.tidyCombinations()
        record.changeCount &+= UInt64(changes.count)
        guard !changes.isEmpty, record.registry.count > 0 else { return }
        stirOwners(of: record.registry.process(changes, in: record.index), newsRead: watcher.oldestNews)
        runErrands(of: record)
        // A file may have come that is too old by now for who waits for it.
        if record.registry.nextMoment != nil { followClock() }
    }

    /// Counts pending bytes of a user that came, or went if `change` is negative.
    func notePendingBytes(of user: UInt32, _ change: Int) {
        if change == 0 { return }
        pendingBytes += change
        let bytes = pendingBytesOfUser[user, default: 0] + change
        pendingBytesOfUser[user] = bytes > 0 ? bytes : nil
    }

    /// Has a subscription looked at in this turn, or the next.
    func stir(_ subscription: Subscription) {
        guard !subscription.isStirred else { return }
        subscription.isStirred = true
        stirred.append(subscription)
    }

    private func deliver() {
        let due = stirred
        stirred = []
        for subscription in due {
            subscription.isStirred = false
            subscription.advance()
        }
    }
}
