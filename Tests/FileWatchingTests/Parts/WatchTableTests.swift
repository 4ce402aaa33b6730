// The watches that there are, and those that are ended.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import FileWatching

@Suite struct WatchTableTests {
    private var table = WatchTable(budget: WatchBudget())

    @Test mutating func eachWatchCountsOnce() {
        table.hold(1)
        table.hold(1)
        table.hold(2)
        #expect(table.count == 2 && table.budget.count == 2 && table.contains(1))
        #expect(table.release(1) && !table.release(1))
        #expect(table.count == 1 && table.budget.count == 1)
    }

    @Test mutating func watchesAreEndedInOrderASliceAtATime() {
        for watch in Int32(1)...6 { table.unwant(watch) }
        table.unwant(3)
        table.want(2)
        #expect(table.takeUnwanted(atMost: 2, at: 10) { $0 == 4 } == [1, 3], "the second is wanted again")
        table.removed(before: 20)
        #expect(!table.canRemove(at: 19) && table.takeUnwanted(atMost: 2, at: 19) { _ in false } == [])
        #expect(table.takeUnwanted(atMost: 9, at: 20) { $0 == 4 } == [5, 6], "the fourth has an owner")
        #expect(!table.hasUnwanted)
        table.unwant(4)
        #expect(table.takeUnwanted(atMost: 9, at: 20) { _ in false } == [4])
    }

    @Test mutating func forgottenEndedWatchesAreDoubted() {
        table.noteEnded(1, limit: 2, ticket: 5)
        table.noteEnded(2, limit: 2, ticket: 6)
        #expect(table.hasEnded(1) && !table.mayHaveEnded(since: 0))
        table.noteEnded(3, limit: 2, ticket: 7)
        #expect(!table.hasEnded(1) && table.hasEnded(3))
        #expect(table.mayHaveEnded(since: 6) && !table.mayHaveEnded(since: 7))
        table.forgetEnded()
        #expect(!table.hasEnded(3))
    }

    @Test mutating func theBalanceIsStruckWhereWatchesAreWantingOrTooMany() {
        table.balanceSoon(now: 0)
        #expect(table.nextBalance == nil, "each directory has its watch")
        table.countOverLimit(1, now: 100)
        let time = 100 + WatchLimits.balanceInterval
        table.countOverLimit(1, now: 200)
        #expect(table.nextBalance == time)
        #expect(!table.takeBalance(now: time - 1) && table.takeBalance(now: time) && !table.takeBalance(now: time))
        table.balanceAgain(now: 7)
        #expect(table.nextBalance == 7 + WatchLimits.balanceRetry)
    }

    @Test mutating func aRefusalByTheKernelIsTheLimit() {
        table.hold(1)
        table.hold(2)
        #expect(table.budget.limitNow == nil)
        table.wereRefused()
        #expect(table.budget.limitNow == 2 && table.budget.room == 0)
        #expect(table.release(1) && table.budget.room == 1)
    }
}
