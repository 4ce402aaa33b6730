// What one live query knows: how many match, what was not told yet.
// SPDX-License-Identifier: Apache-2.0

import MetadataIndex

/// What one live query knows of its answer and its subscriber. A value, so that work that is too long for the event loop
/// can take it along and bring it back (``LiveErrand``); whoever has it is its only owner, and nothing is copied.
///
/// What the subscriber holds is never kept as a list: it is what matches, but for the first results that were not taken
/// yet and for the pending items, each of which says whether it is held.
struct LiveAnswer: Sendable {
    /// How many items match now. Right once ``isGathered``.
    private(set) var count = 0
    /// Items for which the predicate had no answer, and why for the first.
    var errors = EvaluationErrors()
    /// Whether the first results, or their number where they are not wanted, are known.
    private(set) var isGathered = false
    private(set) var pending = PendingItems()
    /// The first results that were not taken yet. A row that changes is taken out and becomes a pending item.
    private(set) var first = RowSelection()
    private var firstIterator: RowSelection.Iterator?
    /// When the clock alone changes it next; nil where it does not.
    var moments: MomentQueue?
    /// Whether more became pending than may, and was let go of: nothing of it can be told any more.
    private(set) var isOverfull = false

    /// The most that may be pending.
    var mostPending = Int.max
    /// So many bytes of paths, of items that went or moved, count as an item that is pending. In a tree that is deep enough a
    /// path is a megabyte.
    private static let pathBytesOfAnItem = 512

    init() {}

    /// One that lost what was pending.
    init(overfull: ()) {
        isGathered = true
        isOverfull = true
    }

    /// What stands for an answer that is away: nothing can be taken of it.
    init(standingFor other: LiveAnswer) {
        count = other.count
        isGathered = other.isGathered
        errors = other.errors
    }

    /// Whether the first results are gathered and taken, and something is pending.
    var hasPending: Bool { isGathered && first.isEmpty && !pending.isEmpty }

    // MARK: First results

    mutating func gather(_ selection: RowSelection, errors: EvaluationErrors) {
        count(selection.count)
        self.errors.add(errors)
        first = selection
        // What was collected meanwhile took the first results for told.
        var untold: [Row] = []
        pending.updateEach { identifier, entry in
            guard entry.isHeld else { return }
            untold.append(identifier.row)
            entry = PendingItems.Entry(isHeld: false, matches: entry.matches)
        }
        for row in untold { first.remove(row) }
        firstIterator = nil
    }

    mutating func count(_ matching: Int) {
        count += matching
        isGathered = true
    }

    mutating func takeFirst(limit: Int) -> [Row] {
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

    /// They are held no more: what became of one meanwhile is told as of an item that the subscriber never had.
    mutating func putBackFirst(_ items: [ItemIdentifier]) {
        for item in items {
            if let entry = pending[item] {
                pending[item] = PendingItems.Entry(isHeld: false, matches: entry.matches)
            } else {
                first.insert(item.row)
            }
        }
        firstIterator = nil
    }

    // MARK: Changes

    /// How many items have changes that were not taken, long paths counting as several.
    var pendingCount: Int { pending.count + pending.pathBytes / LiveAnswer.pathBytesOfAnItem }

    mutating func popPending() -> (ItemIdentifier, PendingItems.Entry)? { pending.popFirst() }

    /// Notes what became of an item. `isMoved` says that a path that was asked for is another now, and `below` what
    /// differs, where that is a directory above; `formerPath` is called for the path that it had, where that has to be
    /// kept.
    mutating func record(
        _ identifier: ItemIdentifier, matched: Bool, matches: Bool, isCounted: Bool, isMoved: Bool,
        below: PendingItems.KnownPath? = nil, formerPath: () -> [UInt8]
    ) {
        if pendingCount > mostPending { isOverfull = true }
        if isOverfull { return }
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
            let isPathLost = !matches || isMoved
            switch entry.path {
            case .present where isPathLost: entry.path = (matches ? below : nil) ?? .bytes(formerPath())
            case .below(let former, let count) where isPathLost: entry.path = .bytes(former + formerPath()[count...])
            default: break
            }
        }
        pending[identifier] = entry
    }
}
