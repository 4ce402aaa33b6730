// Keeps a command that changes the items it runs for from running without end.
// SPDX-License-Identifier: Apache-2.0

/// The runs of a command that changes what it runs for.
///
/// Each run makes the next one then, as fast as the machine can: 82 in two seconds were seen. Nobody can tell such a change from
/// one of another program, so none is left out. An item whose command ran several times in a row, each time as soon as the
/// run before it had ended, has a pause before each further run. Changes in a pause are merged.
struct RepetitionGuard {
    /// A run is a repetition if it comes so soon after the end of the last one for the same item.
    static let soon = Duration.seconds(1)
    /// So many repetitions in a row have no pause.
    static let freeRuns = 3
    static let pause = Duration.seconds(1)
    /// The items that are remembered. With more, all are forgotten, so that memory is bounded.
    static let most = 10_000

    private struct Run {
        var end: Duration
        var repetitions: Int
    }

    private var runs: [[UInt8]: Run] = [:]
    private var pauses = 0

    /// Whether the pause that was returned last is the first of all.
    var isFirstPause: Bool { pauses == 1 }

    /// The number of items that are remembered.
    var remembered: Int { runs.count }

    /// Returns the pause before a run for some items. All times are since the start of the watch.
    mutating func pause(before paths: [[UInt8]], now: Duration) -> Duration {
        var repetitions = 0
        for path in paths {
            guard let run = runs[path] else { continue }
            runs[path]?.repetitions = now - run.end < Self.soon ? run.repetitions + 1 : 0
            repetitions = max(repetitions, runs[path]?.repetitions ?? 0)
        }
        guard repetitions > Self.freeRuns else { return .zero }
        pauses += 1
        return Self.pause
    }

    /// Notes that a run for some items has ended.
    mutating func noteEnd(of paths: [[UInt8]], now: Duration) {
        if runs.count + paths.count > Self.most { runs = [:] }
        for path in paths { runs[path, default: Run(end: now, repetitions: 0)].end = now }
    }
}
