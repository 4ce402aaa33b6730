// Change sets joined into one.
// SPDX-License-Identifier: Apache-2.0

extension ChangeSet {
    /// Appends the set that was taken right after this one. Together they are the changes from the clock before the first
    /// to the clock after the second. A row that returned to its pre-image stays in. Complexity: O(changes of `later`);
    /// the first call also moves this set to a hash table, O(changes).
    package mutating func append(_ later: ChangeSet) {
        let firstHeld = preImages.hold(allOf: later.preImages)
        for change in later.changes { adopt(change, of: later.preImages, firstHeld: firstHeld) }
        preImages.keepLists(of: later.preImages)
        clock = later.clock
    }
}

extension ChangeSet {
    /// Merges the log's sets since a clock and the open set, as of these rows.
    init(merging log: ChangeLog, _ open: ChangeSet, since: UInt64, until clock: UInt64, _ rows: RowStore) {
        self.init()
        log.merge(since: since, into: &self)
        var own = open.preImages
        own.lend(rows)
        for change in open.changes { adopt(change, of: own) }
        preImages.keepLists(of: rows)
        dropVoid(in: rows)
        self.since = since
        self.clock = clock
    }

    /// Drops rows that returned to their pre-image.
    mutating func dropVoid(in rows: RowStore) {
        let preImages = preImages
        let all = self
        drop { change in
            let isLive = rows.isLive(change.row)
            guard change.preImage != ChangeSet.noPreImage else { return !isLive }
            guard isLive else { return false }
            let record = preImages.record(change)
            guard preImages.isCurrent(record, change.row, of: rows) else { return false }
            // The slot of its directory may hold another directory by now.
            guard let parent = all.find(record.parent) else { return true }
            let parentChange = all.changes[parent]
            return parentChange.preImage != ChangeSet.noPreImage
                && preImages.generation(parentChange) == rows.generation(record.parent)
        }
    }
}
