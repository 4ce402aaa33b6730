// Pauses between rounds of requests.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SyncService

@Suite struct RoundPauseTests {
    private let start = RoundPause.Moment.now
    private var pause = RoundPause()

    @Test(
        arguments: [
            (.zero, .milliseconds(20)), (.milliseconds(5), .milliseconds(20)), (.milliseconds(50), .milliseconds(200)),
            (.milliseconds(250), .seconds(1)), (.seconds(60), .seconds(1)),
        ] as [(Duration, Duration)])
    mutating func aLongRoundHasALongPause(duration: Duration, expected: Duration) {
        pause.begin(after: start, to: start + duration)
        #expect(pause.end == start + duration + expected)
    }
}
