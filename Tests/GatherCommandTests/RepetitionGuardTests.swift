// Pauses before the rounds of a command that changes the items it runs for.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Testing

@testable import gather

struct RepetitionGuardTests {
    /// Rounds begin at times in milliseconds after the start, and take 100 each. Returns the pauses in seconds.
    private func pauses(_ rounds: [Int], _ guardian: inout RepetitionGuard) -> [Int] {
        rounds.map { time in
            let now = Duration.milliseconds(time)
            let pause = guardian.pause(now: now)
            guardian.noteEnd(now: now + pause + .milliseconds(100))
            return Int(pause.components.seconds)
        }
    }

    @Test func quickRoundsInARowHavePauses() {
        var guardian = RepetitionGuard()
        #expect(pauses((0..<5).map { $0 * 200 }, &guardian) == [0, 0, 0, 0, 0])
        #expect(pauses([1_000], &guardian) == [1] && guardian.isFirstPause)
        #expect(pauses([2_200, 3_400], &guardian) == [1, 1] && !guardian.isFirstPause)
        // A rest ends it.
        #expect(pauses([6_500, 6_700], &guardian) == [0, 0])
    }

    @Test func slowRoundsHaveNone() {
        var guardian = RepetitionGuard()
        #expect(pauses((0..<20).map { $0 * 1_200 }, &guardian) == Array(repeating: 0, count: 20))
    }

    @Test func commandsHaveBatches() throws {
        func interval(_ arguments: String...) throws -> Duration {
            try WatchCommand.parse(arguments).batchingInterval
        }
        #expect(try interval("") == .zero)
        #expect(try interval("", "--exec", "true") == .milliseconds(100))
        #expect(try interval("", "-X", "true") == .milliseconds(100))
        #expect(try interval("", "--batch", "0", "--exec", "true") == .zero)
    }
}
