// One live query over one container: what its subscriber knows and what it has still to be told.
// SPDX-License-Identifier: Apache-2.0

import Metadata
package import MetadataIndex

/// One live query over one container, of one subscriber. It lives on the event loop with its index, and is not `Sendable`.
///
/// Its life: ``LiveQueryRegistry/add(_:attributes:)`` and a snapshot in the same turn; ``QueryPlan/selectTolerantly(in:)``
/// on that snapshot, on any thread, while changes are collected here; ``gather(_:errors:)`` with what it found;
/// ``takeFirst(limit:)`` until that is empty, then ``take(limit:in:)`` whenever something is pending. Or instead of
/// gathering ``LiveQueryRegistry/resume(_:from:in:)`` and ``count(_:)``.
///
/// What the subscriber holds is never kept as a list: it is what matches, but for the first results that were not taken
/// yet and for the pending items, each of which says whether it is held.
package final class LiveQuery {
    /// What it asks.
    package internal(set) var plan: QueryPlan
    /// The attributes that the subscriber asked for.
    package let attributes: AttributeSet
    /// How many items match now. Right once ``isGathered``.
    package private(set) var count = 0
    /// Items for which the predicate had no answer, and why for the first.
    package internal(set) var errors = EvaluationErrors()
    /// Whether the first results, or their number where they are not wanted, are known.
    package private(set) var isGathered = false

    /// Its place in the registry, nil after it was removed.
    var number: Int?
    private var pending = PendingItems()
    /// The first results that were not taken yet. A row that changes is taken out and becomes a pending item.
    private var first = RowSelection()
    private var firstIterator: RowSelection.Iterator?

    init(_ plan: QueryPlan, attributes: AttributeSet, number: Int) {
        self.plan = plan
        self.attributes = attributes
        self.number = number
    }

    /// Whether a directory that moves may touch it for what lies below: its predicate, its scope or its subscriber reads
    /// what follows from the place.
    package var isPlaceSensitive: Bool { plan.isPlaceSensitive || attributes.followFromPlace }

    /// Whether the predicate or the subscriber reads tags.
    package var readsTags: Bool { plan.readsTags || attributes.contains(.tags) }

    // MARK: First results

    /// Tells what matched when the query was registered.
    package func gather(_ selection: RowSelection, errors: EvaluationErrors = EvaluationErrors()) {
        count(selection.count)
        self.errors.add(errors)
        first = selection
        // What was collected meanwhile took the first results for told.
        pending.updateEach { identifier, entry in
            guard entry.isHeld else { return }
            first.remove(identifier.row)
            entry = PendingItems.Entry(isHeld: false, matches: entry.matches)
        }
        firstIterator = nil
    }

    /// Tells only how many items matched when the query was registered, for a subscriber that holds them already.
    package func count(_ matching: Int) {
        count += matching
        isGathered = true
    }

    /// How many of the first results were not taken yet; those that changed meanwhile are pending items instead.
    package var firstCount: Int { first.count }

    /// Takes some of the first results, in the order of rows. All of them match now.
    package func takeFirst(limit: Int) -> [Row] {
        var rows: [Row] = []
        guard !first.isEmpty else { return rows }
        var iterator = firstIterator ?? first.makeIterator()
        while rows.count < limit, let row = iterator.next() {
            // The iterator goes over what was there when it was made.
            if first.remove(row) { rows.append(row) }
        }
        firstIterator = first.isEmpty ? nil : iterator
        if first.isEmpty { first = RowSelection() }
        return rows
    }

    // MARK: Changes

    /// How many items have changes that were not taken yet.
    package var pendingCount: Int { pending.count }

    /// Whether the first results are gathered and taken, and something is pending.
    package var hasPending: Bool { isGathered && first.isEmpty && !pending.isEmpty }

    /// Takes up to `limit` pending items, those first that changed first. To be called in a turn in which all changes of
    /// the index were processed, so that the rows that it names are those of its items.
    package func take(limit: Int, in index: MetadataIndex) -> Delta {
        var delta = Delta()
        let asksPath = attributes.contains(.path)
        while delta.count < limit, let (identifier, entry) = pending.popFirst() {
            if !entry.matches {
                var path: [UInt8] = []
                if case .bytes(let known) = entry.path { path = known }
                delta.removed.append(Delta.Removed(identifier: identifier, path: path))
            } else if entry.isHeld {
                let previous = asksPath ? previousPath(of: identifier.row, entry.path, in: index) : nil
                delta.changed.append(Delta.Changed(row: identifier.row, previousPath: previous))
            } else {
                delta.added.append(identifier.row)
            }
        }
        delta.hasMore = !pending.isEmpty
        return delta
    }

    /// The path that the subscriber knows, where it is not the present one.
    private func previousPath(of row: Row, _ known: PendingItems.KnownPath, in index: MetadataIndex) -> [UInt8]? {
        if case .present = known { return nil }
        var present: [UInt8] = []
        index.appendPath(of: row, to: &present)
        let path =
            switch known {
            case .present: present
            case .bytes(let path): path
            case .below(let former, let count): former + present[count...]
            }
        return path == present ? nil : path
    }

    /// Notes what became of an item. `isMoved` says that its path is another now, and `below` what differs, where that
    /// is a directory above; `formerPath` is called for the path that it had, where that has to be kept.
    func record(
        _ identifier: ItemIdentifier, matched: Bool, matches: Bool, isCounted: Bool, isMoved: Bool,
        below: PendingItems.KnownPath? = nil, formerPath: () -> [UInt8]
    ) {
        if isCounted { count += (matches ? 1 : 0) - (matched ? 1 : 0) }
        var entry: PendingItems.Entry
        if let known = pending[identifier] {
            entry = known
        } else {
            // One of the first results that was not taken yet is not held.
            let isUntold = matched && first.remove(identifier.row)
            entry = PendingItems.Entry(isHeld: matched && !isUntold, matches: matched)
        }
        entry.matches = matches
        if entry.isHeld {
            let isPathLost = !matches || (isMoved && attributes.contains(.path))
            switch entry.path {
            case .present where isPathLost: entry.path = (matches ? below : nil) ?? .bytes(formerPath())
            case .below(let former, let count) where isPathLost: entry.path = .bytes(former + formerPath()[count...])
            default: break
            }
        }
        pending[identifier] = entry
    }
}
