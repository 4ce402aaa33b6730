// The limits for callers.
// SPDX-License-Identifier: Apache-2.0

package import NIOCore

/// The limits of a server.
package struct VarlinkLimits: Sendable {
    /// The longest request, in bytes without its NUL.
    package static let requestBytes = 1 << 20
    /// The longest reply that a client accepts, in bytes. sd-varlink accepts 16 MiB.
    package static let replyBytes = 64 << 20
    /// Connections of all users.
    package static let connections = 16_384
    /// Connections of one user. Root has no limit of its own.
    package static let connectionsPerUser = 12_288
    /// The time from the first byte of a request to its last.
    package static let requestTime = TimeAmount.seconds(60)
    /// Memory for requests that were not parsed or had no reply, over all connections. Beyond it, the largest
    /// connection of the user with most of it ends.
    package static let requestBytesInAll = 64 << 20
    /// Memory for replies that callers do not read, over all connections. Beyond it, the largest connection of the user
    /// with most of it ends.
    package static let replyBytesInAll = 256 << 20
    /// Requests of one connection that are processed before other connections have their turn.
    package static let callsPerTurn = 16
    /// The pause before the next connection with pipelined calls has its turn. Other connections are served in between.
    /// It is shorter than 16 calls take.
    package static let turnPause = TimeAmount.microseconds(100)
    /// The longest such pause, if other tasks keep the loop busy.
    package static let longestTurnPause = TimeAmount.milliseconds(10)
    /// A connection with more unread bytes than this is not writable. The kernel's socket buffer keeps a caller busy
    /// that reads, so the value is small.
    package static let unwritableAt = 16 << 10
    /// A connection becomes writable again with fewer unread bytes than this.
    package static let writableAgainAt = 1

    /// The pause after accept(2) has failed for lack of descriptors or memory. The listening descriptor stays readable,
    /// and each attempt costs a system call.
    package static let acceptPause = TimeAmount.seconds(1)

    /// See ``acceptPause``.
    package var acceptPause = VarlinkLimits.acceptPause
    /// See ``requestBytes``.
    package var requestBytes = VarlinkLimits.requestBytes
    /// See ``connections``.
    package var connections = VarlinkLimits.connections
    /// See ``connectionsPerUser``.
    package var connectionsPerUser = VarlinkLimits.connectionsPerUser
    /// See ``requestTime``.
    package var requestTime = VarlinkLimits.requestTime
    /// See ``requestBytesInAll``.
    package var requestBytesInAll = VarlinkLimits.requestBytesInAll
    /// See ``replyBytesInAll``.
    package var replyBytesInAll = VarlinkLimits.replyBytesInAll
    /// See ``callsPerTurn``.
    package var callsPerTurn = VarlinkLimits.callsPerTurn
    /// See ``longestTurnPause``.
    package var longestTurnPause = VarlinkLimits.longestTurnPause
    /// See ``turnPause``.
    package var turnPause = VarlinkLimits.turnPause
    /// See ``unwritableAt``.
    package var unwritableAt = VarlinkLimits.unwritableAt
    /// See ``writableAgainAt``.
    package var writableAgainAt = VarlinkLimits.writableAgainAt
    /// Makes the error that a caller beyond a limit receives before its connection is closed. The arguments are the
    /// limit's name and value. The names are `requestBytes`, `requestBytesInAll`, `requestTime` (milliseconds),
    /// `connections` and `connectionsPerUser`.
    package var error: @Sendable (_ limit: String, _ value: Int) -> VarlinkError = { limit, _ in
        .invalidParameter(limit)
    }

    /// Makes the default limits.
    package init() {}
}
