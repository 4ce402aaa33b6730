// Errors of the service manager's interface.
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// An error of the service manager's interface.
package enum SystemdError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A call of libsystemd failed.
    case call(String, errno: Int32)
    /// Variables of the environment, as `NAME=VALUE`, are not those of a service manager.
    case variables([String], errno: Int32)
    /// None of the passed sockets is a listening stream socket of `AF_UNIX`.
    case noListeningSocket(names: [String])

    /// Makes the error of a call that reads variables of the environment.
    init(reading names: [String], errno: Int32) {
        let values = names.compactMap { name in getenv(name).map { "\(name)=\(String(cString: $0))" } }
        self = .variables(values, errno: errno)
    }

    package var description: String {
        switch self {
        case .call(let name, let errno): "\(name) failed: \(String(cString: strerror(errno)))"
        case .variables(let variables, let errno):
            "the environment has \(variables.joined(separator: " ")), which no service manager sets: \(String(cString: strerror(errno)))"
        case .noListeningSocket(let names):
            "the service manager passed no listening Unix stream socket, only: \(names.joined(separator: ", ")); correct the socket unit"
        }
    }
}
