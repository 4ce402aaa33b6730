// A client without threads or event loop, for commands that ask one thing and end.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import NIOCore

/// A Varlink client on a plain blocking socket. Each call blocks its thread until the answer is there; nothing is
/// started, so a process that needs one answer has it as early as can be. Closes its socket when it ends.
package struct BlockingVarlinkClient: ~Copyable {
    /// How much room a read is given, at least.
    private static let readBytes = 128 << 10

    /// The socket, for `poll(2)`.
    package let descriptor: CInt
    private var connection = VarlinkClientConnection(maximumMessageBytes: VarlinkLimits.replyBytes)
    private var failure: VarlinkClientError?

    /// Connects to the socket at `path`.
    package init(path: String) throws(VarlinkClientError) {
        descriptor = try BlockingVarlinkClient.connect(path: path)
    }

    /// Returns a blocking socket that is connected to `path`. The caller owns it.
    package static func connect(path: String) throws(VarlinkClientError) -> CInt {
        do throws(VarlinkSocketError) { return try UnixSocket.connect(path: path) } catch { throw .socket(error) }
    }

    /// A client on a socket that is connected already and blocks. The descriptor is the client's from now on.
    package init(descriptor: CInt) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Calls `method` and waits for its one reply, the parameters of which are returned.
    package mutating func call(
        _ method: String, _ parameters: JSONBytes = .emptyObject
    ) throws(VarlinkClientError) -> JSONBytes {
        try send(VarlinkCallMessage(method: method, parameters: parameters))
        return try nextReply().parameters
    }

    /// Calls `method` with `more` and gives `body` the parameters of each reply as it comes, until there are no more or
    /// `body` returns false. After the latter the call is still open: end the client.
    package mutating func callMore(
        _ method: String, _ parameters: JSONBytes = .emptyObject, _ body: (JSONBytes) throws -> Bool
    ) throws {
        try send(VarlinkCallMessage(method: method, parameters: parameters, more: true))
        while true {
            let reply = try nextReply()
            guard try body(reply.parameters), reply.continues else { return }
        }
    }

    /// Calls `method` and wants no answer.
    package mutating func callOneway(
        _ method: String, _ parameters: JSONBytes = .emptyObject
    ) throws(VarlinkClientError) {
        try send(VarlinkCallMessage(method: method, parameters: parameters, oneway: true))
    }

    /// Calls `method`. ``nextReply(within:)`` returns its replies.
    package mutating func begin(_ method: String, _ parameters: JSONBytes, more: Bool) throws(VarlinkClientError) {
        try send(VarlinkCallMessage(method: method, parameters: parameters, more: more))
    }

    /// Returns the next reply to ``begin(_:_:more:)``, and whether more are to come. Nil if the time was over before.
    package mutating func nextReply(
        within milliseconds: Int
    ) throws(VarlinkClientError) -> (parameters: JSONBytes, continues: Bool)? {
        let end = ContinuousClock.now + .milliseconds(milliseconds)
        while true {
            if let reply = try receivedReply() { return (reply.parameters, reply.continues) }
            let left = max(.zero, end - ContinuousClock.now)
            var socket = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let wait = left.components.seconds * 1_000 + left.components.attoseconds / 1_000_000_000_000_000
            let count = poll(&socket, 1, Int32(clamping: wait))
            if count == 0 { return nil }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .socket(VarlinkSocketError(operation: .read, errno: errno)) }
            try fill()
        }
    }

    private mutating func send(_ message: VarlinkCallMessage) throws(VarlinkClientError) {
        if let failure { throw failure }
        let frame = connection.send(message).frame
        failure = frame.withUnsafeReadableBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let sent = Glibc.send(
                    descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count, CInt(MSG_NOSIGNAL))
                if sent >= 0 {
                    rest = rest.dropFirst(sent)
                } else if errno != EINTR {
                    return .socket(VarlinkSocketError(operation: .write, errno: errno))
                }
            }
            return nil
        }
        // A server that closes in the middle of a request has said why: the reply is read before this is thrown.
        if let failure, message.oneway { throw failure }
    }

    private mutating func nextReply() throws(VarlinkClientError) -> VarlinkReplyMessage {
        while true {
            if let reply = try receivedReply() { return reply }
            try fill()
        }
    }

    private mutating func receivedReply() throws(VarlinkClientError) -> VarlinkReplyMessage? {
        do throws(VarlinkClientConnection.Violation) {
            guard let reply = try connection.next()?.message else { return nil }
            if let name = reply.error { throw .unexpectedReply(VarlinkError(name, parameters: reply.parameters)) }
            return reply
        } catch {
            throw VarlinkClientError(error)
        }
    }

    private mutating func fill() throws(VarlinkClientError) {
        var received = 0
        connection.receive(atLeast: BlockingVarlinkClient.readBytes) { memory in
            repeat {
                received = recv(descriptor, memory.baseAddress, memory.count, 0)
            } while received < 0 && errno == EINTR
            return received
        }
        guard received <= 0 else { return }
        let code = errno
        throw failure ?? (received == 0 ? .closed : .socket(VarlinkSocketError(operation: .read, errno: code)))
    }
}
