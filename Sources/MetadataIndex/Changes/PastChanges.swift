// The changes since a clock, merged on first use on any thread.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The changes of an index from one of its clocks to another. They are merged once, on first use, for all readers: merging a
/// full log takes a tenth of a second.
package final class PastChanges: Sendable {
    /// The clock before the first change.
    package let since: UInt64
    /// The rows right after the last one.
    package let current: IndexSnapshot
    /// How many changes there are at most: before they are merged.
    package let mostCount: Int

    /// The changes before ``open``, where they are not in the log.
    private let earlier: PastChanges?
    private let log: ChangeLog
    private let open: ChangeSet
    private let merged: Mutex<PreImageView?>

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
    package init(_ view: PreImageView) {
        since = view.changes.since
        earlier = nil
        log = ChangeLog()
        open = ChangeSet()
        current = view.current
        mostCount = view.changes.count
        merged = Mutex(view)
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

    /// The rows as they were, with the changes. Complexity: O(changes) for the first caller; others wait for it.
    package var preImages: PreImageView {
        merged.withLock { merged in
            if let view = merged { return view }
            let changes: ChangeSet
            if let earlier {
                var all = earlier.preImages.changes
                all.append(open)
                changes = all
            } else {
                changes = ChangeSet(merging: log, open, since: since, until: current.clock, current.rows)
            }
            let view = changes.preImageView(in: current)
            merged = view
            return view
        }
    }

    /// Whether the changes were merged.
    package var isMerged: Bool { merged.withLock { $0 != nil } }
}
