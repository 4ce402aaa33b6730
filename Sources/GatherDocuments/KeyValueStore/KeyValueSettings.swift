// The parts of a store that tests replace.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The clock of a store, and the delay of its writing.
struct KeyValueSettings: Sendable {
    /// Nil writes only when asked to.
    var autosaveDelay: Duration? = KeyValueLimits.autosaveDelay
    /// The time of day in milliseconds since 1970.
    var now: @Sendable () -> Int64 = {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return Int64(now.tv_sec) * 1_000 + Int64(now.tv_nsec) / 1_000_000
    }
}
