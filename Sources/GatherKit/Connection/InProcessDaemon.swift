// An engine in the client's own process.
// SPDX-License-Identifier: Apache-2.0

internal import Varlink

/// An engine in the client's own process, called over socket pairs.
package final class InProcessDaemon: Sendable, Hashable {
    /// The reason for which there is no connection.
    package struct Failure: Error {
        let code: Int32

        /// Makes a failure with an errno.
        package init(code: Int32) { self.code = code }
    }

    private let connect: @Sendable () throws(Failure) -> Int32
    private let end: @Sendable () -> Void

    /// Makes a handle of an engine. `connect` returns a connected, blocking socket that the caller owns. `end` ends the
    /// engine.
    package init(connect: @escaping @Sendable () throws(Failure) -> Int32, end: @escaping @Sendable () -> Void) {
        self.connect = connect
        self.end = end
    }

    /// Ends the engine, and blocks until that is done. The end of the process also ends it, and faster.
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
