// When the states in gatherd are compared with those that were told.
// SPDX-License-Identifier: Apache-2.0

/// Decides when the states in gatherd are compared with those that were told: a pause after a report, in the next round of reports. The
/// longer a comparison takes, the longer is the pause.
struct Comparison {
    /// The time to the next one.
    private(set) var pause = SyncLimits.comparisonPause
    /// Whether anything was reported since the last one.
    private var isNeeded = false
    /// Whether the next round of reports ends with one.
    private var isDue = false

    /// Notes that something was reported.
    mutating func noteReport() { isNeeded = true }

    /// Notes that the pause is over. Returns whether a comparison has become due.
    mutating func endPause() -> Bool {
        guard isNeeded, !isDue else { return false }
        isDue = true
        return true
    }

    /// Returns whether a comparison has to be made now.
    mutating func takeDue() -> Bool {
        defer { isDue = false }
        return isDue
    }

    /// Notes that a comparison has ended, and its duration. Its own reports need none.
    mutating func end(after duration: Duration) {
        isNeeded = false
        pause = max(SyncLimits.comparisonPause, duration * SyncLimits.comparisonShare)
    }
}
