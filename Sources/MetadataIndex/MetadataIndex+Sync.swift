// States of items that are shared with other devices.
// SPDX-License-Identifier: Apache-2.0

package import Metadata

extension MetadataIndex {
    /// The container is shared with other devices from now on, or is not. Only before it has items.
    package func setShared(_ isShared: Bool) { storage.setShared(isShared) }

    /// A helper begins to tell the states of items, or none does any more. All states are unknown then.
    /// Complexity: O(rows).
    package func setHelper(_ isThere: Bool) { storage.setHelper(isThere) }

    /// Whether a helper tells the states.
    package var hasHelper: Bool { storage.syncChanges != nil }

    /// Sets the state of all items that have none of their own. Complexity: O(rows) if it changes.
    package func setSyncBase(_ base: SyncState) { storage.setSyncBase(base) }

    /// Tells the state of an item; nil for that of all items. `clock` is the clock of the index up to which changes are
    /// covered: an item that changed later has no device that has it (`SyncState/afterChange`).
    package func setSync(_ row: Row, _ state: SyncState?, covering clock: UInt64?) {
        storage.setSync(row.number, state, covering: clock)
    }

    /// Gives the items whose last change was at or before a clock the state of all items.
    /// Complexity: O(items whose changes are not covered).
    package func coverSync(through clock: UInt64) { storage.coverSync(through: clock) }

    /// Returns the inode of a row; 0 for an item that is not on this device.
    package func inode(of row: Row) -> UInt64 { storage.rows.values(row.number).inode }
}
