// Everything of an index that is saved, as it was at one moment.
// SPDX-License-Identifier: Apache-2.0

/// Everything of an index that is saved, as it was at one moment, for any thread: the items that are detached are in it.
/// As long as it lives, each block that the index writes to is copied once.
package struct IndexImage: Sendable {
    let rows: RowStore
    let slotCount: UInt32
    let generationFloor: UInt32
    /// The index's epoch.
    package let epoch: UInt64
    /// The index's clock.
    package let clock: UInt64
    /// Whether the items are detached (``MetadataIndex/detachAll()``).
    package let isDetached: Bool
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
        if let detached = storage.detachedContent {
            // The root's values while its items are detached do not count.
            let (common, lease) = (rows.common, rows.lease)
            rows = detached.content.rows
            (rows.common, rows.lease) = (common, lease)
            (slotCount, count) = (detached.content.slots.slotCount, detached.content.counts.items)
        }
        return IndexImage(
            rows: rows, slotCount: slotCount, generationFloor: storage.slots.generationFloor, epoch: epoch,
            clock: storage.recorder.clock, isDetached: storage.detachedContent != nil, count: count)
    }
}
