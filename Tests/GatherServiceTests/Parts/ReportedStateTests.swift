// A state is told once, and a container is away since it was found to be.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import Metadata
import Testing

@testable import GatherService

struct ReportedStateTests {
    private static func time(_ number: Int64) -> Timestamp { Timestamp(nanoseconds: number) }

    @Test func eachStateIsToldOnce() {
        var reported = ReportedState()
        let states: [WatchState] = [
            .crawling, .crawling, .live, .live, .degraded(reason: "a"), .degraded(reason: "b"), .live,
        ]
        #expect(states.map { reported.update($0) } == [true, false, true, false, true, true, true])
        #expect(reported.awaySince == nil)
    }

    @Test func itIsAwaySinceTheFirstReason() {
        var reported = ReportedState()
        #expect(reported.update(.unavailable(reason: "a"), now: Self.time(1)) == true)
        #expect(reported.update(.unavailable(reason: "b"), now: Self.time(2)) == true)
        #expect(reported.awaySince == Self.time(1))
        #expect(reported.update(.verifying, now: Self.time(3)) == true)
        #expect(reported.awaySince == nil)
        #expect(reported.update(.unavailable(reason: "b"), now: Self.time(4)) == true)
        #expect(reported.awaySince == Self.time(4))
    }
}
