// When the states in gatherd are compared.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SyncService

@Suite struct ComparisonPauseTests {
    private var comparison = Comparison()

    @Test mutating func aComparisonFollowsAReport() {
        let without = comparison.endPause()
        comparison.noteReport()
        let (first, again) = (comparison.endPause(), comparison.endPause())
        #expect(!without && first && !again, "it is due once")
        let (due, twice) = (comparison.takeDue(), comparison.takeDue())
        #expect(due && !twice)
        let afterAReport = comparison.endPause()
        #expect(afterAReport, "until it has ended, another one is needed")
    }

    @Test mutating func aComparisonNeedsNoOther() {
        comparison.noteReport()
        _ = (comparison.endPause(), comparison.takeDue())
        comparison.noteReport()
        comparison.end(after: .zero)
        let isDue = comparison.endPause()
        #expect(!isDue)
    }

    @Test(
        arguments: [(.zero, .seconds(10)), (.milliseconds(100), .seconds(10)), (.seconds(1), .seconds(100))]
            as [(Duration, Duration)])
    mutating func aLongComparisonHasALongPause(duration: Duration, pause: Duration) {
        #expect(comparison.pause == .seconds(10))
        comparison.end(after: duration)
        #expect(comparison.pause == pause)
    }
}
