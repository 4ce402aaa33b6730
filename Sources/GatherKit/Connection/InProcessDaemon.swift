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
    private let end: @Sendable () -> Void

    /// An engine to which `connect` makes connections: each is a connected socket that blocks, and is the caller's. `end` ends
    /// it.
    package init(connect: @escaping @Sendable () throws(Failure) -> Int32, end: @escaping @Sendable () -> Void) {
        self.connect = connect
        self.end = end
    }

    /// Ends the engine; blocks until it has. It ends with the process too, and sooner than by this.
    package func close() { end() }

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
