// Change sets and the log of them.
// SPDX-License-Identifier: Apache-2.0

extension MetadataIndex {
    /// Counts the change sets that were taken and not empty.
    package var clock: UInt64 { storage.clock }

    /// The changes can be told since this clock at the earliest.
    package var earliestClock: UInt64 { storage.log.floor }

    /// Whether there may be something to take. Complexity: O(1).
    package var hasChanges: Bool { !storage.open.isEmpty || storage.hasUnrecorded || storage.hasUnsettled }

    /// Everything that changed since the last take. If that is anything, the clock advances by one and the set goes into
    /// the log. Complexity: O(rows changed).
    package func takeChanges() -> ChangeSet { storage.takeChanges() }

    /// Everything that changed since a clock, merged: the state of each row as it was then, unless it is so again.
    /// Empty for the clock of now; nil if the log does not reach back so far, or for a clock that never was.
    ///
    /// Take the open changes first: what was not taken yet is merged in too, and would come a second time with the next take.
    /// Complexity: O(changes since then).
    package func changes(since clock: UInt64) -> ChangeSet? { storage.changes(since: clock) }

    /// The same, merged when somebody looks, on any thread. Complexity: O(1), but for what a snapshot costs.
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
        settlePackages()
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
    /// What a log has since a clock, and the set that is open, merged as of these rows.
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

    /// Drops what is as it was.
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
