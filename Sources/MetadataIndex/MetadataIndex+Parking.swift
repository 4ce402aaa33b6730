// A container's directory is lost and found again.
// SPDX-License-Identifier: Apache-2.0

extension MetadataIndex {
    /// No occupant of a row that comes from now on has a smaller generation.
    package var generationFloor: UInt32 { storage.generationFloor }

    /// Whether what comes from now on may get lost with the run: then no identifier is given that the next run could give,
    /// however often a slot changes hands. To be set when that begins. Complexity: O(rows), 1 ms for a million.
    package var isBounded: Bool {
        get { storage.generationLimit != .max }
        set { if newValue { storage.boundGenerations() } else { storage.generationLimit = .max } }
    }

    /// Whether the items are set aside.
    package var isParked: Bool { storage.parked != nil }

    /// Sets all items aside: they are recorded as removed, and nothing can be added until they are back. The root stays and
    /// can be updated. Complexity: O(items).
    package func park() { storage.park() }

    /// Brings back the items that were set aside, in their rows and with their generations: they are recorded as added,
    /// unless their removal is in the open set still. False where there are none. Complexity: O(items).
    @discardableResult
    package func unpark() -> Bool { storage.unpark() }

    /// The file system that had one device number has another now, as after a restart of the machine. Nothing is recorded.
    /// Complexity: O(items).
    package func renumber(device: UInt64, to other: UInt64) {
        if device != other { storage.renumber(device: device, to: other) }
    }
}
