// When which event was read, against a list of all reads.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import FileWatching

struct ReadTimesTests {
    @Test func `An event was read when the read that ends behind it was made`() {
        let seed = TestLength.seed(1)
        var random = SeededGenerator(seed: seed)
        var times = ReadTimes()
        #expect(times.time(of: 0) == nil)
        var all: [(end: UInt64, time: UInt64)] = []
        var end: UInt64 = 1
        for time in 1...300 as ClosedRange<UInt64> {
            end += UInt64.random(in: 1...500, using: &random)
            times.note(end: end, time: time)
            all.append((end, time))
            for _ in 0..<5 {
                let position = UInt64.random(in: 0...end + 10, using: &random)
                // For a position older than all kept ones, the oldest time is told.
                let kept = all.suffix(64)
                #expect(
                    times.time(of: position) == kept.first { $0.end > position }?.time,
                    "seed \(seed) position \(position) of \(end)"
                )
            }
        }
    }
}
