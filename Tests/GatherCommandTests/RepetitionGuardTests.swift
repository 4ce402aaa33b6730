// Pauses before the runs of a command that changes the items it runs for.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Testing

@testable import gather

struct RepetitionGuardTests {
    private let a = Array("a".utf8)
    private let b = Array("b".utf8)

    /// Runs the command at times in milliseconds after the begin, each run taking 100, and returns the pauses in seconds.
    private func pauses(_ runs: [(Int, [[UInt8]])], _ guardian: inout RepetitionGuard) -> [Int] {
        runs.map { time, paths in
            let now = Duration.milliseconds(time)
            let pause = guardian.pause(before: paths, now: now)
            guardian.noteEnd(of: paths, now: now + pause + .milliseconds(100))
            return Int(pause.components.seconds)
        }
    }

    @Test func quickRunsInARowHavePauses() {
        var guardian = RepetitionGuard()
        #expect(pauses([(0, [a]), (200, [a]), (400, [a]), (600, [a])], &guardian) == [0, 0, 0, 0])
        // The next run came at 800, and ended at 1,900 with its pause.
        #expect(pauses([(800, [a])], &guardian) == [1] && guardian.isFirstPause)
        #expect(pauses([(2_000, [a]), (3_200, [a])], &guardian) == [1, 1] && !guardian.isFirstPause)
        // Others have none, and a rest ends it.
        #expect(pauses([(3_300, [b]), (6_500, [a]), (6_700, [a])], &guardian) == [0, 0, 0])
    }

    @Test func itemsCountAlsoInBatches() {
        var guardian = RepetitionGuard()
        #expect(pauses((0...4).map { ($0 * 200, $0 % 2 == 0 ? [a, b] : [a]) }, &guardian) == [0, 0, 0, 0, 1])
    }

    @Test func slowRunsHaveNone() {
        var guardian = RepetitionGuard()
        #expect(pauses((0..<20).map { ($0 * 1_200, [a]) }, &guardian) == Array(repeating: 0, count: 20))
    }

    @Test func itemsThatAreRememberedAreBounded() {
        var guardian = RepetitionGuard()
        for number in 0..<3 * RepetitionGuard.most {
            #expect(guardian.pause(before: [Array("\(number)".utf8)], now: .zero) == .zero)
            guardian.noteEnd(of: [Array("\(number)".utf8)], now: .zero)
        }
        #expect(guardian.remembered <= RepetitionGuard.most)
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
