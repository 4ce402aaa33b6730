// What changed since a clock, to be merged on whatever thread has the time.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What changed in an index from one of its clocks to another. It is merged when somebody first looks, once for all who do: a
/// whole log takes a tenth of a second.
package final class PastChanges: Sendable {
    /// The clock before the first change.
    package let since: UInt64
    /// The rows right after the last one.
    package let current: IndexSnapshot
    /// How many changes there are at most: before they are merged.
    package let mostCount: Int

    /// What comes before ``open``, where that is not the log.
    private let earlier: PastChanges?
    private let log: ChangeLog
    private let open: ChangeSet
    private let merged: Mutex<FormerView?>

    init(since: UInt64, log: ChangeLog, open: ChangeSet, current: IndexSnapshot) {
        self.since = since
        self.log = log
        self.open = open
        self.current = current
        earlier = nil
        mostCount = log.count(since: since) + open.count
        merged = Mutex(nil)
    }

    /// Changes that are merged.
    package init(_ former: FormerView) {
        since = former.changes.since
        earlier = nil
        log = ChangeLog()
        open = ChangeSet()
        current = former.current
        mostCount = former.changes.count
        merged = Mutex(former)
    }

    /// Changes and the set that came after them, up to the rows of `current`.
    package init(_ past: PastChanges, later: ChangeSet, current: IndexSnapshot) {
        since = past.since
        earlier = past
        log = ChangeLog()
        open = later
        self.current = current
        mostCount = past.mostCount + later.count
        merged = Mutex(nil)
    }

    /// The rows as they were, with what changed. Complexity: O(changes) for the first who asks; others wait for that.
    package var former: FormerView {
        merged.withLock { merged in
            if let former = merged { return former }
            let changes: ChangeSet
            if let earlier {
                var all = earlier.former.changes
                all.append(open)
                changes = all
            } else {
                changes = ChangeSet(merging: log, open, since: since, until: current.clock, current.rows)
            }
            let former = changes.formerView(in: current)
            merged = former
            return former
        }
    }

    /// Whether somebody looked.
    package var isMerged: Bool { merged.withLock { $0 != nil } }
}
