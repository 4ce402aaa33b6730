// Everything of an index that is saved, as it was at one moment.
// SPDX-License-Identifier: Apache-2.0

/// Everything of an index that is saved, as it was at one moment, for any thread: the items that are set aside are in it.
/// As long as it lives, each block that the index writes to is copied once.
package struct IndexImage: Sendable {
    let rows: RowStore
    let slotCount: UInt32
    let generationFloor: UInt32
    /// The index's epoch.
    package let epoch: UInt64
    /// The index's clock.
    package let clock: UInt64
    /// Whether the items are set aside (``MetadataIndex/park()``).
    package let isParked: Bool
    /// How many items there are.
    package let count: Int
}

extension MetadataIndex {
    /// Returns the state of the index as it is now, to be saved. There must be no open changes, which would be lost.
    /// Complexity: O(1).
    package func image() -> IndexImage {
        storage.settle()
        var rows = storage.rows
        var slotCount = storage.slots.slotCount
        var count = storage.counts.items
        if let parked = storage.parked {
            // The root's values while its items are parked do not count.
            let (common, lease) = (rows.common, rows.lease)
            rows = parked.content.rows
            (rows.common, rows.lease) = (common, lease)
            (slotCount, count) = (parked.content.slots.slotCount, parked.content.counts.items)
        }
        return IndexImage(
            rows: rows, slotCount: slotCount, generationFloor: storage.slots.generationFloor, epoch: epoch,
            clock: storage.recorder.clock, isParked: storage.parked != nil, count: count)
    }
}
