// A scan ends by what it uses of a processor; on a busy machine it may wait for that.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LiveQueries

@Suite struct ScanGuardTests {
    @Test func `A scan that waits for a processor is not late, one that uses too much is`() {
        let scan = ScanGuard(nanoseconds: 100)
        var asked = 0
        func isOver(_ now: UInt64, used: UInt64) -> Bool {
            scan.checkTime(now: now) {
                asked += 1
                return used
            }
        }
        #expect(!isOver(1_000, used: 50_000))
        #expect(!isOver(1_100, used: 50_100))
        #expect(asked == 1, "it cannot have used more than has passed")
        #expect(!isOver(1_101, used: 50_001) && !isOver(1_250, used: 50_100))
        #expect(asked == 3 && scan.ended == .going)
        #expect(isOver(1_251, used: 50_101) && scan.ended == .late)
    }

    @Test func `However little it gets of a processor, it ends`() {
        let scan = ScanGuard(nanoseconds: 100)
        #expect(!scan.checkTime(now: 1_000) { 0 })
        #expect(!scan.checkTime(now: 1_302) { 1 })
        #expect(scan.checkTime(now: 1_303) { 1 } && scan.ended == .late)
    }

    @Test func `One that was cancelled stays so`() {
        let scan = ScanGuard(nanoseconds: 100)
        #expect(!scan.checkTime(now: 1_000) { 0 })
        scan.cancel()
        #expect(scan.checkTime(now: 9_000) { 9_000 } && scan.ended == .cancelled)
    }
}
