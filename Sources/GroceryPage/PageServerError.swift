// Errors of starting the server.
// SPDX-License-Identifier: Apache-2.0

/// A server that could not be started.
package struct PageServerError: Error, Sendable, Hashable {
    /// A sentence for a person, without a full stop.
    package let message: String

    init(_ message: String) { self.message = message }
}
