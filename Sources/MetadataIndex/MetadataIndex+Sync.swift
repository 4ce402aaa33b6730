// States of items that are shared with other devices.
// SPDX-License-Identifier: Apache-2.0

package import Metadata

extension MetadataIndex {
    /// The container is shared with other devices from now on, or is not. Only before it has items.
    package func setShared(_ isShared: Bool) { storage.setShared(isShared) }

    /// The container with its items is shared with other devices from now on, or is not. No helper may tell states then.
    /// Complexity: O(rows).
    package func changeShared(_ isShared: Bool) { storage.changeShared(isShared) }

    /// A helper begins to tell the states of items, or none does any more. All states are unknown then.
    /// Complexity: O(rows).
    package func setHelper(_ isThere: Bool) { storage.setHelper(isThere) }

    /// Whether a helper tells the states.
    package var hasHelper: Bool { storage.sync.hasHelper }

    /// Sets the state of all items that have none of their own. Complexity: O(rows) if it changes.
    package func setSyncBase(_ base: SyncState) { storage.setSyncBase(base) }

    /// Tells the state of an item; nil for that of all items. `clock` is the clock of the index up to which changes are
    /// covered: an item that changed later has no device that has it (`SyncState/afterChange`). Returns whether the item has
    /// another state now; false while a change of it is not covered.
    @discardableResult package func setSync(_ row: Row, _ state: SyncState?, covering clock: UInt64?) -> Bool {
        storage.setSync(row.number, state, covering: clock)
    }

    /// The state of all items that have none of their own.
    package var syncBase: SyncState { storage.rows.syncBase }

    /// Returns the states of items that have one of their own, as they were told, from a row on and in the order of rows: at most
    /// `limit`, and the row with which to go on; nil after all. Left out are items whose last change no report has covered, and
    /// those that no other device gets. Complexity: O(items with a state of their own).
    package func reportedStates(from first: Row, limit: Int) -> (states: [(row: Row, state: SyncState)], next: Row?) {
        let (states, next) = storage.sync.reported(from: first.number, limit: limit, of: storage.rows)
        return (states.map { (Row($0.row), $0.state) }, next.map { Row($0) })
    }

    /// Gives the items whose last change was at or before a clock the state of all items.
    /// Complexity: O(items whose changes are not covered).
    package func coverSync(through clock: UInt64) { storage.coverSync(through: clock) }

    /// Returns the inode of a row; 0 for an item that is not on this device.
    package func inode(of row: Row) -> UInt64 { storage.rows.values(row.number).inode }
}

extension IndexStorage {
    mutating func setShared(_ isShared: Bool) { sync.reset(isShared: isShared, &rows) }

    mutating func changeShared(_ isShared: Bool) {
        guard rows.isShared != isShared else { return }
        settle()
        sync.changeShared(isShared, &rows, &recorder)
    }

    mutating func setHelper(_ isThere: Bool) {
        if rows.isShared { settle() }
        sync.setHelper(isThere, &rows, &recorder)
    }

    mutating func setSyncBase(_ base: SyncState) {
        if sync.hasHelper, base != rows.syncBase { settle() }
        sync.setBase(base, &rows, &recorder)
    }

    mutating func setSync(_ row: UInt32, _ state: SyncState?, covering clock: UInt64?) -> Bool {
        sync.set(row, state, covering: clock, &rows, &recorder)
    }

    mutating func coverSync(through clock: UInt64) { sync.cover(through: clock, &rows, &recorder) }
}
