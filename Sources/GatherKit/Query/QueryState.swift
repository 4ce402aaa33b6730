// A live query as a state machine: the daemon's replies and the user's calls in, notifications out. It touches no
// socket and no task, so that every order of events can be played to it.
// SPDX-License-Identifier: Apache-2.0

/// The state of a live query. Guarded by the lock of ``QueryCore``, which also carries out what it decides.
struct QueryState {
    enum Phase {
        /// Not started, or stopped.
        case idle
        /// Asked, and the first reply is awaited; also again, when the connection was lost before gathered.
        case connecting
        case gathering
        case live
        /// The connection was lost when everything had been gathered.
        case lost
        /// Back, and the daemon tells the difference.
        case catchingUp(PendingDelta)
        /// Back, and everything is gathered anew.
        case regathering(ResultSet)
    }

    /// How the sequence of notifications ends, when it does.
    enum Ending {
        case stopped
        case failed(GatherError)
    }

    private(set) var configuration: QueryConfiguration
    private(set) var phase = Phase.idle
    /// nil while it runs, and before it first did.
    private(set) var ending: Ending?
    /// What the daemon has told.
    private var results = ResultSet()
    /// What the user sees while frozen.
    private var frozenResults: ResultSet?
    private var frozenClock: String?
    private var freezes = 0
    /// What the readers are told after the thaw.
    private var held = NotificationQueue()
    private var queues: [UInt64: NotificationQueue] = [:]
    private var nextReader: UInt64 = 0
    private var aliases: [String: String] = [:]
    /// Whether `results` is everything that matches: not so where a query went on from a clock of an earlier life.
    private var isComplete = true
    /// The clock that the call now under way was given.
    private var callClock: String?

    // What has been told to whoever reads, for readers that come late.
    private var toldStarted: (resumed: Bool, Void)?
    private var toldGathered = false
    private var toldLoss: GatherError?
    /// All that has been told, where the results are not everything that matches and so cannot stand for it.
    private var story: NotificationQueue?

    /// The clock up to which everything has been told.
    private(set) var clock: String?
    /// The containers for which the results may be wrong.
    private(set) var inexact: [String] = []

    init(configuration: QueryConfiguration) { self.configuration = configuration }

    /// The clock that goes with ``visibleResults``.
    var visibleClock: String? { freezes > 0 ? frozenClock : clock }
    var visibleResults: ResultSet { frozenResults ?? results }
    var isRunning: Bool { if case .idle = phase { false } else { true } }
    var isGathering: Bool {
        switch phase {
        case .connecting, .gathering: true
        case .idle, .live, .lost, .catchingUp, .regathering: false
        }
    }

    // MARK: The user

    /// Begins, or begins anew: former results are gone. Nothing is told until the daemon accepts.
    mutating func start(_ configuration: QueryConfiguration) {
        self.configuration = configuration
        phase = .connecting
        ending = nil
        results = ResultSet(configuration.arrangement)
        if freezes > 0 { frozenResults = results }
        aliases = [:]
        clock = configuration.resumeClock
        frozenClock = nil
        inexact = []
        toldStarted = nil
        story = nil
        toldGathered = false
        toldLoss = nil
    }

    /// Ends the query; its results stay. Readers get what waits for them, and then the end.
    mutating func stop(_ ending: Ending) {
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

    /// Ends one freeze, and with the last of them tells what happened meanwhile. A surplus call does nothing.
    mutating func thaw() {
        guard freezes > 0 else { return }
        freezes -= 1
        guard freezes == 0 else { return }
        frozenResults = nil
        while let notification = held.popFirst() { tell(notification) }
    }

    // MARK: The results

    /// Presents the results in another way, which the daemon need not be asked for.
    mutating func arrange(_ configuration: QueryConfiguration) {
        self.configuration = configuration
        results.arrange(configuration.arrangement)
        frozenResults?.arrange(configuration.arrangement)
    }

    /// The results that the user sees, to be read in their order.
    mutating func withVisibleResults<Value>(_ body: (inout ResultSet) -> Value) -> Value {
        // Taken out meanwhile, so that what is changed in it is not copied.
        guard var frozen = frozenResults.take() else { return body(&results) }
        defer { frozenResults = frozen }
        return body(&frozen)
    }

    // MARK: The connection

    /// The clock to go on from, of a call that is about to be made.
    mutating func beginCall() -> String? {
        callClock = clock
        return clock
    }

    mutating func loseConnection(_ error: GatherError) {
        switch phase {
        case .idle: return
        case .connecting, .lost: break
        case .gathering:
            // Half a result set is worth nothing: begin anew. The clock is the one that the user gave, or none.
            phase = .connecting
            emit { $0.loseConnection(error) }
            if freezes == 0 { toldLoss = error }
        case .live:
            phase = .lost
            emit { $0.loseConnection(error) }
            if freezes == 0 { toldLoss = error }
        case .catchingUp, .regathering: phase = .lost
        }
    }

    mutating func receive(_ reply: QueryReply) {
        switch reply.event {
        case .started: receiveStarted(fresh: reply.fresh)
        case .progress: receiveProgress(translated(reply.changes))
        case .gathered: receiveGathered(reply)
        case .updated:
            let changes = translated(reply.changes)
            results.apply(changes)
            emit { $0.addUpdate(changes) }
        case .alive: break
        }
        guard isRunning else { return }
        if case .gathered = reply.event { inexact = reply.inexact }
        if case .updated = reply.event { inexact = reply.inexact }
        // During the first phase and while catching up, a clock would promise what the user has not been told.
        if let clock = reply.clock, case .live = phase { self.clock = clock }
    }

    private mutating func receiveStarted(fresh: Bool) {
        let resumed = callClock != nil && !fresh
        switch phase {
        case .lost where resumed: phase = .catchingUp(PendingDelta())
        case .lost where isComplete: phase = .regathering(ResultSet())
        case .connecting, .lost:
            phase = .gathering
            results = ResultSet(configuration.arrangement)
            if freezes > 0 { frozenResults = results }
            aliases = [:]
            isComplete = !resumed
            if !resumed { clock = nil }
            emit { $0.start(resumed: resumed) }
            if freezes == 0 { noteStarted(resumed: resumed) }
        case .idle, .gathering, .live, .catchingUp, .regathering: break
        }
    }

    private mutating func receiveProgress(_ changes: QueryChanges) {
        switch phase {
        case .gathering:
            results.apply(changes)
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
            if freezes == 0 { toldGathered = true }
        case .catchingUp(var delta):
            phase = .live
            regain(resumed: true, delta.take())
        case .regathering(let gathered):
            phase = .live
            let difference = ResultSetDifference(
                from: results, to: gathered, comparing: configuration.requestedAttributes)
            aliases = difference.aliases
            results = difference.results
            regain(resumed: false, difference.changes)
        case .idle, .connecting, .live, .lost: break
        }
    }

    private mutating func regain(resumed: Bool, _ changes: QueryChanges) {
        if resumed { results.apply(changes) }
        emit {
            $0.regainConnection(resumed: resumed)
            if !changes.isEmpty { $0.addUpdate(changes) }
        }
        if freezes == 0 { toldLoss = nil }
    }

    /// `changes` in the ids that the user knows.
    private func translated(_ changes: QueryChanges) -> QueryChanges {
        guard !aliases.isEmpty else { return changes }
        if case .regathering = phase { return changes }
        var changes = changes
        for index in changes.added.indices { translate(&changes.added[index]) }
        for index in changes.changed.indices { translate(&changes.changed[index]) }
        for index in changes.removed.indices {
            // The alias stays: what is told here may be of no effect, when the connection is lost before gathered, and
            // told again. No id is given twice.
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

    /// A new reader, which is told the whole story so far, condensed: what it hears is complete whenever it comes.
    mutating func addReader() -> UInt64 {
        var queue = story ?? NotificationQueue()
        if story == nil, let (resumed, _) = toldStarted {
            queue.start(resumed: resumed)
            queue.addProgress(QueryChanges(added: visibleResults.items))
            if toldGathered { queue.finishGathering() }
            if let toldLoss { queue.loseConnection(toldLoss) }
        }
        let reader = nextReader
        nextReader += 1
        queues[reader] = queue
        return reader
    }

    mutating func removeReader(_ reader: UInt64) { queues[reader] = nil }

    /// Takes what is next for a reader.
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
        toldStarted = (resumed, ())
        story = nil
        if resumed {
            story = NotificationQueue()
            story?.start(resumed: true)
        }
        toldGathered = false
        toldLoss = nil
    }

    private mutating func tell(_ notification: QueryNotification) {
        switch notification {
        case .started(let resumed):
            noteStarted(resumed: resumed)
            emit { $0.start(resumed: resumed) }
        case .progress(let changes): emit { $0.addProgress(changes) }
        case .gathered:
            toldGathered = true
            emit { $0.finishGathering() }
        case .updated(let changes): emit { $0.addUpdate(changes) }
        case .reconnecting(let error):
            toldLoss = error
            emit { $0.loseConnection(error) }
        case .reconnected(let resumed):
            toldLoss = nil
            emit { $0.regainConnection(resumed: resumed) }
        }
    }
}
