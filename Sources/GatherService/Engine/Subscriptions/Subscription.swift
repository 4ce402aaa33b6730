// One live query: its first results, then every change to them, as fast as its subscriber takes them.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import LiveQueries
import Logging
import Metadata
import MetadataIndex
import NIOCore
import Varlink

/// One live query and the call that it answers. On the event loop.
///
/// First results and updates have no gap: the query is registered and its snapshots are taken in one iteration, after the
/// open changes of the indexes went to the queries that were there. Later changes are collected by the ``LiveQuery`` of
/// each container, one entry an item, and made into replies when the first results have been taken, and whenever the
/// socket takes more.
final class Subscription {
    enum Phase {
        /// Containers are being read; nothing was told yet.
        case waiting
        /// The first results are going out.
        case gathering
        case live
        case ended
    }

    /// The query in one container.
    struct Part {
        let record: ContainerRecord
        let query: LiveQuery
        var renderer: ItemRenderer
    }

    /// Whether the engine is going to call ``advance()``.
    var isReady = false

    let engine: Engine
    let call: VarlinkCall
    private(set) var question: Question
    var phase = Phase.waiting
    var parts: [Part] = []
    var first = FirstResults()
    var batch: BatchHold
    var heartbeat: Heartbeat
    var writer = JSONWriter(capacity: 512)
    /// The changes that it has not taken, as the engine counts them.
    private(set) var pending: PendingAmounts
    /// Bytes of its predicate, once for each container that it was planned for: a plan may take 17 times as much. With
    /// the memory of its scopes beside that.
    let predicateBytes: Int
    /// The changes sent to it, and their delays.
    var activity: QueryActivity
    /// Whether names of accounts are being asked for that the next reply needs.
    var asksForNames = false
    /// Whether ``advance()`` is at work.
    var advancing = ReentrancyGuard()

    init(
        engine: Engine, call: VarlinkCall, question: Question, batch: BatchHold, heartbeat: Heartbeat,
        predicateBytes: Int, activity: QueryActivity
    ) {
        (self.engine, self.call, self.question) = (engine, call, question)
        (self.batch, self.heartbeat) = (batch, heartbeat)
        (self.predicateBytes, self.activity) = (predicateBytes, activity)
        pending = PendingAmounts(engine.limits)
    }

    var peer: PeerCredentials { call.peer }
    /// Bytes of its pending changes in memory.
    var pendingBytes: Int { pending.bytes }

    // MARK: Limits

    /// Counts the pending changes. Past its limit this query ends; the last clock that its subscriber got tells the
    /// rest when it comes back. The pending changes of all queries count when these had the chance to take them
    /// (``SubscriptionTable/furthestBehind()``).
    func notePending() {
        var (count, bytes) = (0, 0)
        for part in parts {
            count += part.query.pendingCount
            bytes += part.query.pendingBytes
            if let clock = part.query.suspendedSince { count += part.record.index.changeCount(since: clock) ?? 0 }
        }
        setPending(items: count, bytes: bytes)
        if pending.noteSlowness() {
            engine.logger.notice(
                "a live query of user \(peer.userID), process \(peer.processID), has not taken \(count) changes. It ends at \(engine.limits.pendingItems), or at \(MetadataIndex.changesKept) in one container if it is not read",
                metadata: ["message-id": "subscriber-merged", "user": "\(peer.userID)", "pending": "\(count)"])
        }
        let excess = pending.excess(
            hasLostChanges: parts.contains { $0.query.hasLostChanges },
            isOverfull: parts.contains { $0.query.isOverfull })
        if let excess { failBehind(excess.limit, excess.value, untaken: excess.untaken) }
    }

    private func setPending(items: Int, bytes: Int) {
        let more = pending.update(items: items, bytes: bytes)
        engine.subscriptions.notePending(of: peer.userID, items: more.items, bytes: more.bytes)
    }

    /// Ends the query, since its subscriber has not taken its replies.
    /// - Parameter untaken: for the log, where the number of changes does not say how much that is.
    func failBehind(_ limit: String, _ value: Int, untaken: String? = nil) {
        guard phase != .ended else { return }
        let untaken = untaken ?? Plural.count(pending.items, "change")
        engine.logger.notice(
            "a live query of user \(peer.userID), process \(peer.processID), was ended: its subscriber has not taken \(untaken) (limit \(limit), \(value)); with its last clock it gets the difference, or starts over",
            metadata: [
                "message-id": "live-query-ended", "limit": "\(limit)", "user": "\(peer.userID)",
                "pending": "\(pending.items)",
            ])
        fail(.limitExceeded(limit: limit, value: Int64(value)))
    }

    func fail(_ error: QueryError) {
        call.fail(error.varlinkError)
        end()
    }

    // MARK: Containers come and go

    /// A question about every container, or about this one before it was taken away, is about this one too.
    func containerAdded(_ record: ContainerRecord) {
        guard phase == .gathering || phase == .live,
            let scoped = engine.scopes.scopes(of: question.scopeTexts, in: record)
        else { return }
        if question.readsXattrs { engine.fillXattrs(record) }
        // Nothing of it is known yet: all of it is going to be an update.
        add(scoped, engine.planOnLoop(question, for: scoped)).count(0)
    }

    /// The container's items in the answer have been filed as removed; the part goes when that is sent.
    func containerRemoved(_ record: ContainerRecord) {
        for part in parts where part.record === record { part.query.awaitsPlan = false }
        dropFinishedParts()
        engine.subscriptions.markReady(self)
    }

    /// Whether the query is about a container.
    func looks(at record: ContainerRecord) -> Bool { parts.contains { $0.record === record } }

    /// Other permissions of a container's own directory, or of one above it: all that is in it may come or go. Other names of
    /// accounts may have been owed a look meanwhile.
    func accessChanged(_ record: ContainerRecord) {
        if question.caller != nil || question.dependsOnAccounts { look(at: record) }
    }

    /// Accounts may have other names. As soon as these are known, the items sent from here on go by them, and so do the
    /// matches and the items already sent.
    func accountsChanged() {
        guard question.dependsOnAccounts else { return }
        for place in parts.indices { parts[place].renderer.names = engine.system.names }
        for record in parts.map(\.record) where !record.held.owesLook {
            if record.held.look(isHeld: engine.updateHold(of: record)) { look(at: record) }
        }
    }

    /// The time zone has other rules: `question` is the same with these.
    func zoneChanged(_ question: Question) {
        guard phase != .ended else { return }
        self.question = question
        // One that waits is planned when it begins.
        guard phase != .waiting else { return }
        for part in parts {
            guard let scoped = engine.scopes.scopes(of: question.scopeTexts, in: part.record) else { continue }
            if !engine.updateHold(of: part.record), let plan = engine.planOnLoop(question, for: scoped) {
                goOn(part, with: plan)
            } else {
                engine.awaitPlan(of: part.query, self, in: part.record)
            }
        }
        engine.subscriptions.markReady(self)
        notePending()
    }

    /// Other directories of a container are packages: the items inside come or go.
    func packagesChanged(_ record: ContainerRecord) { look(at: record) }

    /// Goes on with plans for the present view of a container.
    private func look(at record: ContainerRecord) {
        guard phase == .gathering || phase == .live else { return }
        for part in parts where part.record === record {
            guard let scoped = engine.scopes.scopes(of: question.scopeTexts, in: record) else { continue }
            // The caller's view counts at once.
            goOn(part, with: part.query.latestPlan)
            if part.query.awaitsPlan || engine.stands(part.query.latestPlan, for: record) { continue }
            if let plan = engine.planOnLoop(question, for: scoped) {
                goOn(part, with: plan)
            } else {
                engine.awaitPlan(of: part.query, self, in: record)
            }
        }
        notePending()
    }

    /// Goes on with a plan that was made off the loop.
    func goOn(with plan: QueryPlan, _ query: LiveQuery) {
        guard let part = parts.first(where: { $0.query === query }) else { return }
        goOn(part, with: plan)
        engine.subscriptions.markReady(self)
        notePending()
    }

    private func goOn(_ part: Part, with plan: QueryPlan) {
        let plan = engine.goOn(plan, of: question, in: part.record, at: engine.clockFollower.now)
        if part.record.registry.look(part.query, by: plan, in: part.record.index) {
            engine.subscriptions.markReady(self)
        }
    }

    // MARK: Ending

    func forget(_ part: Part) {
        part.record.registry.remove(part.query)
        engine.subscriptions.setOwner(nil, of: part.query)
    }

    func end() {
        guard phase != .ended else { return }
        phase = .ended
        let (waiter, turn) = first.end()
        if let waiter { engine.barriers.cancel(waiter) }
        turn?.leave()
        setPending(items: 0, bytes: 0)
        batch.noteAllPublished()
        heartbeat.end()
        for part in parts { forget(part) }
        parts = []
        engine.remove(self)
    }
}
