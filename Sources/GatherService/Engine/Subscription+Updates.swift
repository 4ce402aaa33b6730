// What a live query sends: its first results, then what is pending.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import LiveQueries
import Metadata
import MetadataIndex
import NIOCore
import Varlink

extension Subscription {
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
        if !hasPending { batchIsDue = false }
        writer.removeAll()
        writer.beginObject()
        writer.field("event", "gathered")
        writer.field("count", Int64(count))
        writer.field(
            "inexact", engine.inexact(openRecords, extras: question.readsExtras, for: question.caller))
        if isToldAll { writer.field("clock", clock.text) }
        writer.endObject()
        sendWriter()
        advance()
    }

    private func sendUpdates() {
        guard hasPending, heldDelta == nil else { return }
        if batch > 0, !batchIsDue { return holdBatch() }
        while hasPending, heldDelta == nil {
            guard call.isWritable else { return noteHeldBack() }
            sendDelta(as: "updated")
        }
        noteCaughtUp()
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
    var clock: QueryClock {
        var clock = engine.clock(of: question)
        if parts.contains(where: { $0.query.plan.knowsItsMoments }) { clock.moment = engine.moment.nanoseconds }
        return clock
    }
    /// Whether the subscriber knows all that is known here. A clock says so, and is told only then.
    var isToldAll: Bool { !hasPending && !isBehind && heldDelta == nil }
    var count: Int { parts.reduce(0) { $0 + $1.query.count } }

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
    typealias PartDelta = (part: Int, snapshot: IndexSnapshot, delta: Delta)

    /// One reply as of the moment at which it was taken.
    struct TakenDelta {
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

    func send(_ taken: TakenDelta) {
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
        let items = deltas.reduce(0) { $0 + $1.delta.count }
        replySize.note(items: items, bytes: writer.count)
        noteReply(items: items)
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
    func dropFinishedParts() {
        guard phase == .live, heldDelta == nil else { return }
        for part in parts where isFinished(part) { forget(part) }
        parts.removeAll { isFinished($0) }
    }

    private func isFinished(_ part: Part) -> Bool {
        !part.query.hasPending && !part.query.isAway && !engine.isWatched(part.record)
    }
}
