// One live query over one container: what its subscriber knows and what it has still to be told.
// SPDX-License-Identifier: Apache-2.0

import Metadata
package import MetadataIndex
import PredicateLanguage

/// One live query over one container, of one subscriber. It lives on the event loop with its index, and is not `Sendable`.
///
/// Its life: ``LiveQueryRegistry/add(_:attributes:)`` and a snapshot in the same turn; ``QueryPlan/selectTolerantly(in:)``
/// on that snapshot, on any thread, while changes are collected here; ``gather(_:errors:)`` with what it found;
/// ``takeFirst(limit:)`` until that is empty, then ``take(limit:in:)`` whenever something is pending. Or instead of
/// gathering ``LiveQueryRegistry/resume(_:from:in:)`` and ``count(_:)``.
///
/// Now and then it is behind (``isAway``): its answer is away with work that is too long for the event loop, or came back
/// from it and goes on at once with what changed meanwhile. No clock may be told then, and there is nothing to take but in
/// the turn between the two, as of a snapshot (``snapshot(of:)``).
package final class LiveQuery {
    /// What it asks.
    package internal(set) var plan: QueryPlan
    /// The attributes that the subscriber asked for.
    package let attributes: AttributeSet

    /// Its place in the registry, nil after it was removed.
    var number: Int?
    /// What it goes on with when its answer is back, where that is known already.
    var nextPlan: QueryPlan?
    /// The errand that its answer is away with.
    var absence: Int?
    /// What the answer is as of, where it came back and is about to leave again; nil where it is the index as it is.
    private var view: IndexSnapshot?
    /// The clock of the last change set that it was brought while it was away.
    private var broughtClock: UInt64 = 0
    private var answer = LiveAnswer()
    /// What came while the answer was away.
    private var whenBack: [(inout LiveAnswer) -> Void] = []

    init(_ plan: QueryPlan, attributes: AttributeSet, number: Int) {
        self.plan = plan
        self.attributes = attributes
        self.number = number
    }

    /// How many items match now. Right once ``isGathered`` and not ``isAway``.
    package var count: Int { answer.count }
    /// Items for which the predicate had no answer, and why for the first.
    package var errors: EvaluationErrors { answer.errors }
    /// Whether the first results, or their number where they are not wanted, are known.
    package var isGathered: Bool { answer.isGathered }
    /// Whether it is behind: what there is to take is not all that there is to tell.
    package var isAway: Bool { absence != nil }

    /// Whether it was brought all changes up to a clock of the index, so that they can be taken if they are not told yet.
    package func isCaughtUp(with clock: UInt64) -> Bool { !isAway || broughtClock >= clock }

    /// The rows that what can be taken now is told of.
    package func snapshot(of index: MetadataIndex) -> IndexSnapshot { view ?? index.snapshot() }

    /// What of the directories above an item its answer depends on.
    var causes: SubtreeChange.Causes {
        attributes.followFromPlace ? plan.causes.union(.place) : plan.causes
    }

    /// Whether a directory that changes may touch it for what lies below.
    package var isPlaceSensitive: Bool { !causes.isEmpty }

    /// Whether the predicate or the subscriber reads tags.
    package var readsTags: Bool { plan.readsTags || attributes.contains(.tags) }

    // MARK: First results

    /// Tells what matched when the query was registered.
    package func gather(_ selection: RowSelection, errors: EvaluationErrors = EvaluationErrors()) {
        change { $0.gather(selection, errors: errors) }
    }

    /// Tells only how many items matched when the query was registered, for a subscriber that holds them already.
    package func count(_ matching: Int) {
        change { $0.count(matching) }
    }

    private func change(_ body: @escaping (inout LiveAnswer) -> Void) {
        if isAway { whenBack.append(body) } else { body(&answer) }
    }

    /// How many of the first results were not taken yet; those that changed meanwhile are pending items instead.
    package var firstCount: Int { answer.first.count }

    /// Takes some of the first results, in the order of rows. All of them match now.
    package func takeFirst(limit: Int) -> [Row] { answer.takeFirst(limit: limit) }

    // MARK: Changes

    /// How many items have changes that were not taken yet.
    package var pendingCount: Int { answer.pending.count }

    /// Whether the first results are gathered and taken, and something is pending that can be taken.
    package var hasPending: Bool { answer.hasPending }

    /// Takes up to `limit` pending items, those first that changed first. To be called in a turn in which all changes of
    /// the index were processed, so that the rows that it names are those of its items.
    package func take(limit: Int, in index: MetadataIndex) -> Delta {
        let snapshot = snapshot(of: index)
        var delta = Delta()
        let asksPath = attributes.contains(.path)
        while delta.count < limit, let (identifier, entry) = answer.popPending() {
            if !entry.matches {
                var path: [UInt8] = []
                if case .bytes(let known) = entry.path { path = known }
                delta.removed.append(Delta.Removed(identifier: identifier, path: path))
            } else if entry.isHeld {
                let previous = asksPath ? previousPath(of: identifier.row, entry.path, in: snapshot) : nil
                delta.changed.append(Delta.Changed(row: identifier.row, previousPath: previous))
            } else {
                delta.added.append(identifier.row)
            }
        }
        delta.hasMore = !answer.pending.isEmpty
        return delta
    }

    /// The path that the subscriber knows, where it is not the present one.
    private func previousPath(of row: Row, _ known: PendingItems.KnownPath, in snapshot: IndexSnapshot) -> [UInt8]? {
        if case .present = known { return nil }
        var present: [UInt8] = []
        snapshot.appendPath(of: row, to: &present)
        let path =
            switch known {
            case .present: present
            case .bytes(let path): path
            case .below(let former, let count): former + present[count...]
            }
        return path == present ? nil : path
    }

    /// Notes what became of an item: ``LiveAnswer/record(_:matched:matches:isCounted:isMoved:below:formerPath:)``.
    func record(
        _ identifier: ItemIdentifier, matched: Bool, matches: Bool, isCounted: Bool, isMoved: Bool,
        below: PendingItems.KnownPath? = nil, formerPath: () -> [UInt8]
    ) {
        answer.record(
            identifier, matched: matched, matches: matches, isCounted: isCounted,
            isMoved: isMoved && attributes.contains(.path), below: below, formerPath: formerPath)
    }

    func note(_ error: EvaluationError) { answer.errors.add(error) }

    // MARK: Away and back

    /// Gives the answer away.
    func lend(to errand: Int) -> LiveAnswer {
        absence = errand
        view = nil
        let lent = answer
        answer = LiveAnswer(standingFor: lent)
        return lent
    }

    /// Takes back what was lent, as of a snapshot; what came meanwhile is done now. The query stays behind until
    /// ``catchUp()``.
    func takeBack(_ lent: consuming LiveAnswer, as view: IndexSnapshot? = nil) {
        answer = lent
        self.view = view
        if let view { broughtClock = view.clock }
        for body in whenBack { body(&answer) }
        whenBack = []
    }

    /// It was brought everything.
    func catchUp() {
        absence = nil
        view = nil
    }

    /// The answer, for whoever made the query only to work on it.
    func surrender() -> LiveAnswer { answer }
}
