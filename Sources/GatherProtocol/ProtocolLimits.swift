// The limits that both ends of our interfaces share.
// SPDX-License-Identifier: Apache-2.0

package import Varlink

/// Limits of requests and replies.
package enum ProtocolLimits {
    /// The longest request, in bytes.
    package static let requestBytes = VarlinkLimits.requestBytes
    /// The longest reply to a Find without `more`; beyond, the answer is LimitExceeded.
    package static let findReplyBytes = 8 << 20
    /// How long Find, Count and Values wait for containers to be exact when they are not told, in milliseconds.
    package static let defaultTimeout: Int64 = 10_000

    /// The limits of a server of our interfaces: past one, a caller is told `io.gatherd.Query.LimitExceeded`.
    package static var ofServer: VarlinkLimits {
        var limits = VarlinkLimits()
        limits.error = { limit, value in
            QueryError.limitExceeded(limit: limit, value: Int64(value)).varlinkError
        }
        return limits
    }
}
