// The replies of a live query: its first results, then its pending changes.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import LinuxSystem
import LiveQueries
import Metadata
import MetadataIndex
import NIOCore
import Varlink

extension Subscription {
    /// Does the work that is possible now: after changes, when the socket takes more, when a timer is due.
    func advance() {
        guard advancing.begin() else { return }
        if parts.contains(where: { $0.query.isOverworked }) {
            fail(.evaluationFailed(message: "the predicate takes too much work for a live query"))
        }
        repeat {
            bringBackIfRead()
            switch phase {
            case .waiting, .ended: break
            case .gathering: sendFirstResults()
            case .live: sendUpdates()
            }
        } while advancing.goesOn()
    }

    // MARK: Suspended live queries

    /// Whether nothing can be sent, since the subscriber does not read.
    var isUnread: Bool { !call.isWritable }

    /// Has suspended live queries brought back if the subscriber reads. They do not wait for the batch time or for first
    /// results: the change log may not reach back for so long.
    private func bringBackIfRead() {
        if call.isWritable { engine.bringBack(self) }
    }

    /// Sends pending changes without waiting for the batch time.
    func flush() {
        // In the first phase changes made meanwhile are merged: they then go out with that, not a batch time later.
        guard phase == .live else {
            batch.release()
            return
        }
        // Changes may be on their way: a suspended live query has none pending until its subscriber reads.
        guard hasPending || isBehind || parts.contains(where: { $0.query.suspendedSince != nil }) else { return }
        batch.release()
        advance()
    }

    private func sendFirstResults() {
        guard !first.isAway, !asksForNames, !isBehind || parts.contains(where: { $0.query.firstCount > 0 }) else {
            return
        }
        // Containers that came while this gathered have nothing but changes to tell.
        while let place = parts.firstIndex(where: { $0.query.firstCount > 0 }) {
            guard call.isWritable else { return }
            sendFirst(of: place)
            if first.isAway { return }
        }
        // Resumed: the pending changes are the difference, and still belong to the first phase.
        while hasPending, first.isResumed, !asksForNames {
            guard call.isWritable else { return }
            sendDelta(as: "progress")
        }
        guard !asksForNames, call.isWritable, !isBehind else { return }
        sendGathered()
    }

    /// One reply with first results of a container, as they are now: made off the loop where there are many. Those that do
    /// not fit are given back.
    private func sendFirst(of place: Int) {
        let rows = parts[place].query.takeFirst(limit: first.beginReply())
        let snapshot = parts[place].query.snapshot(of: parts[place].record.index)
        engine.scans.run(
            rows: snapshot.count, for: peer.userID, lane: question.tellsAccounts ? .naming : .shared,
            input: parts[place].renderer
        ) { renderer in
            var writer = JSONWriter(capacity: Limits.replyBytes)
            writer.beginObject()
            writer.field("event", "progress")
            writer.key("added")
            writer.beginArray()
            var published = 0
            while published < rows.count, writer.count < Limits.replyBytes {
                renderer.write(rows[published], of: snapshot, to: &writer)
                published += 1
            }
            writer.endArray()
            writer.endObject()
            return (writer.takeBytes(), published)
        } then: { (bytes: JSONBytes, published: Int) in
            self.first.endReply(items: published, bytes: bytes.count)
            guard self.phase == .gathering else { return }
            if published < rows.count { self.parts[place].query.putBackFirst(rows[published...], from: snapshot) }
            self.send(bytes)
            self.advance()
        }
    }

    func sendStarted(fresh: Bool?) {
        writer.removeAll()
        writer.beginObject()
        writer.field("event", "started")
        writer.field("fresh", fresh)
        writer.endObject()
        sendWriter()
    }

    private func sendGathered() {
        phase = .live
        if !hasPending { batch.noteAllPublished() }
        writer.removeAll()
        writer.beginObject()
        writer.field("event", "gathered")
        writer.field("count", Int64(count))
        writer.field(
            "inexact", engine.inexact(openRecords, xattrs: question.readsXattrs, for: question.caller))
        if isAllPublished { writer.field("clock", clock.text) }
        writer.endObject()
        sendWriter()
        advance()
    }

    private func sendUpdates() {
        guard hasPending, !asksForNames else { return }
        guard batch.releaseIfFull(items: pending.items) else { return holdBatch() }
        while hasPending, !asksForNames {
            guard call.isWritable else { return noteHeldBack() }
            sendDelta(as: "updated")
        }
        noteCaughtUp()
        batch.noteAllPublished()
    }

    private func holdBatch() {
        batch.hold { time in
            let subscription = NIOLoopBound(self, eventLoop: engine.loop)
            return engine.loop.scheduleTask(in: time) {
                subscription.value.batch.timeIsOver()
                subscription.value.advance()
            }
        }
    }

    // MARK: Measurements

    /// Notes that changes are pending from an event that was read at `time`. Live queries that gather, or have a batch interval, are
    /// not measured, since their delay was requested.
    func noteNews(read time: UInt64?) {
        guard let time, !batch.holdsChanges, phase == .live else { return }
        activity.noteNews(read: time)
    }

    private func noteReply(items: Int) {
        activity.notePublished(items: items, now: MonotonicClock.now())
        engine.activity.noteReply(items: items)
    }

    /// Notes that all pending changes are in replies.
    private func noteCaughtUp() {
        guard !asksForNames, let latency = activity.noteCaughtUp(now: MonotonicClock.now()) else { return }
        engine.activity.noteLatency(latency)
    }

    /// Drops the measurement of a reply that the subscriber does not read, since the delay is not the daemon's.
    private func noteHeldBack() {
        activity.dropNews()
        engine.activity.noteHeldBack()
    }

    // MARK: Changes to send

    /// The containers that are there for the subscriber.
    private var openRecords: [ContainerRecord] {
        parts.map(\.record).filter { engine.containers.contains($0) && engine.access.isOpen($0, for: question.caller) }
    }
    private var hasPending: Bool { parts.contains { $0.query.hasPending } }
    /// Whether changes are being worked out off the loop: there is more to send than the pending changes.
    private var isBehind: Bool { parts.contains { $0.query.isAway || $0.record.held.owesLook } }
    /// The queries that are behind, each with the clock of its index now.
    var queriesBehind: [(query: LiveQuery, clock: UInt64)] {
        parts.compactMap { $0.query.isAway ? ($0.query, $0.record.index.clock) : nil }
    }
    /// The clock for a subscriber that has all changes.
    var clock: QueryClock {
        // Those names that were asked for until now, and no others, are in the items sent.
        let names = question.dependsOnAccounts ? engine.system.names.fingerprint : nil
        var clock = engine.clock(of: question, names: names)
        if parts.contains(where: { $0.query.plan.knowsItsMoments }) {
            clock.moment = engine.clockFollower.moment.nanoseconds
        }
        return clock
    }
    /// Whether the subscriber knows all that is known here. A clock says so, and is told only then.
    var isAllPublished: Bool { !hasPending && !isBehind }
    var count: Int { parts.reduce(0) { $0 + $1.query.count } }

    /// One reply with pending changes, as many as fit into one; nothing where they come to nothing.
    private func sendDelta(as event: StaticString) {
        dropFinishedParts()
        let unknown = unknownAccounts()
        guard unknown.isEmpty else { return learn(unknown) }
        // All live queries share its memory.
        engine.deltaWriter.removeAll()
        for place in parts.indices where parts[place].query.hasPending {
            let query = parts[place].query
            let snapshot = query.snapshot(of: parts[place].record.index)
            while !engine.deltaWriter.isFull, let item = query.takeNext(in: snapshot) {
                engine.deltaWriter.write(item, by: &parts[place].renderer, of: snapshot)
            }
            parts[place].renderer.forgetPlaces()
        }
        writer.removeAll(keepingAtMost: Limits.replyBytes)
        writer.beginObject()
        writer.field("event", event.description)
        engine.deltaWriter.writeArrays(to: &writer)
        let published = engine.deltaWriter.count
        guard published > 0 else { return }
        if phase == .live {
            writer.field("count", Int64(count))
            writer.field(
                "inexact", engine.inexact(openRecords, xattrs: question.readsXattrs, for: question.caller))
        }
        if isAllPublished { writer.field("clock", clock.text) }
        writer.endObject()
        noteReply(items: published)
        notePending()
        sendWriter()
    }

    /// The accounts whose names have to be asked to write the next changes.
    private func unknownAccounts() -> AccountNumbers {
        var unknown = AccountNumbers()
        guard question.tellsAccounts else { return unknown }
        for part in parts where part.query.hasPending {
            let snapshot = part.query.snapshot(of: part.record.index)
            part.query.forEachPendingRow(limit: Limits.itemsPerReply) {
                part.renderer.appendUnknownAccounts(of: $0, in: snapshot, to: &unknown)
            }
        }
        return unknown
    }

    /// Asks for names on another thread. Nothing is taken until they are known: pending changes go on merging.
    private func learn(_ unknown: AccountNumbers) {
        asksForNames = true
        let names = engine.system.names
        engine.scans.run(rows: 0, for: peer.userID, lane: .naming) {
            names.learn(unknown)
        } then: { _ in
            self.asksForNames = false
            self.advance()
        }
    }

    /// Lets go of parts of containers that were removed, once their last removals have been taken. Not before the first
    /// phase is over: results on their way go by the places of the parts.
    func dropFinishedParts() {
        guard phase == .live, !asksForNames else { return }
        for part in parts where isFinished(part) { forget(part) }
        parts.removeAll { isFinished($0) }
    }

    private func isFinished(_ part: Part) -> Bool {
        !part.query.hasPending && !part.query.isAway && !engine.containers.contains(part.record)
    }
}
