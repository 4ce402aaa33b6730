// A container's directory is lost and found again: all rows are detached and attached at once.
// SPDX-License-Identifier: Apache-2.0

extension MetadataIndex {
    /// No occupant of a row that comes from now on has a smaller generation.
    package var generationFloor: UInt32 { storage.slots.generationFloor }

    /// Whether changes from now on may be lost with the run. Then no identifier is given out that the next run could give out
    /// too, however often a slot is reused. Set it when such a time begins. Complexity: O(rows), 1 ms for a million.
    package var isBounded: Bool {
        get { storage.slots.isBounded }
        set { if newValue { storage.boundGenerations() } else { storage.slots.unbound() } }
    }

    /// Whether all items are detached.
    package var isDetached: Bool { storage.detachedContent != nil }

    /// Detaches all items: they are recorded as removed, and nothing can be added until they are back. The root stays and can be
    /// updated. Complexity: O(items).
    package func detachAll() { storage.detachAll() }

    /// Brings back the detached items, with their rows and generations. They are recorded as added, unless their removal is
    /// still in the open set. Returns false if there are none. Complexity: O(items).
    @discardableResult
    package func attachAll() -> Bool { storage.attachAll() }

    /// The file system that had one device number has another now, as after a restart of the machine. Nothing is recorded.
    /// Complexity: O(items).
    package func renumber(device: UInt64, to other: UInt64) {
        if device != other { storage.renumber(device: device, to: other) }
    }
}
