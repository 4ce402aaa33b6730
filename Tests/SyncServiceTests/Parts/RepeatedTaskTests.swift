// A task that is wanted again while it runs.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SyncService

@Suite struct RepeatedTaskTests {
    private var task = RepeatedTask()

    @Test mutating func anotherRoundFollowsIfItIsWantedMeanwhile() {
        let starts = [task.want(), task.want()]
        #expect(starts == [true, false])
        // This round sees both.
        task.beginRound()
        let startsInside = task.want()
        let isAgain = task.endRound()
        #expect(!startsInside && isAgain)
        task.beginRound()
        let isLast = !task.endRound()
        let startsAfterwards = task.want()
        #expect(isLast && startsAfterwards)
    }
}
