// An engine in the client's own process.
// SPDX-License-Identifier: Apache-2.0

internal import Varlink

/// An engine in the client's own process, which is asked over socket pairs.
package final class InProcessDaemon: Sendable, Hashable {
    /// Why there is no connection.
    package struct Failure: Error {
        let code: Int32

        /// A failure with an errno.
        package init(code: Int32) { self.code = code }
    }

    private let connect: @Sendable () throws(Failure) -> Int32

    /// An engine to which `connect` makes connections: each is a connected socket that blocks, and is the caller's.
    package init(connect: @escaping @Sendable () throws(Failure) -> Int32) { self.connect = connect }

    func descriptor() throws(VarlinkClientError) -> Int32 {
        do throws(Failure) {
            return try connect()
        } catch {
            throw .socket(VarlinkSocketError(operation: .socket, errno: error.code))
        }
    }

    package static func == (one: InProcessDaemon, other: InProcessDaemon) -> Bool { one === other }
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
