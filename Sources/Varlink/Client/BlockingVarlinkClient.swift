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
    /// The socket for calls, mostly the same.
    private let output: CInt
    private var connection = VarlinkClientConnection(maximumMessageBytes: VarlinkLimits.replyBytes)
    private var failure: VarlinkClientError?
    private let life: VarlinkLife?
    /// The last moment at which the service was known to live.
    private var lived = ContinuousClock.now

    /// Connects to the socket at `path`.
    package init(path: String) throws(VarlinkClientError) {
        self.init(descriptor: try BlockingVarlinkClient.connect(path: path))
    }

    /// Returns a blocking socket that is connected to `path`. The caller owns it. The error is `EAGAIN` if the queue of new
    /// connections is full for `time`; nil waits.
    package static func connect(path: String, within time: Duration? = nil) throws(VarlinkClientError) -> CInt {
        do throws(VarlinkSocketError) {
            return try UnixSocket.connect(path: path, within: time)
        } catch {
            throw .socket(error)
        }
    }

    /// A client on a socket that is connected already and blocks. The descriptor is the client's from now on. With `life`, a
    /// service that does not live ends the waits of all calls by ``VarlinkClientError/silent``. With `output`, calls are written
    /// to that socket, which is the client's, too.
    package init(descriptor: CInt, output: CInt? = nil, life: VarlinkLife? = nil) {
        self.descriptor = descriptor
        self.output = output ?? descriptor
        self.life = life
    }

    deinit {
        close(descriptor)
        if output != descriptor { close(output) }
    }

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
        within time: Duration
    ) throws(VarlinkClientError) -> (parameters: JSONBytes, continues: Bool)? {
        let end = ContinuousClock.now + time
        while true {
            if let reply = try receivedReply() { return (reply.parameters, reply.continues) }
            guard try waitForBytes(until: end) else { return nil }
            try fill()
        }
    }

    /// Waits until there is something to read. Returns false at `end`.
    private mutating func waitForBytes(until end: ContinuousClock.Instant?) throws(VarlinkClientError) -> Bool {
        while true {
            if let life, ContinuousClock.now - lived >= life.silence {
                // The service may have answered, or ended, in the meantime.
                if !life.probe(), try !hasBytes(within: .zero) {
                    throw connection.violationAtEnd.map { .violation($0) } ?? .silent
                }
                lived = ContinuousClock.now
            }
            let ends = [end, life.map { lived + $0.silence }].compactMap(\.self)
            if try hasBytes(within: ends.min().map { max(.zero, $0 - ContinuousClock.now) }) { return true }
            if let end, ContinuousClock.now >= end { return false }
        }
    }

    /// Waits for something to read for this time; nil for as long as it takes. Also returns false after a signal.
    private func hasBytes(within time: Duration?) throws(VarlinkClientError) -> Bool {
        var socket = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        // Rounded up, since a wait of nothing would be repeated until the time is over.
        let wait = time.map { time in
            let (seconds, attoseconds) = (time + .microseconds(999)).components
            return Int32(clamping: seconds * 1_000 + attoseconds / 1_000_000_000_000_000)
        }
        let count = poll(&socket, 1, wait ?? -1)
        guard count >= 0 || errno == EINTR else { throw .socket(VarlinkSocketError(operation: .read, errno: errno)) }
        return count > 0
    }

    private mutating func send(_ message: VarlinkCallMessage) throws(VarlinkClientError) {
        if let failure { throw failure }
        lived = ContinuousClock.now
        let frame = connection.send(message).frame
        failure = frame.withUnsafeReadableBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let sent = Glibc.send(
                    output, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count, CInt(MSG_NOSIGNAL))
                if sent >= 0 {
                    rest = rest.dropFirst(sent)
                } else if errno == EAGAIN, let life {
                    guard life.probe() else { return .silent }
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
            if life != nil { _ = try waitForBytes(until: nil) }
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
        guard received <= 0 else {
            lived = ContinuousClock.now
            return
        }
        let code = errno
        if let violation = connection.violationAtEnd { throw .violation(violation) }
        throw failure ?? (received == 0 ? .closed : .socket(VarlinkSocketError(operation: .read, errno: code)))
    }
}
