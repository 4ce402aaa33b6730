// The history of a container: its clocks and past changes.
// SPDX-License-Identifier: Apache-2.0

import MetadataIndex

/// Ties the daemon's clock to that of a container's index, and has the changes for subscribers that come back.
struct ContainerHistory {
    private var clocks: ClockMap
    /// The past changes for the last subscribers that came back, as long as one uses them.
    private weak var pastChanges: PastChanges?
    /// Entries that came, changed or went, ever.
    private(set) var changeCount: UInt64 = 0

    init(_ clocks: ClockMap) { self.clocks = clocks }

    /// Notes a change set of the index, which moves its clock by one, at the daemon's clock `sequence`.
    mutating func noteChangeSet(at sequence: UInt64) { clocks.note(sequence) }

    /// Notes the changes of a change set.
    mutating func noteChanges(_ count: Int) { changeCount &+= UInt64(count) }

    /// Returns the index's clock at a clock of the daemon; nil where that was too long ago. Complexity: O(log n).
    func indexClock(at sequence: UInt64) -> UInt64? { clocks.indexClock(at: sequence) }

    /// Returns the changes since a clock of the index, of which all changes were taken; nil where they are not known.
    /// Subscribers that come back with one clock share the changes, and the cost of merging them.
    mutating func changes(since clock: UInt64, of index: MetadataIndex) -> PastChanges? {
        if let pastChanges, pastChanges.since == clock, pastChanges.current.clock == index.clock, !index.hasChanges {
            return pastChanges
        }
        let changes = index.pastChanges(since: clock)
        pastChanges = changes
        return changes
    }
}
