// One iteration of the loop: how long it goes on.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import FileWatching

@Suite struct LoopIterationTests {
    @Test func someLookUpsAreMadeHoweverLateItIs() {
        var iteration = LoopIteration()
        iteration.begin(at: 100, budget: 10)
        #expect(iteration.number == 1 && iteration.began == 100)
        for _ in 0..<WatchLimits.lookUpsPerIteration {
            #expect(!iteration.isOver(now: 1_000))
            iteration.noteLookUp()
        }
        #expect(iteration.isOver(now: 110) && !iteration.isOver(now: 109))
        iteration.extend(to: 120)
        #expect(!iteration.isOver(now: 119) && iteration.isOver(now: 120))
        iteration.extend(to: 50)
        #expect(!iteration.isPastDeadline(119), "an earlier deadline changes nothing")
        iteration.restartCounting()
        #expect(!iteration.isOver(now: 1_000))
    }

    @Test func theClockIsNotAskedForEachLookUp() {
        var iteration = LoopIteration()
        iteration.begin(at: 0, budget: 10)
        var questions = 0
        for _ in 0..<WatchLimits.lookUpsPerIteration + 160 {
            iteration.noteLookUp()
            _ = iteration.isOver(
                now: {
                    questions += 1; return 0
                }())
        }
        #expect(questions == 11)
    }

    @Test func deepDirectoriesCountByTheirDepth() {
        var iteration = LoopIteration()
        iteration.begin(at: 0, budget: 10)
        iteration.noteSteps(WatchLimits.stepsPerIteration)
        #expect(iteration.hasTakenSteps && iteration.isOver(now: 10) && !iteration.isOver(now: 9))
    }

    @Test func theOldestPositionIsOfThisIteration() {
        var iteration = LoopIteration()
        iteration.begin(at: 0, budget: 10)
        #expect(iteration.oldestPosition == nil)
        for position in [7, 3, 9] as [UInt64] { iteration.notePosition(position) }
        #expect(iteration.oldestPosition == 3)
        iteration.begin(at: 20, budget: 10)
        #expect(iteration.oldestPosition == nil)
    }
}
