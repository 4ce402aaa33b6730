// Steps of durations, against a plain list of them.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import GatherService

struct LatencyHistogramTests {
    @Test func `Bounds grow, from ten microseconds to ten seconds`() {
        let bounds = LatencyHistogram.bounds
        #expect(bounds.first == 10_000 && bounds.last == 10_000_000_000)
        #expect(zip(bounds, bounds.dropFirst()).allSatisfy(<))
    }

    @Test(arguments: [1 as UInt64, 7, 99]) func `Each duration is in the one step that holds it`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var durations: [UInt64] = [0, 1, .max]
        for bound in LatencyHistogram.bounds { durations += [bound - 1, bound, bound + 1] }
        for _ in 0..<2_000 { durations.append(UInt64.random(in: 0...20_000_000_000, using: &random)) }
        var histogram = LatencyHistogram()
        for duration in durations { histogram.note(duration) }
        var below: UInt64 = 0
        for (bound, count) in zip(LatencyHistogram.bounds, histogram.counts) {
            below += count
            #expect(below == durations.count(where: { $0 <= bound }), "seed \(seed), up to \(bound)")
        }
        #expect(histogram.count == durations.count)
        #expect(histogram.nanoseconds == durations.reduce(0, &+))
    }
}
