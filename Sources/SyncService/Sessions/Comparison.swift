// When the states in gatherd are compared with those that were told.
// SPDX-License-Identifier: Apache-2.0

/// When the states in gatherd are compared with those that were told.
struct Comparison {
    /// Whether anything was reported since the last one.
    var isNeeded = false
    /// Whether the next round of reports ends with one.
    var isDue = false
    /// The time to the next one.
    var pause = SyncLimits.comparisonPause
}
