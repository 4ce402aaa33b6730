// A live query as a state machine, without sockets and tasks. Tests can play every order of events.
// SPDX-License-Identifier: Apache-2.0

/// The state of a live query. Guarded by the lock of ``QueryCore``, which also carries out its decisions.
struct QueryState {
    private(set) var configuration: QueryConfiguration
    private(set) var phase = QueryPhase.idle
    /// The end; nil while the query runs, and before its first start.
    private(set) var ending: QueryEnding?
    /// The result set as the daemon reported it.
    private var results = ResultSet()
    /// The results shown while updates are disabled.
    private var frozenResults: ResultSet?
    private var frozenClock: DaemonClock?
    private var freezes = 0
    /// The notifications to deliver when updates are enabled again.
    private var held = NotificationQueue()
    private var queues: [UInt64: NotificationQueue] = [:]
    private var nextReader: UInt64 = 0
    private var aliases: [MetadataItem.ID: MetadataItem.ID] = [:]
    /// Whether `results` has all matches. It has not if the query continued from a clock of an earlier query.
    private var isComplete = true
    /// The clock that the present call was given.
    private var callClock: DaemonClock?

    // The notifications so far, for late readers.
    private var publishedStarted: (resumed: Bool, Void)?
    private var publishedGathered = false
    private var publishedLoss: GatherError?
    /// All published changes, if `results` does not have all matches.
    private var story: NotificationQueue?

    /// The clock of the published changes.
    private(set) var clock: DaemonClock?
    /// The containers for which the results may be wrong.
    private(set) var inexact: [ContainerIdentifier] = []

    init(configuration: QueryConfiguration) { self.configuration = configuration }

    /// The clock of ``visibleResults``.
    var visibleClock: DaemonClock? { freezes > 0 ? frozenClock : clock }
    var visibleResults: ResultSet { frozenResults ?? results }
    /// The presentation. `results` lacks the first matches if the query continues from the clock of an earlier one, so a limit
    /// would have no meaning then.
    private var arrangement: ResultArrangement {
        var arrangement = configuration.arrangement
        if !isComplete { arrangement.limit = nil }
        return arrangement
    }
    var isRunning: Bool { if case .idle = phase { false } else { true } }
    var isGathering: Bool {
        switch phase {
        case .connecting, .gathering: true
        case .idle, .live, .lost, .catchingUp, .regathering: false
        }
    }

    // MARK: User

    /// Starts, or starts again without the former results. No notification comes before the daemon accepts.
    mutating func start(_ configuration: QueryConfiguration) {
        self.configuration = configuration
        phase = .connecting
        ending = nil
        isComplete = configuration.resumeClock == nil
        results = ResultSet(arrangement)
        if freezes > 0 { frozenResults = results }
        aliases = [:]
        clock = configuration.resumeClock
        frozenClock = nil
        inexact = []
        publishedStarted = nil
        story = nil
        publishedGathered = false
        publishedLoss = nil
    }

    /// Ends the query. Its results stay. Readers get their waiting notifications, then the end.
    mutating func stop(_ ending: QueryEnding) {
        guard isRunning else { return }
        phase = .idle
        self.ending = ending
    }

    mutating func freeze() {
        freezes += 1
        guard freezes == 1 else { return }
        frozenResults = results
        frozenClock = clock
    }

    /// Ends one freeze. After the last one, publishes the changes of the meantime. A surplus call does nothing.
    mutating func thaw() {
        guard freezes > 0 else { return }
        freezes -= 1
        guard freezes == 0 else { return }
        frozenResults = nil
        while let notification = held.popFirst() { publish(notification) }
    }

    // MARK: Results

    /// Changes the presentation, without a question to the daemon. Readers are told what a limit shows now.
    mutating func arrange(_ configuration: QueryConfiguration) {
        self.configuration = configuration
        let changes = results.arrange(arrangement)
        if let frozen = frozenResults?.arrangement {
            // Readers know the frozen results. They are told of others when these are no longer frozen.
            var arrangement = arrangement
            if frozen.limit != nil || arrangement.limit != nil {
                (arrangement.limit, arrangement.sortKeys) = (frozen.limit, frozen.sortKeys)
            }
            frozenResults?.arrange(arrangement)
        }
        guard !changes.isEmpty else { return }
        switch phase {
        case .idle: break
        case .connecting, .gathering: emit { $0.addProgress(changes) }
        case .live, .lost, .catchingUp, .regathering: emit { $0.addUpdate(changes) }
        }
    }

    /// Returns the visible results, to be read in order.
    mutating func withVisibleResults<Value>(_ body: (inout ResultSet) -> Value) -> Value {
        // Swapped out, so that a change makes no copy.
        guard var frozen = frozenResults.take() else { return body(&results) }
        defer { frozenResults = frozen }
        return body(&frozen)
    }

    // MARK: Connection

    /// Returns the clock to continue from, for the next call.
    mutating func beginCall() -> DaemonClock? {
        callClock = clock
        return clock
    }

    mutating func loseConnection(_ error: GatherError) {
        switch phase {
        case .idle: return
        case .connecting, .lost: break
        case .gathering:
            // A part of the first results is useless. The query starts again with the user's clock, if any.
            phase = .connecting
            emit { $0.loseConnection(error) }
            if freezes == 0 { publishedLoss = error }
        case .live:
            phase = .lost
            emit { $0.loseConnection(error) }
            if freezes == 0 { publishedLoss = error }
        case .catchingUp, .regathering: phase = .lost
        }
    }

    mutating func receive(_ reply: QueryReply) {
        switch reply.event {
        case .started: receiveStarted(fresh: reply.fresh)
        case .progress: receiveProgress(translated(reply.changes))
        case .gathered: receiveGathered(reply)
        case .updated:
            let changes = results.apply(translated(reply.changes))
            emit { $0.addUpdate(changes) }
        case .alive: break
        }
        guard isRunning else { return }
        if case .gathered = reply.event { inexact = reply.inexact }
        if case .updated = reply.event { inexact = reply.inexact }
        // During the first phase and after a reconnection, a clock would cover changes that were not published.
        if let clock = reply.clock, case .live = phase { self.clock = clock }
    }

    private mutating func receiveStarted(fresh: Bool) {
        let resumed = callClock != nil && !fresh
        switch phase {
        case .lost where resumed: phase = .catchingUp(PendingDelta())
        case .lost where isComplete: phase = .regathering(ResultSet())
        case .connecting, .lost:
            phase = .gathering
            isComplete = !resumed
            results = ResultSet(arrangement)
            if freezes > 0 { frozenResults = results }
            aliases = [:]
            if !resumed { clock = nil }
            emit { $0.start(resumed: resumed) }
            if freezes == 0 { noteStarted(resumed: resumed) }
        case .idle, .gathering, .live, .catchingUp, .regathering: break
        }
    }

    private mutating func receiveProgress(_ changes: QueryChanges) {
        switch phase {
        case .gathering:
            let changes = results.apply(changes)
            emit { $0.addProgress(changes) }
        case .catchingUp(var delta):
            phase = .idle  // Lets go of the copy, so that the merge is in place.
            delta.merge(changes)
            phase = .catchingUp(delta)
        case .regathering(var gathered):
            phase = .idle
            gathered.apply(changes)
            phase = .regathering(gathered)
        case .idle, .connecting, .live, .lost: break
        }
    }

    private mutating func receiveGathered(_ reply: QueryReply) {
        switch phase {
        case .gathering:
            phase = .live
            emit { $0.finishGathering() }
            if freezes == 0 { publishedGathered = true }
        case .catchingUp(var delta):
            phase = .live
            regain(resumed: true, results.apply(delta.take()))
        case .regathering(let gathered):
            phase = .live
            let difference = ResultSetDifference(
                from: results, to: gathered, comparing: configuration.requestedAttributes)
            aliases = difference.aliases
            results = difference.results
            regain(resumed: false, results.show(difference.changes))
        case .idle, .connecting, .live, .lost: break
        }
    }

    private mutating func regain(resumed: Bool, _ changes: QueryChanges) {
        emit {
            $0.regainConnection(resumed: resumed)
            if !changes.isEmpty { $0.addUpdate(changes) }
        }
        if freezes == 0 { publishedLoss = nil }
    }

    /// Returns `changes` with the ids that the user knows.
    private func translated(_ changes: QueryChanges) -> QueryChanges {
        guard !aliases.isEmpty else { return changes }
        if case .regathering = phase { return changes }
        var changes = changes
        for index in changes.added.indices { translate(&changes.added[index]) }
        for index in changes.changed.indices { translate(&changes.changed[index]) }
        for index in changes.removed.indices {
            // The alias stays. If the connection is lost during the first phase, this change arrives again. No id is
            // given twice.
            guard let id = aliases[changes.removed[index].id] else { continue }
            changes.removed[index].id = id
        }
        return changes
    }

    private func translate(_ item: inout MetadataItem) {
        if let id = aliases[item.id] { item.id = id }
        if let parent = item.parent, let id = aliases[parent] { item.translatedParent = id }
    }

    // MARK: Readers

    /// Adds a reader. It first receives all earlier notifications in condensed form.
    mutating func addReader() -> UInt64 {
        var queue = story ?? NotificationQueue()
        if story == nil, let (resumed, _) = publishedStarted {
            queue.start(resumed: resumed)
            queue.addProgress(QueryChanges(added: visibleResults.told))
            if publishedGathered { queue.finishGathering() }
            if let publishedLoss { queue.loseConnection(publishedLoss) }
        }
        let reader = nextReader
        nextReader += 1
        queues[reader] = queue
        return reader
    }

    mutating func removeReader(_ reader: UInt64) { queues[reader] = nil }

    /// Removes and returns a reader's next notification.
    mutating func next(for reader: UInt64) -> QueryNotification? { queues[reader]?.popFirst() }

    private mutating func emit(_ body: (inout NotificationQueue) -> Void) {
        if freezes > 0 {
            body(&held)
        } else {
            for index in queues.values.indices { body(&queues.values[index]) }
            if var story = story.take() {
                body(&story)
                self.story = story
            }
        }
    }

    private mutating func noteStarted(resumed: Bool) {
        publishedStarted = (resumed, ())
        story = nil
        if resumed {
            story = NotificationQueue()
            story?.start(resumed: true)
        }
        publishedGathered = false
        publishedLoss = nil
    }

    private mutating func publish(_ notification: QueryNotification) {
        switch notification {
        case .started(let resumed):
            noteStarted(resumed: resumed)
            emit { $0.start(resumed: resumed) }
        case .progress(let changes): emit { $0.addProgress(changes) }
        case .gathered:
            publishedGathered = true
            emit { $0.finishGathering() }
        case .updated(let changes): emit { $0.addUpdate(changes) }
        case .reconnecting(let error):
            publishedLoss = error
            emit { $0.loseConnection(error) }
        case .reconnected(let resumed):
            publishedLoss = nil
            emit { $0.regainConnection(resumed: resumed) }
        }
    }
}
