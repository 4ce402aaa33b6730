// Every limit of the daemon, in one place: past one, that caller gets a clear error and nobody else notices.
// SPDX-License-Identifier: Apache-2.0

package import NIOCore

/// The limits of the daemon. Those of the protocol's framing are in `Varlink`, those that both ends share in
/// `GatherProtocol`, those of the language in `PredicateLanguage`.
package enum Limits {
    /// Connections in all.
    package static let connections = 16_384
    /// Connections of one user of the system's daemon; root may use them all.
    package static let connectionsPerUser = 4_096
    /// Live queries in all.
    package static let liveQueries = 16_384
    /// Live queries of one user; root and the daemon's own user may use them all.
    package static let liveQueriesPerUser = 4_096
    /// Items in one reply that carries more of them to come, so that a big answer flows instead of piling up.
    package static let itemsPerReply = 2_048
    /// Bytes of one reply after which no further item is added to it.
    package static let replyBytes = 256 * 1024
    /// Scopes that one query may name.
    package static let scopes = 256
    /// The longest `timeout`, `batch` and `heartbeat`, in milliseconds: a day.
    package static let longestWait = 86_400_000
    /// Rows of a scan that are worth leaving the event loop for: below, the hop costs more than the scan.
    package static let rowsScannedOnLoop = 16_384
    /// How long a clock that was set may go unnoticed where live queries follow it; nobody wakes where none does.
    package static let clockInterval = TimeAmount.seconds(10)
    /// Items whose time is over within so much of each other leave together.
    package static let clockGrain = TimeAmount.milliseconds(1)
    /// Containers that the daemon watches.
    package static let containers = 1_024
    /// Bytes of one configuration file.
    package static let configurationBytes = 1024 * 1024
    /// Bytes of a container identifier.
    package static let identifierBytes = 255
}
