// Change sets and the log of them.
// SPDX-License-Identifier: Apache-2.0

extension MetadataIndex {
    /// Counts the change sets that were taken and not empty.
    package var clock: UInt64 { storage.clock }

    /// Changes that the log keeps at most.
    package static let changesKept = ChangeLog.maximumChanges

    /// The changes can be told since this clock at the earliest.
    package var earliestClock: UInt64 { storage.log.floor }

    /// Whether there may be something to take. Complexity: O(1).
    package var hasChanges: Bool { !storage.open.isEmpty || storage.hasUnrecorded || storage.hasUnsettled }

    /// Everything that changed since the last take. If that is anything, the clock advances by one and the set goes into
    /// the log. Complexity: O(rows changed).
    package func takeChanges() -> ChangeSet { storage.takeChanges() }

    /// Returns the merged changes since a clock: each changed row with its state at that clock. A row that returned to that
    /// state is left out. Empty for the current clock; nil if the log does not reach back, or for a clock that never was.
    ///
    /// Take the open changes first: untaken changes are merged in too, and would be delivered again with the next take.
    /// Complexity: O(changes since then).
    package func changes(since clock: UInt64) -> ChangeSet? { storage.changes(since: clock) }

    /// Returns the changes since a clock, merged on first use on any thread. Complexity: O(1) and the cost of a snapshot.
    package func pastChanges(since clock: UInt64) -> PastChanges? {
        let current = snapshot()
        guard storage.reachesBack(to: clock) else { return nil }
        return PastChanges(since: clock, log: storage.log.tail(since: clock), open: storage.open, current: current)
    }

    /// How many changes there were since a clock, before they are merged; nil if the log does not reach back so far.
    package func changeCount(since clock: UInt64) -> Int? {
        storage.reachesBack(to: clock) ? storage.log.count(since: clock) + storage.open.count : nil
    }
}

extension IndexStorage {
    mutating func takeChanges() -> ChangeSet {
        settle()
        var set = ChangeSet()
        swap(&set, &open)
        // So that the set reads owners and modes without the index.
        set.formers.lend(rows)
        set.dropVoid(in: rows)
        set.since = clock
        set.clock = clock
        if set.isEmpty, !hasUnrecorded { return set }
        clock += 1
        set.clock = clock
        if hasUnrecorded {
            hasUnrecorded = false
            log.cut(at: clock)
        } else {
            log.append(set)
        }
        return set
    }

    func changes(since: UInt64) -> ChangeSet? {
        reachesBack(to: since) ? ChangeSet(merging: log, open, since: since, until: clock, rows) : nil
    }

    func reachesBack(to since: UInt64) -> Bool { since >= log.floor && since <= clock && !hasUnrecorded }
}

extension ChangeSet {
    /// Merges the log's sets since a clock and the open set, as of these rows.
    init(merging log: ChangeLog, _ open: ChangeSet, since: UInt64, until clock: UInt64, _ rows: RowStore) {
        self.init()
        log.merge(since: since, into: &self)
        var own = open.formers
        own.lend(rows)
        for change in open.changes { adopt(change, of: own) }
        formers.keepLists(of: rows)
        dropVoid(in: rows)
        self.since = since
        self.clock = clock
    }

    /// Drops rows that returned to their former state.
    fileprivate mutating func dropVoid(in rows: RowStore) {
        let formers = formers
        let all = self
        drop { change in
            let isLive = rows.isLive(change.row)
            guard change.former != ChangeSet.noFormer else { return !isLive }
            guard isLive else { return false }
            let record = formers.record(change)
            guard formers.isCurrent(record, change.row, of: rows) else { return false }
            // The slot of its directory may hold another directory by now.
            guard let parent = all.find(record.parent) else { return true }
            let formerParent = all.changes[parent]
            return formerParent.former != ChangeSet.noFormer
                && formers.generation(formerParent) == rows.generation(record.parent)
        }
    }
}
