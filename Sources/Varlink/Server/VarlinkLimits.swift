// What one caller may cost, in one place.
// SPDX-License-Identifier: Apache-2.0

package import NIOCore

/// The limits of a server.
package struct VarlinkLimits: Sendable {
    /// The longest request, in bytes without its NUL.
    package static let requestBytes = 1 << 20
    /// The longest reply that a client accepts. (sd-varlink's takes 16 MiB; no reply of ours comes near.)
    package static let replyBytes = 64 << 20
    /// Connections in all.
    package static let connections = 16_384
    /// Connections of one user. Root has no limit of its own.
    package static let connectionsPerUser = 12_288
    /// How long a request may take from its first byte to its last.
    package static let requestTime = TimeAmount.seconds(60)
    /// Memory for what came of requests and was not looked at yet, or had no reply yet, over all connections. Past it the
    /// connection that keeps most of it ends, of the user who keeps most of it.
    package static let requestBytesInAll = 64 << 20
    /// Memory for replies that their callers do not take, over all connections. Past it a connection ends as above.
    package static let replyBytesInAll = 256 << 20
    /// Requests of one connection that are taken up before others have their turn.
    package static let callsPerTurn = 16
    /// How long those who have sent more ahead wait for the next turn, of which one has one at a time: others are heard
    /// between. 16 calls take longer.
    package static let turnPause = TimeAmount.microseconds(100)
    /// The same at the longest, where the loop has other tasks all the time.
    package static let longestTurnPause = TimeAmount.milliseconds(10)
    /// A connection with more than this many bytes waiting to be taken is not writable. The kernel's own buffer keeps a
    /// caller busy that does take them, so there need not be many here…
    package static let unwritableAt = 16 << 10
    /// …until fewer than this many are left.
    package static let writableAgainAt = 1

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
    /// What a caller who goes past a limit is told before the connection is closed: the limit's name
    /// (`requestBytes`, `requestBytesInAll`, `requestTime` in milliseconds, `connections`, `connectionsPerUser`) and its
    /// value.
    package var error: @Sendable (_ limit: String, _ value: Int) -> VarlinkError = { limit, _ in
        .invalidParameter(limit)
    }

    /// The house limits.
    package init() {}
}
