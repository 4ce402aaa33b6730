// Keeps a command that changes the items it runs for from running without end.
// SPDX-License-Identifier: Apache-2.0

/// The rounds of a command that changes the items it runs for.
///
/// Each round of runs makes the changes of the next one then, as fast as the machine can: 82 runs in two seconds were seen. Such a
/// change looks like one of another program, so none is left out. After several rounds in a row, each as soon as the one before
/// had ended, each further one has a pause. Changes in a pause are merged.
struct RepetitionGuard {
    /// A round follows the one before if it comes so soon after its end.
    static let soon = Duration.seconds(1)
    /// So many rounds in a row have no pause.
    static let freeRounds = 5
    static let pause = Duration.seconds(1)

    /// The end of the last round, since the start of the watch.
    private var end: Duration?
    private var rounds = 0

    /// Whether the pause that was returned last is the first of all.
    private(set) var isFirstPause = false
    private var hasPaused = false

    /// Returns the pause before a round that comes now. All times are since the start of the watch.
    mutating func pause(now: Duration) -> Duration {
        if let end, now - end < Self.soon { rounds += 1 } else { rounds = 1 }
        guard rounds > Self.freeRounds else { return .zero }
        (isFirstPause, hasPaused) = (!hasPaused, true)
        return Self.pause
    }

    /// Notes the end of a round.
    mutating func noteEnd(now: Duration) { end = now }
}
