// A subscriber may have so many changes pending.
// SPDX-License-Identifier: Apache-2.0

import MetadataIndex
import Testing

@testable import GatherService

struct PendingAmountsTests {
    private static func pending() -> PendingAmounts {
        var limits = ServiceLimits()
        (limits.pendingItemsReported, limits.pendingItems, limits.pendingBytesPerUser) = (10, 100, 5_000)
        return PendingAmounts(limits)
    }

    @Test func differencesAddUp() {
        var pending = Self.pending()
        var (items, bytes) = (0, 0)
        for (now, size) in [(3, 100), (7, 50), (7, 50), (0, 0), (2, 9)] {
            let more = pending.update(items: now, bytes: size)
            (items, bytes) = (items + more.items, bytes + more.bytes)
            #expect(items == now && bytes == size)
            #expect(pending.items == now && pending.bytes == size)
        }
    }

    @Test func slownessIsToldOnceUntilAllIsTaken() {
        var pending = Self.pending()
        let told = [9, 10, 50, 1, 10, 0, 9, 10, 11].map { items in
            _ = pending.update(items: items, bytes: 0)
            return pending.noteSlowness()
        }
        #expect(told == [false, true, false, false, false, false, false, true, false])
    }

    @Test func theFirstLimitIsNamed() throws {
        var pending = Self.pending()
        _ = pending.update(items: 100, bytes: 1_000_000)
        #expect(pending.excess(hasLostChanges: false, isOverfull: false) == nil)
        _ = pending.update(items: 101, bytes: 0)
        var excess = try #require(pending.excess(hasLostChanges: false, isOverfull: false))
        #expect(excess.limit == "pendingItems" && excess.value == 100 && excess.untaken == nil)
        excess = try #require(pending.excess(hasLostChanges: false, isOverfull: true))
        #expect(excess.limit == "pendingBytesPerUser" && excess.value == 5_000)
        #expect(excess.untaken == "changes of more than 5000 bytes")
        excess = try #require(pending.excess(hasLostChanges: true, isOverfull: true))
        #expect(excess.limit == "changesKept" && excess.value == MetadataIndex.changesKept && excess.untaken != nil)
    }
}
