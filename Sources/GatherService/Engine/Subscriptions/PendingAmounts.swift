// How much of its changes one subscriber has not taken, and the limits of that.
// SPDX-License-Identifier: Apache-2.0

import MetadataIndex

/// Counts the changes that a subscriber has not taken, and tells when they are too many.
struct PendingAmounts {
    /// A limit that is exceeded, with its value, and the changes in words; nil for their number.
    struct Excess: Equatable {
        let limit: String
        let value: Int
        var untaken: String?
    }

    /// Their number, in memory and in the change logs.
    private(set) var items = 0
    /// Bytes of them in memory.
    private(set) var bytes = 0
    private var isSlownessReported = false
    /// From so many items on the subscriber is slow, and past so many its live query ends.
    private let itemsReported: Int
    private let mostItems: Int
    private let mostBytes: Int

    init(_ limits: ServiceLimits) {
        (itemsReported, mostItems) = (limits.pendingItemsReported, limits.pendingItems)
        mostBytes = limits.pendingBytesPerUser
    }

    /// Takes the amounts of now. Returns their growth.
    mutating func update(items: Int, bytes: Int) -> (items: Int, bytes: Int) {
        defer { (self.items, self.bytes) = (items, bytes) }
        return (items - self.items, bytes - self.bytes)
    }

    /// Returns whether the log is to tell that the subscriber is slow: once, until it has taken all.
    mutating func noteSlowness() -> Bool {
        if items == 0 { isSlownessReported = false }
        guard items >= itemsReported, !isSlownessReported else { return false }
        isSlownessReported = true
        return true
    }

    /// Returns the limit past which the live query ends; nil within all of them.
    /// - Parameters:
    ///   - hasLostChanges: whether the change log of an index does not reach back to the last changes taken.
    ///   - isOverfull: whether there are changes in one container that did not fit into memory.
    func excess(hasLostChanges: Bool, isOverfull: Bool) -> Excess? {
        if hasLostChanges {
            let untaken = "more changes than the change log keeps"
            return Excess(limit: "changesKept", value: MetadataIndex.changesKept, untaken: untaken)
        }
        if isOverfull {
            return Excess(
                limit: "pendingBytesPerUser", value: mostBytes, untaken: "changes of more than \(mostBytes) bytes")
        }
        return items > mostItems ? Excess(limit: "pendingItems", value: mostItems) : nil
    }
}
