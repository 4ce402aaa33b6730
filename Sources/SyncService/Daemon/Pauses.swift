// The pauses between attempts.
// SPDX-License-Identifier: Apache-2.0

/// Pauses between attempts. Each is twice as long as the one before, up to a limit.
struct Pauses {
    private var pause = SyncLimits.firstPause

    mutating func next() -> Duration {
        defer { pause = min(pause * 2, SyncLimits.longestPause) }
        return pause
    }

    mutating func reset() { pause = SyncLimits.firstPause }
}
