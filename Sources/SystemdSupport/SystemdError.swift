// Errors of the service manager's interface.
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// An error of the service manager's interface.
package enum SystemdError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A call of libsystemd failed.
    case call(String, errno: Int32)
    /// None of the passed sockets is a listening stream socket of `AF_UNIX`.
    case noListeningSocket(names: [String])

    package var description: String {
        switch self {
        case .call(let name, let errno): "\(name) failed: \(String(cString: strerror(errno)))"
        case .noListeningSocket(let names):
            "the service manager passed no listening Unix stream socket, only: \(names.joined(separator: ", ")); correct the socket unit"
        }
    }
}
