// One live query: its first results, then every change to them, as fast as its subscriber takes them.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import GatherProtocol
import LiveQueries
import Logging
import Metadata
import MetadataIndex
import NIOCore
import PredicateLanguage
import Varlink

/// One live query and the call that it answers. On the event loop.
///
/// First results and updates have no gap: the query is registered and its snapshots are taken in one turn, after the
/// open changes of the indexes went to the queries that were there. What changes from then on is collected by the
/// ``LiveQuery`` of each container, one entry an item, and made into replies when the first results have been taken, and
/// whenever the socket takes more.
final class Subscription {
    private enum Phase {
        /// Containers are being read; nothing was told yet.
        case waiting
        /// The first results are going out.
        case gathering
        case live
        case ended
    }

    /// The query in one container.
    private struct Part {
        let record: ContainerRecord
        let query: LiveQuery
        var renderer: ItemRenderer
    }

    let peer: PeerCredentials
    /// Whether the engine is going to call ``advance()``.
    var isStirred = false

    private let engine: Engine
    private let call: VarlinkCall
    private let question: Question
    private let batch: Int64
    private let heartbeat: Int64?

    private var phase = Phase.waiting
    private var parts: [Part] = []
    private var waiter: Waiter?
    /// Whether the subscriber holds an earlier answer, so that the first phase is the difference from that.
    private var isResumed = false
    /// Whether a scan, or first results on their way into bytes, are out on another thread.
    private var isAway = false
    /// Whether what is pending may go out: it is held for the batch time after the first change.
    private var batchTimer: Scheduled<Void>?
    private var batchIsDue = false
    private var heartbeatTimer: Scheduled<Void>?
    private var lastReply = NIODeadline.now()
    private var writer = JSONWriter(capacity: 512)
    private var replySize = ReplySize()
    /// How many changes it has not taken, as the engine counts them.
    private(set) var pendingItems = 0
    /// The turn for a scan that is made off the loop, which ends with the scan.
    private var scanTurn: TurnQueue.Place?
    private var scanLane = Workload.Lane.shared
    /// A reply that waits for names of accounts.
    private var heldDelta: TakenDelta?
    private var scanGuard: ScanGuard?
    private var failuresLogged = false
    /// Whether this is at work: a reply may make the socket writable, or short work may be done, before the call returns.
    private var isAdvancing = false
    private var mustAdvanceAgain = false

    init(engine: Engine, call: VarlinkCall, question: Question, batch: Int64, heartbeat: Int64?) {
        self.engine = engine
        self.call = call
        self.question = question
        self.batch = batch
        self.heartbeat = heartbeat
        peer = call.peer
    }

    // MARK: Beginning

    /// Begins: waits for the containers, then tells what matches, or what differs from the clock `since`.
    func start(_ scoped: [Engine.ScopedContainer], since: String?) {
        guard !call.hasEnded else { return }
        engine.add(self)
        call.onClose = { self.end() }
        call.onWritable = { self.advance() }
        let clock = since.flatMap { QueryClock(text: $0) }.flatMap { isKnown($0) ? $0 : nil }
        // Whether a clock of this run and question still reaches back is known only once the containers are exact.
        if clock == nil { sendStarted(fresh: since == nil ? nil : true) }
        wait(for: scoped.map(\.record), since: clock)
    }

    private func wait(for records: [ContainerRecord], since clock: QueryClock?) {
        let waiter = engine.whenExact(records, extras: question.readsExtras, timeout: nil) { _ in
            self.begin(since: clock)
        }
        // One that was done at once may have begun another wait, which is to be cancelled with this.
        if !waiter.isDone { self.waiter = waiter }
    }

    /// Whether a clock is one that this daemon or one before it gave for this question, and tells at which moment it was
    /// told where that matters: for a predicate of which it is known when its answer changes with the time of day.
    private func isKnown(_ clock: QueryClock) -> Bool {
        engine.isKnown(clock) && clock.question == question.fingerprint
            && (!question.followsClock || clock.moment.map { $0 <= engine.moment.nanoseconds } ?? false)
    }

    /// Registers and looks, in one turn.
    private func begin(since clock: QueryClock?) {
        waiter = nil
        guard phase == .waiting else { return leaveTurn() }
        // Scopes are looked up again: containers may have come or gone while this waited.
        let scoped: [Engine.ScopedContainer]
        do {
            scoped = try engine.resolve(question.scopeTexts, for: question.caller)
        } catch {
            call.fail(error.varlinkError)
            return end()
        }
        let records = scoped.map(\.record)
        guard engine.areSettled(records, extras: question.readsExtras) else {
            leaveTurn()
            return wait(for: records, since: clock)
        }
        if clock != nil {
            // What its asker may see of these will be known when they are verified, and then only what differs.
            let unsure = unsureContainers
            guard unsure.isEmpty else {
                leaveTurn()
                return wait(for: records + unsure, since: clock)
            }
        }
        guard hasTurn(scoped, clock) else { return }
        for record in records { engine.absorb(record) }
        let looked = scoped + closedContainers(besides: records)
        phase = .gathering
        isResumed = clock.map { resume(from: $0, looked) } ?? false
        if !isResumed { for scoped in looked { add(scoped, engine.plan(question, for: scoped)) } }
        if clock != nil { sendStarted(fresh: isResumed ? nil : true) }
        // Before the scan, which may be over at once: one who comes back is told what left with time in the first phase.
        engine.followClock()
        scan(onlyCounting: isResumed)
    }

    /// Containers of which it is not known yet whether this caller sees what it saw before the daemon started.
    private var unsureContainers: [ContainerRecord] {
        guard question.caller != nil else { return [] }
        return engine.containers.filter {
            $0.formerPassage != nil && engine.scopes(of: question.scopeTexts, in: $0) != nil
        }
    }

    /// Containers that are closed to this caller may be opened: they are part of the question, and have nothing to say.
    private func closedContainers(besides open: [ContainerRecord]) -> [Engine.ScopedContainer] {
        guard question.caller != nil else { return [] }
        return engine.containers.compactMap { record in
            guard !open.contains(where: { $0 === record }),
                let scoped = engine.scopes(of: question.scopeTexts, in: record)
            else { return nil }
            if question.readsExtras { engine.fillExtras(record) }
            if !engine.isHeld(record) { engine.absorb(record) }
            return scoped
        }
    }

    /// Whether the scan may begin. One that leaves the loop waits for its turn first: the query is registered and its
    /// snapshots are taken when that has come, so that those who wait keep nothing.
    private func hasTurn(_ scoped: [Engine.ScopedContainer], _ clock: QueryClock?) -> Bool {
        if scanTurn != nil { return true }
        let plans = scoped.map { engine.plan(question, for: $0) }
        let lane = engine.lane(of: plans, naming: question.readsAccounts)
        let rows = zip(scoped, plans).reduce(0) { $1.1.matchesNothing ? $0 : $0 + $1.0.record.index.count }
        guard engine.leavesLoop(rows: rows, lane) else { return true }
        scanLane = lane
        let turn = engine.workload.turns(lane).enter(user: peer.userID) { turn in
            self.scanTurn = turn
            self.begin(since: clock)
        }
        guard turn.isWaiting else { return false }
        scanTurn = turn
        // Whoever waits for a scan like all others waits for as long as for a crawl: a live query is there to stay.
        if lane != .shared { engine.endWaiting(turn, of: call, limit: lane.limit, value: 1) }
        return false
    }

    private func leaveTurn() {
        scanTurn?.leave()
        scanTurn = nil
    }

    @discardableResult
    private func add(_ scoped: Engine.ScopedContainer, _ plan: QueryPlan) -> LiveQuery {
        let engine = engine
        let meter = engine.workload.meter(of: peer.userID) { [unowned engine] query in
            if let subscription = engine.owners[ObjectIdentifier(query)] { engine.stir(subscription) }
        }
        let query = scoped.record.registry.add(plan, attributes: question.attributes, meter: meter)
        engine.owners[ObjectIdentifier(query)] = self
        // From now on somebody listens, so a crawl of this container is news.
        scoped.record.entry.recordsCrawl = true
        parts.append(
            Part(
                record: scoped.record, query: query,
                renderer: ItemRenderer(
                    record: scoped.record, attributes: question.attributes, names: engine.names,
                    types: engine.types, caller: question.caller)))
        return query
    }

    /// Makes live queries that are filled with the difference between a clock and now; false, and none, where that is not
    /// known. A predicate that follows the time of day is asked as of the moment of the clock first, and brought to now by
    /// the registry, as any other is when time passes.
    private func resume(from clock: QueryClock, _ scoped: [Engine.ScopedContainer]) -> Bool {
        guard isKnown(clock) else { return false }
        var changes: [ChangeSet] = []
        let plans = scoped.map {
            engine.plan(question, for: $0, at: clock.moment.map { Timestamp(nanoseconds: $0) } ?? .now)
        }
        for (record, plan) in zip(scoped.map(\.record), plans) {
            if question.caller != nil {
                // Whatever else changed, the way to the container is as it was then.
                guard record.accessChanged <= clock.sequence else { return false }
                if plan.matchesNothing {
                    changes.append(ChangeSet())
                    continue
                }
            }
            guard let indexClock = record.clocks.indexClock(at: clock.sequence),
                let set = record.index.changes(since: indexClock)
            else { return false }
            changes.append(set)
        }
        // More than may be pending: it is gathered again, which takes a bit for each item.
        guard changes.reduce(0, { $0 + $1.count }) <= engine.limits.pendingItems else { return false }
        for ((scoped, plan), set) in zip(zip(scoped, plans), changes) {
            let query = add(scoped, plan)
            scoped.record.registry.resume(query, from: set, in: scoped.record.index)
            engine.runErrands(of: scoped.record)
        }
        notePending()
        return true
    }

    /// Finds what matches now; for a subscriber that comes back only how many.
    private func scan(onlyCounting: Bool) {
        let scans = parts.map { (plan: $0.query.plan, snapshot: $0.record.index.snapshot()) }
        isAway = true
        let scanGuard = engine.workload.scanGuard()
        self.scanGuard = scanGuard
        let work = { @Sendable in scans.map { $0.plan.selectTolerantly(in: $0.snapshot, guard: scanGuard) } }
        func finish(_ found: [(selection: RowSelection, errors: EvaluationErrors)]) {
            self.isAway = false
            self.leaveTurn()
            self.scanGuard = nil
            guard self.phase == .gathering else { return }
            guard scanGuard.ended == .going else {
                return self.fail(.evaluationFailed(message: "the predicate takes too much time"))
            }
            for (part, found) in zip(self.parts, found) {
                if onlyCounting {
                    part.query.count(found.selection.count)
                } else {
                    part.query.gather(found.selection, errors: found.errors)
                }
            }
            self.logFailures()
            self.advance()
        }
        guard scanTurn != nil else { return finish(work()) }
        engine.inTurn(scanLane, work) { result in
            // It fails only when the pool has been shut down, and then nobody waits any more.
            if case .success(let found) = result { finish(found) }
        }
    }

    /// Items for which the predicate has no answer count as not matching; that is said once for a query.
    private func logFailures() {
        guard !failuresLogged, let part = parts.first(where: { $0.query.errors.count > 0 }) else { return }
        failuresLogged = true
        engine.logger.warning(
            "a live query cannot be evaluated for some items, which count as not matching",
            metadata: [
                "container": "\(part.record.identifier)",
                "predicate": "\(question.predicate.canonical.prefix(Subscription.predicateLogged))",
                "error": "\(part.query.errors.first.map { "\($0)" } ?? "")",
            ])
    }

    /// How many characters of a predicate the log gets.
    private static let predicateLogged = 300

    // MARK: Limits

    /// Counts what is pending; past a limit this query ends, or the one that has most to take. The last clock that its
    /// subscriber got tells the rest when it comes back.
    func notePending() {
        let count = parts.reduce(0) { $0 + $1.query.pendingCount }
        engine.pendingItems += count - pendingItems
        pendingItems = count
        if count > engine.limits.pendingItems {
            failBehind("pendingItems", engine.limits.pendingItems)
        } else if engine.pendingItems > engine.limits.pendingItemsInAll {
            // Of the user who is behind most, the one that is: many that are a little behind do not end another's.
            var ofUser: [UInt32: Int] = [:]
            for other in engine.subscriptions.values { ofUser[other.peer.userID, default: 0] += other.pendingItems }
            let user = ofUser.max { $0.value < $1.value }?.key
            let most = engine.subscriptions.values.filter { $0.peer.userID == user }
                .max { $0.pendingItems < $1.pendingItems }
            most?.failBehind("pendingItemsInAll", engine.limits.pendingItemsInAll)
        }
    }

    private func failBehind(_ limit: String, _ value: Int) {
        engine.logger.notice(
            "a live query ends: its subscriber takes changes too slowly",
            metadata: ["limit": "\(limit)", "user": "\(peer.userID)", "pending": "\(pendingItems)"])
        fail(.limitExceeded(limit: limit, value: Int64(value)))
    }

    private func fail(_ error: QueryError) {
        call.fail(error.varlinkError)
        end()
    }

    // MARK: Containers come and go

    /// A question about every container, or about this one before it was taken away, is about this one too.
    func containerAdded(_ record: ContainerRecord) {
        guard phase == .gathering || phase == .live,
            let scoped = engine.scopes(of: question.scopeTexts, in: record)
        else { return }
        if question.readsExtras { engine.fillExtras(record) }
        // Nothing of it is known yet: all of it is going to be an update.
        add(scoped, engine.plan(question, for: scoped)).count(0)
    }

    /// What the container's items were in the answer has been filed as their removal; the part goes when that is told.
    func containerRemoved(_ record: ContainerRecord) {
        dropFinishedParts()
        engine.stir(self)
    }

    /// Whether the query is about a container.
    func looks(at record: ContainerRecord) -> Bool { parts.contains { $0.record === record } }

    /// Other permissions of a container's own directory, or of one above it: all that is in it may come or go.
    func accessChanged(_ record: ContainerRecord) {
        if question.caller != nil { look(at: record) }
    }

    /// Other directories of a container are packages: what lies inside comes or goes.
    func packagesChanged(_ record: ContainerRecord) { look(at: record) }

    /// Goes on with plans for what is to be seen of a container now.
    private func look(at record: ContainerRecord) {
        guard phase == .gathering || phase == .live else { return }
        for part in parts where part.record === record {
            guard let scoped = engine.scopes(of: question.scopeTexts, in: record) else { continue }
            if record.registry.look(part.query, by: engine.plan(question, for: scoped), in: record.index) {
                engine.stir(self)
            }
        }
        notePending()
    }

    // MARK: Going on

    /// Does what can be done now: after changes, when the socket takes more, when a timer is due.
    func advance() {
        guard !isAdvancing else {
            mustAdvanceAgain = true
            return
        }
        if parts.contains(where: { $0.query.isOverworked }) {
            return fail(.evaluationFailed(message: "the predicate takes too much work for a live query"))
        }
        isAdvancing = true
        repeat {
            mustAdvanceAgain = false
            switch phase {
            case .waiting, .ended: break
            case .gathering: sendFirstResults()
            case .live: sendUpdates()
            }
        } while mustAdvanceAgain
        isAdvancing = false
    }

    /// Sends what is pending without waiting for the batch time.
    func flush() {
        // In the first phase what changed meanwhile is merged: it then goes out with that, not a batch time later.
        guard phase == .live else {
            batchIsDue = true
            return
        }
        guard hasPending else { return }
        batchIsDue = true
        advance()
    }

    private func sendFirstResults() {
        guard !isAway, heldDelta == nil, !isBehind || parts.contains(where: { $0.query.firstCount > 0 }) else { return }
        // Containers that came while this gathered have nothing but changes to tell.
        while let place = parts.firstIndex(where: { $0.query.firstCount > 0 }) {
            guard call.isWritable else { return }
            sendFirst(of: place)
            if isAway { return }
        }
        // Resumed: the difference is what is pending, and still belongs to the first phase.
        while hasPending, isResumed, heldDelta == nil {
            guard call.isWritable else { return }
            sendDelta(as: "progress")
        }
        guard heldDelta == nil, call.isWritable, !isBehind else { return }
        sendGathered()
    }

    /// One reply with first results of a container, as they are now: made off the loop where there are many.
    private func sendFirst(of place: Int) {
        let rows = parts[place].query.takeFirst(limit: replySize.items)
        let snapshot = parts[place].query.snapshot(of: parts[place].record.index)
        isAway = true
        engine.offLoop(
            rows: snapshot.count, for: peer.userID, lane: question.tellsAccounts ? .naming : .shared,
            input: parts[place].renderer
        ) { renderer in
            var writer = JSONWriter(capacity: Limits.replyBytes)
            writer.beginObject()
            writer.field("event", "progress")
            writer.key("added")
            writer.beginArray()
            for row in rows { renderer.write(row, of: snapshot, to: &writer) }
            writer.endArray()
            writer.endObject()
            return writer.takeBytes()
        } then: { bytes in
            self.isAway = false
            guard self.phase == .gathering else { return }
            self.replySize.note(items: rows.count, bytes: bytes.count)
            self.send(bytes)
            self.advance()
        }
    }

    private func sendStarted(fresh: Bool?) {
        writer.removeAll()
        writer.beginObject()
        writer.field("event", "started")
        writer.field("fresh", fresh)
        writer.endObject()
        sendWriter()
    }

    private func sendGathered() {
        phase = .live
        if !hasPending { batchIsDue = false }
        writer.removeAll()
        writer.beginObject()
        writer.field("event", "gathered")
        writer.field("count", Int64(count))
        writer.field("inexact", engine.inexact(openRecords, for: question.caller))
        if isToldAll { writer.field("clock", clock.text) }
        writer.endObject()
        sendWriter()
        advance()
    }

    private func sendUpdates() {
        guard hasPending, heldDelta == nil else { return }
        if batch > 0, !batchIsDue { return holdBatch() }
        while hasPending, heldDelta == nil {
            guard call.isWritable else { return }
            sendDelta(as: "updated")
        }
        batchIsDue = false
        batchTimer?.cancel()
        batchTimer = nil
    }

    /// Holds what is pending for the batch time, counted from the first change.
    private func holdBatch() {
        guard batchTimer == nil else { return }
        let subscription = NIOLoopBound(self, eventLoop: engine.loop)
        batchTimer = engine.loop.scheduleTask(in: .milliseconds(batch)) {
            subscription.value.batchTimer = nil
            subscription.value.batchIsDue = true
            subscription.value.advance()
        }
    }

    /// The containers that are there for the subscriber.
    private var openRecords: [ContainerRecord] {
        parts.map(\.record).filter { engine.isWatched($0) && engine.isOpen($0, for: question.caller) }
    }
    private var hasPending: Bool { parts.contains { $0.query.hasPending } }
    /// Whether changes are being worked out off the loop: what is pending is not all that there is to tell.
    private var isBehind: Bool { parts.contains { $0.query.isAway } }
    /// The queries that are behind, each with the clock of its index now.
    var queriesBehind: [(query: LiveQuery, clock: UInt64)] {
        parts.compactMap { $0.query.isAway ? ($0.query, $0.record.index.clock) : nil }
    }
    /// What the subscriber is told when it knows all that there is.
    private var clock: QueryClock {
        var clock = engine.clock(of: question)
        if parts.contains(where: { $0.query.plan.knowsItsMoments }) { clock.moment = engine.moment.nanoseconds }
        return clock
    }
    /// Whether the subscriber knows all that is known here. A clock says so, and is told only then.
    private var isToldAll: Bool { !hasPending && !isBehind && heldDelta == nil }
    private var count: Int { parts.reduce(0) { $0 + $1.query.count } }

    /// One reply with what is pending, as much as fits into one; nothing where it comes to nothing.
    private func sendDelta(as event: StaticString) {
        dropFinishedParts()
        var deltas: [PartDelta] = []
        var room = replySize.items
        for place in parts.indices where parts[place].query.hasPending && room > 0 {
            let snapshot = parts[place].query.snapshot(of: parts[place].record.index)
            let delta = parts[place].query.take(limit: room, in: parts[place].record.index)
            room -= delta.count
            if delta.count > 0 { deltas.append((place, snapshot, delta)) }
            parts[place].renderer.forgetPlaces()
        }
        guard !deltas.isEmpty else { return }
        let taken = TakenDelta(
            event: event, deltas: deltas, count: phase == .live ? count : nil, clock: isToldAll ? clock.text : nil)
        let unknown = unknownAccounts(in: deltas)
        guard !unknown.isEmpty else { return send(taken) }
        heldDelta = taken
        notePending()
        // All of the question's renderers have the same names.
        let names = parts[deltas[0].part].renderer.names
        engine.offLoop(rows: 0, for: peer.userID, lane: .naming) {
            names.learn(unknown)
        } then: { _ in
            self.heldDelta = nil
            guard self.phase != .ended else { return }
            self.send(taken)
            self.advance()
        }
    }

    /// What is pending in one part, taken.
    private typealias PartDelta = (part: Int, snapshot: IndexSnapshot, delta: Delta)

    /// One reply as of the moment at which it was taken.
    private struct TakenDelta {
        let event: StaticString
        let deltas: [PartDelta]
        let count: Int?
        let clock: String?
    }

    /// The accounts whose names have to be asked to write these.
    private func unknownAccounts(in deltas: [PartDelta]) -> AccountNumbers {
        var unknown = AccountNumbers()
        guard question.tellsAccounts else { return unknown }
        for (part, snapshot, delta) in deltas {
            for row in delta.added + delta.changed.map(\.row) {
                parts[part].renderer.appendUnknownAccounts(of: row, in: snapshot, to: &unknown)
            }
        }
        return unknown
    }

    private func send(_ taken: TakenDelta) {
        let deltas = taken.deltas
        writer.removeAll(keepingAtMost: Limits.replyBytes)
        writer.beginObject()
        writer.field("event", taken.event.description)
        writeItems("added", deltas) { $0.added.map { ($0, nil) } }
        writeItems("changed", deltas) { $0.changed.map { ($0.row, $0.previousPath) } }
        writeRemovals(deltas)
        if let count = taken.count { writer.field("count", Int64(count)) }
        if let clock = taken.clock { writer.field("clock", clock) }
        writer.endObject()
        replySize.note(items: deltas.reduce(0) { $0 + $1.delta.count }, bytes: writer.count)
        notePending()
        sendWriter()
    }

    private func writeItems(
        _ key: StaticString, _ deltas: [PartDelta], _ rows: (Delta) -> [(row: Row, previousPath: [UInt8]?)]
    ) {
        guard deltas.contains(where: { !rows($0.delta).isEmpty }) else { return }
        writer.key(key)
        writer.beginArray()
        for (part, snapshot, delta) in deltas {
            for (row, previousPath) in rows(delta) {
                parts[part].renderer.write(row, of: snapshot, previousPath: previousPath, to: &writer)
            }
        }
        writer.endArray()
    }

    private func writeRemovals(_ deltas: [PartDelta]) {
        guard deltas.contains(where: { !$0.delta.removed.isEmpty }) else { return }
        writer.key("removed")
        writer.beginArray()
        for (part, _, delta) in deltas {
            for removal in delta.removed {
                parts[part].renderer.writeRemoval(removal.identifier, lastPath: removal.path, to: &writer)
            }
        }
        writer.endArray()
    }

    /// Lets go of parts of containers that were removed, once their last removals have been taken. Not before the first
    /// phase is over: what is on its way goes by the places of the parts.
    private func dropFinishedParts() {
        guard phase == .live, heldDelta == nil else { return }
        for part in parts where isFinished(part) { forget(part) }
        parts.removeAll { isFinished($0) }
    }

    private func isFinished(_ part: Part) -> Bool {
        !part.query.hasPending && !part.query.isAway && !engine.isWatched(part.record)
    }

    // MARK: Replies

    /// Sends what the writer holds. It is in use until the call returns, so nothing else may be written meanwhile.
    private func sendWriter() {
        let wasAdvancing = isAdvancing
        isAdvancing = true
        call.reply(writer, continues: true)
        isAdvancing = wasAdvancing
        restartHeartbeat()
        if !wasAdvancing, mustAdvanceAgain { advance() }
    }

    private func send(_ bytes: JSONBytes) {
        call.reply(bytes, continues: true)
        restartHeartbeat()
    }

    /// The timer is not cancelled for each reply, which would cost a search among all timers: it looks when the last reply
    /// was, and sleeps for the rest.
    private func restartHeartbeat() {
        guard let heartbeat, phase != .ended else { return }
        lastReply = .now()
        if heartbeatTimer == nil { sleep(until: lastReply + .milliseconds(interval(heartbeat))) }
    }

    /// How many milliseconds a heartbeat takes that a subscriber asked for, who has so many live queries.
    static func interval(_ heartbeat: Int64, liveQueries: Int) -> Int64 {
        max(heartbeat, Limits.shortestHeartbeat, Int64(liveQueries) * 1_000 / Limits.heartbeatsPerSecond)
    }

    private func interval(_ heartbeat: Int64) -> Int64 {
        Subscription.interval(heartbeat, liveQueries: engine.subscriptionsOfUser[peer.userID, default: 0])
    }

    private func sleep(until deadline: NIODeadline) {
        let subscription = NIOLoopBound(self, eventLoop: engine.loop)
        heartbeatTimer = engine.loop.scheduleTask(deadline: deadline) { subscription.value.heartbeatIsDue() }
    }

    private func heartbeatIsDue() {
        heartbeatTimer = nil
        guard let heartbeat, phase != .ended else { return }
        let due = lastReply + .milliseconds(interval(heartbeat))
        if due > .now() { sleep(until: due) } else { sendAlive() }
    }

    private func sendAlive() {
        guard phase != .ended else { return }
        // A reader that is behind hears enough; more bytes would only pile up.
        guard call.isWritable else { return restartHeartbeat() }
        writer.removeAll()
        writer.beginObject()
        writer.field("event", "alive")
        if phase == .live, isToldAll { writer.field("clock", clock.text) }
        writer.endObject()
        sendWriter()
    }

    private func forget(_ part: Part) {
        part.record.registry.remove(part.query)
        engine.owners[ObjectIdentifier(part.query)] = nil
    }

    private func end() {
        guard phase != .ended else { return }
        phase = .ended
        if let waiter { engine.cancel(waiter) }
        waiter = nil
        scanGuard?.cancel()
        // A scan that is under way makes room when it has ended.
        if !isAway { scanTurn?.leave() }
        engine.pendingItems -= pendingItems
        pendingItems = 0
        batchTimer?.cancel()
        heartbeatTimer?.cancel()
        for part in parts { forget(part) }
        parts = []
        engine.remove(self)
    }
}
