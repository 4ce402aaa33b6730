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
}

extension IndexStorage {
    mutating func takeChanges() -> ChangeSet {
        settlePackages()
        var set = ChangeSet()
        swap(&set, &open)
        // So that the set reads owners and modes without the index.
        set.formers.lend(rows)
        dropVoid(&set)
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
        guard since >= log.floor, since <= clock, !hasUnrecorded else { return nil }
        var set = ChangeSet()
        log.merge(since: since, into: &set)
        var own = open.formers
        own.lend(rows)
        for change in open.changes { set.adopt(change, of: own) }
        set.formers.keepLists(of: rows)
        dropVoid(&set)
        set.since = since
        set.clock = clock
        return set
    }

    /// Drops what is as it was.
    private func dropVoid(_ set: inout ChangeSet) {
        let formers = set.formers
        let rows = rows
        let all = set
        set.drop { change in
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
