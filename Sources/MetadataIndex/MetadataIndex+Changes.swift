// Change sets and the log of them.
// SPDX-License-Identifier: Apache-2.0

extension MetadataIndex {
    /// Counts the change sets that were taken and not empty.
    package var clock: UInt64 { storage.recorder.clock }

    /// Changes that the log keeps at most.
    package static let changesKept = ChangeLog.maximumChanges

    /// The changes can be told since this clock at the earliest.
    package var earliestClock: UInt64 { storage.recorder.floor }

    /// Whether there may be something to take. Complexity: O(1).
    package var hasChanges: Bool { storage.recorder.hasAny || storage.hasUnsettled }

    /// Everything that changed since the last take. If that is anything, the clock advances by one and the set goes into
    /// the log. Complexity: O(rows changed).
    package func takeChanges() -> ChangeSet { storage.takeChanges() }

    /// Returns the merged changes since a clock: each changed row with its state at that clock. A row that returned to that
    /// state is left out. Empty for the current clock; nil if the log does not reach back, or for a clock that never was.
    ///
    /// Take the open changes first: untaken changes are merged in too, and would be delivered again with the next take.
    /// Complexity: O(changes since then).
    package func changes(since clock: UInt64) -> ChangeSet? {
        storage.recorder.changes(since: clock, in: storage.rows)
    }

    /// Returns the changes since a clock, merged on first use on any thread. Complexity: O(1) and the cost of a snapshot.
    package func pastChanges(since clock: UInt64) -> PastChanges? {
        let current = snapshot()
        return storage.recorder.pastChanges(since: clock, current: current)
    }

    /// How many changes there were since a clock, before they are merged; nil if the log does not reach back so far.
    package func changeCount(since clock: UInt64) -> Int? { storage.recorder.changeCount(since: clock) }
}

extension IndexStorage {
    mutating func takeChanges() -> ChangeSet {
        settle()
        return recorder.take(from: rows)
    }
}
