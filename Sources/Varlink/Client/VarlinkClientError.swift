// Why a call has no answer.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Why a call did not come to its answer.
package enum VarlinkClientError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The service answered with an error.
    case error(VarlinkError)
    /// The socket could not be made, connected, read or written.
    case socket(VarlinkSocketError)
    /// The service closed the connection before it had answered.
    case closed
    /// The service has not answered, and did not answer another question either.
    case silent
    /// The service sent something that Varlink does not allow.
    case violation(VarlinkClientConnection.Violation)
    /// The calling task was cancelled, which has closed the connection: Varlink knows no other way to end a call.
    case cancelled

    /// Whether the service has ended the connection, or ended itself.
    package var isEndOfConnection: Bool {
        switch self {
        case .closed: true
        case .socket(let error):
            (error.operation == .read || error.operation == .write) && [ECONNRESET, EPIPE].contains(error.errno)
        case .error, .silent, .violation, .cancelled: false
        }
    }

    init(_ violation: VarlinkClientConnection.Violation) {
        if case .unexpectedReply(let error?) = violation { self = .error(error) } else { self = .violation(violation) }
    }

    package var description: String {
        switch self {
        case .error(let error): "\(error)"
        case .socket(let error): "\(error)"
        case .closed: "the connection was closed before the answer"
        case .silent: "the service does not answer"
        case .violation(let violation): "the answer is not Varlink: \(violation)"
        case .cancelled: "cancelled"
        }
    }
}
