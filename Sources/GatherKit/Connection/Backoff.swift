// How long to wait before trying again.
// SPDX-License-Identifier: Apache-2.0

/// Pauses between attempts to reach the daemon again: short at first, since a restart takes a moment, then doubled up to
/// a second, since a stopped daemon may stay away for long.
struct Backoff {
    static let first = Duration.milliseconds(10)
    static let longest = Duration.seconds(1)

    private var pause = first

    mutating func next() -> Duration {
        defer { pause = min(pause * 2, Backoff.longest) }
        return pause
    }

    mutating func reset() { pause = Backoff.first }
}
