// Change sets joined into one.
// SPDX-License-Identifier: Apache-2.0

extension ChangeSet {
    /// Appends the set that was taken right after this one. Together they are the changes from the clock before the first
    /// to the clock after the second. A row that returned to its former state stays in. Complexity: O(changes of `later`);
    /// the first call also moves this set to a hash table, O(changes).
    package mutating func append(_ later: ChangeSet) {
        let firstHeld = formers.hold(allOf: later.formers)
        for change in later.changes { adopt(change, of: later.formers, firstHeld: firstHeld) }
        formers.keepLists(of: later.formers)
        clock = later.clock
    }
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
    mutating func dropVoid(in rows: RowStore) {
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
