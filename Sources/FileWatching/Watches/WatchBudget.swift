// How many watches there may be, shared by the loop and the crawling threads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Counts the watches that there are and those that threads are about to make, so that there are never more than the
/// limit. The kernel's own limit is known only when it refuses (`ENOSPC`): the limit is then lowered to the present
/// number.
final class WatchBudget: Sendable {
    /// Whether there are to be any at all.
    let isWanted: Bool
    private let used = Atomic<Int>(0)
    private let limit = Atomic<Int>(.max)

    init(isWanted: Bool = true) { self.isWanted = isWanted }

    /// How many more there may be.
    var room: Int { limit.load(ordering: .relaxed) - used.load(ordering: .relaxed) }

    /// How many there are, with those that are being made.
    var count: Int { used.load(ordering: .relaxed) }

    /// How many there may be in all; nil for any number.
    var limitNow: Int? {
        let limit = limit.load(ordering: .relaxed)
        return limit == .max ? nil : limit
    }

    func setLimit(_ count: Int) { limit.store(count, ordering: .relaxed) }

    /// Takes one, for a watch that is about to be made. False where there is none left.
    func reserve() -> Bool {
        guard isWanted else { return false }
        var count = used.load(ordering: .relaxed)
        while count < limit.load(ordering: .relaxed) {
            let (exchanged, original) = used.compareExchange(
                expected: count, desired: count + 1, ordering: .relaxed)
            if exchanged { return true }
            count = original
        }
        return false
    }

    /// Counts watches that are there whatever the limit says.
    func take(_ count: Int = 1) { used.wrappingAdd(count, ordering: .relaxed) }

    /// Gives one back.
    func release() { used.wrappingSubtract(1, ordering: .relaxed) }
}
