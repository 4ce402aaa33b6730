// Which entries change again and again: their look-ups are bounded in rate.
// SPDX-License-Identifier: Apache-2.0

/// Remembers how often entries were looked at of late. An entry whose content changes all the time is looked at some
/// dozens of times a second, whatever its writer does: each look-up costs a `statx` and a change of the index, and more
/// for every subscriber to it.
///
/// Entries are told apart by a hash, in a table of a fixed size: one that shares its slot with a hot entry may wait as
/// that would, one interval at most, and one whose slot is taken by another begins anew.
struct HotEntries {
    private struct Slot {
        var hash: UInt32 = 0
        /// How many look-ups followed one another with less than two intervals between.
        var heat: UInt8 = 0
        var lookedAt: UInt64 = 0
    }

    /// So many look-ups in a row make an entry hot.
    static let threshold: UInt8 = 8
    private static let size = 1_024

    private var slots: [Slot] = Array(repeating: Slot(), count: size)

    /// An entry is being looked at.
    mutating func lookedAt(_ hash: UInt32, now: UInt64, interval: UInt64) {
        let index = Int(hash) & (HotEntries.size - 1)
        let slot = slots[index]
        let follows = slot.hash == hash && now &- slot.lookedAt < 2 &* interval
        slots[index] = Slot(hash: hash, heat: follows ? min(slot.heat, 254) + 1 : 1, lookedAt: now)
    }

    /// When an entry that has changed again should be looked at; nil for at once.
    func notBefore(_ hash: UInt32, now: UInt64, interval: UInt64) -> UInt64? {
        let slot = slots[Int(hash) & (HotEntries.size - 1)]
        guard slot.hash == hash, slot.heat >= HotEntries.threshold, now &- slot.lookedAt < interval else { return nil }
        return slot.lookedAt &+ interval
    }
}
