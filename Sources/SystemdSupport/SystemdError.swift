// What goes wrong between a service and its manager, as values.
// SPDX-License-Identifier: Apache-2.0

/// An error of the service manager's interface.
package enum SystemdError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A call into libsystemd failed with this `errno`.
    case call(String, errno: Int32)
    /// Sockets were passed, but none of them is a listening stream socket of `AF_UNIX`.
    case noListeningSocket(names: [String])

    package var description: String {
        switch self {
        case .call(let name, let errno): "\(name): error \(errno)"
        case .noListeningSocket(let names):
            "of the sockets passed by the service manager (\(names.joined(separator: ", "))) none is a listening Unix stream socket"
        }
    }
}
