// What one caller may cost, in one place.
// SPDX-License-Identifier: Apache-2.0

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
    /// A connection with more than this many bytes waiting to be taken is not writable…
    package static let unwritableAt = 256 << 10
    /// …until no more than this many are left.
    package static let writableAgainAt = 64 << 10

    /// See ``requestBytes``.
    package var requestBytes = VarlinkLimits.requestBytes
    /// See ``connections``.
    package var connections = VarlinkLimits.connections
    /// See ``connectionsPerUser``.
    package var connectionsPerUser = VarlinkLimits.connectionsPerUser
    /// See ``unwritableAt``.
    package var unwritableAt = VarlinkLimits.unwritableAt
    /// See ``writableAgainAt``.
    package var writableAgainAt = VarlinkLimits.writableAgainAt
    /// What a caller who goes past a limit is told before the connection is closed: the limit's name
    /// (`requestBytes`, `connections`, `connectionsPerUser`) and its value.
    package var error: @Sendable (_ limit: String, _ value: Int) -> VarlinkError = { limit, _ in
        .invalidParameter(limit)
    }

    /// The house limits.
    package init() {}
}
