// The answer of one live query: the number of matches, and the changes that are not published yet.
// SPDX-License-Identifier: Apache-2.0

import MetadataIndex

/// The answer of one live query, and the state of its subscriber. It is a value with one owner: a background update
/// (``BackgroundUpdate``) takes it away from the event loop and brings it back without a copy.
///
/// There is no list of the items that the subscriber holds. The subscriber holds all matches except the first results
/// that were not taken. For each pending item, the entry says whether the subscriber holds it.
struct LiveAnswer: Sendable {
    /// The number of items that match now. Valid if ``isGathered``.
    private(set) var count = 0
    /// The items for which the evaluation failed, and the first error.
    var errors = EvaluationErrors()
    /// Whether the first results are known, or their number if the subscriber does not want them.
    private(set) var isGathered = false
    private(set) var pending = PendingItems()
    /// The first results that were not taken yet. A row that changes leaves them and becomes a pending item.
    private(set) var first = RowSelection()
    private var firstIterator: RowSelection.Iterator?
    /// The moments at which the clock alone changes the answer; nil if it does not.
    var moments: MomentQueue?
    /// Whether the limit of pending items was exceeded. The pending items are dropped, and the query must end.
    private(set) var isOverfull = false

    /// The limit of pending items.
    var mostPending = Int.max
    /// The bytes of paths of removed and moved items that count as one pending item. In a deep tree, a path can have a
    /// megabyte.
    private static let pathBytesOfAnItem = 512

    init() {}

    /// Makes an answer that exceeded its limit of pending items.
    init(overfull: ()) {
        isGathered = true
        isOverfull = true
    }

    /// Makes a placeholder for an answer that is away. Nothing can be taken from it.
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
        // Changes collected during the scan counted the first results as held.
        var unpublished: [Row] = []
        pending.updateEach { identifier, entry in
            guard entry.isHeld else { return }
            unpublished.append(identifier.row)
            entry = PendingItems.Entry(isHeld: false, matches: entry.matches)
        }
        for row in unpublished { first.remove(row) }
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
            // The iterator has the rows that existed when it was made.
            if first.remove(row) { rows.append(row) }
        }
        firstIterator = first.isEmpty ? nil : iterator
        if first.isEmpty { first = RowSelection() }
        return rows
    }

    /// Returns first results that were taken and not published. The subscriber does not hold them.
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

    /// The number of items with changes that were not taken. A long path counts as several.
    var pendingCount: Int { pending.count + pending.pathBytes / LiveAnswer.pathBytesOfAnItem }

    /// The approximate memory of the pending items, in bytes.
    var pendingBytes: Int { pending.count * PendingItems.bytesOfItem + pending.pathBytes }

    mutating func popPending() -> (ItemIdentifier, PendingItems.Entry)? { pending.popFirst() }

    /// Records a change of an item.
    ///
    /// `isMoved` says that a requested path changed. `below` is the changed part of the path if a directory above
    /// moved. `formerPath` is called for the former path if it must be kept.
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
            // The subscriber does not hold first results that were not taken.
            let isUnpublished = matched && first.remove(identifier.row)
            entry = PendingItems.Entry(isHeld: matched && !isUnpublished, matches: matched)
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
