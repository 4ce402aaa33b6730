// The pauses between rounds of requests.
// SPDX-License-Identifier: Apache-2.0

/// Decides when the next round of requests to Syncthing begins. The longer a round takes, the longer is the pause, up to a limit.
struct RoundPause {
    /// The time of an event. Only differences count.
    typealias Moment = ContinuousClock.Instant

    /// The earliest time of the next round.
    private(set) var end = Moment.now

    /// Notes the times of a round.
    mutating func begin(after start: Moment, to now: Moment) {
        end =
            now
            + min(max(SyncLimits.roundPause, (now - start) * SyncLimits.roundShare), SyncLimits.longestRoundPause)
    }
}
