// The phases of a live query.
// SPDX-License-Identifier: Apache-2.0

/// The phase of a live query, which decides what a reply of the daemon means.
enum QueryPhase {
    /// Not started, or stopped.
    case idle
    /// Started, waiting for the first reply. Also after a loss of the connection during the first phase.
    case connecting
    case gathering
    case live
    /// The connection was lost after the first phase.
    case lost
    /// Reconnected. The daemon sends the difference.
    case catchingUp(PendingDelta)
    /// Reconnected. Everything is gathered again.
    case regathering(ResultSet)
}
