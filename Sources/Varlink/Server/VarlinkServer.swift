// A Varlink server on one event loop.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import NIOCore
internal import NIOPosix

/// A Varlink server. It listens, admits connections within the limits, and passes calls to a handler, in order. Event
/// loop only.
package final class VarlinkServer {
    /// The length of the queue of connections, as long as the kernel allows (net.core.somaxconn, `listen(2)`).
    /// SOMAXCONN could be less than the service manager's setting.
    private static let backlog = CInt.max

    package let eventLoop: any EventLoop
    package let service: VarlinkService
    package let limits: VarlinkLimits
    let handler: any VarlinkHandler
    /// Returns the error for a peer that is refused; nil for others. Not called for attached sockets.
    private let refuses: (PeerCredentials) -> VarlinkError?

    private var listeners: [any Channel] = []
    private var connections: [ObjectIdentifier: (handler: VarlinkServerHandler, channel: any Channel)] = [:]
    private var connectionsOfUser: [UInt32: Int] = [:]
    /// The socket files made here with their inodes, so that no other file is removed.
    private var socketFiles: [(path: String, inode: UInt64)] = []
    private(set) var isClosed = false
    /// Called with the errno when accept(2) fails after a success.
    package var acceptFailed: (CInt) -> Void = { _ in }
    /// The number of failed accept(2) calls.
    private(set) var acceptFailures = 0
    private var wasAcceptRefused = false
    /// The memory that all connections keep.
    private var requestBytes = 0
    private var replyBytes = 0
    private var isRelieving = false
    /// The connections with an incomplete request. The timer runs if there are any.
    private var awaiting: [ObjectIdentifier: VarlinkServerHandler] = [:]
    private var awaitingTimer: Scheduled<Void>?
    /// The connections with more pipelined calls than one turn takes, in the order of their turns.
    private var yielding = CircularBuffer<VarlinkServerHandler>()
    /// The pause before the next turn, and the time of that.
    private var turnPause: TimeAmount
    private var turnIsDue = NIODeadline.uptimeNanoseconds(0)

    /// Makes a server for `service`, which passes calls to `handler` and retains it. Peers of listening sockets for
    /// which `refuses` returns an error receive it, and are closed. Must be called on `eventLoop`.
    package init(
        eventLoop: any EventLoop, service: VarlinkService, handler: any VarlinkHandler,
        limits: VarlinkLimits = VarlinkLimits(), refuses: @escaping (PeerCredentials) -> VarlinkError? = { _ in nil }
    ) {
        eventLoop.preconditionInEventLoop()
        self.eventLoop = eventLoop
        self.service = service
        self.handler = handler
        self.limits = limits
        self.refuses = refuses
        turnPause = limits.turnPause
    }

    /// The number of connections.
    package var connectionCount: Int { connections.count }

    /// Returns the number of connections of a user.
    package func connectionCount(of user: UInt32) -> Int { connectionsOfUser[user, default: 0] }

    // MARK: Listening

    /// Listens on a new socket file at `path`. The file has `mode` and `group` before any process can connect. A socket
    /// file without a listening process is replaced. Otherwise this throws EADDRINUSE.
    package func listen(path: String, mode: UInt32, group: UInt32? = nil) throws -> EventLoopFuture<Void> {
        eventLoop.preconditionInEventLoop()
        let descriptor = try UnixSocket.listen(path: path, mode: mode, group: group, backlog: VarlinkServer.backlog)
        var status = stat()
        if lstat(path, &status) == 0 { socketFiles.append((path, UInt64(status.st_ino))) }
        return listen(descriptor: descriptor)
    }

    /// Listens on a bound socket, such as one that systemd passed, and takes ownership of the descriptor.
    package func listen(descriptor: CInt) -> EventLoopFuture<Void> {
        eventLoop.preconditionInEventLoop()
        let server = NIOLoopBound(self, eventLoop: eventLoop)
        return ServerBootstrap(group: eventLoop)
            // One accept(2) in each loop iteration. A process that connects a thousand times a second takes 0.15 ms for
            // each, and others have their turn in between.
            .serverChannelOption(.maxMessagesPerRead, value: 1)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        AcceptPause(server.value.limits.acceptPause) { server.value.noteAcceptFailure($0) })
                }
            }
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.writeBufferWaterMark, value: waterMark)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try server.value.admit(channel, refusingStrangers: true) }
            }
            .withBoundSocket(descriptor)
            .flatMapThrowing { channel in
                server.value.listeners.append(channel)
                // For a bound socket, NIO calls listen(2) with 128 and ignores its option for the backlog.
                guard Glibc.listen(descriptor, VarlinkServer.backlog) == 0 else {
                    throw VarlinkSocketError(operation: .listen, errno: errno)
                }
            }
    }

    private func noteAcceptFailure(_ code: CInt) {
        acceptFailures += 1
        if !wasAcceptRefused { acceptFailed(code) }
        wasAcceptRefused = true
    }

    /// Serves a connected socket, such as one end of a socket pair, and takes ownership of the descriptor.
    package func attach(descriptor: CInt) -> EventLoopFuture<Void> {
        eventLoop.preconditionInEventLoop()
        let server = NIOLoopBound(self, eventLoop: eventLoop)
        return ClientBootstrap(group: eventLoop)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelOption(.writeBufferWaterMark, value: waterMark)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try server.value.admit(channel) }
            }
            .withConnectedSocket(descriptor)
            .map { _ in }
    }

    /// Stops listening, removes the socket files that were made here, and closes every connection, even if replies are
    /// missing.
    package func close() -> EventLoopFuture<Void> {
        eventLoop.preconditionInEventLoop()
        isClosed = true
        for file in socketFiles {
            var status = stat()
            if lstat(file.path, &status) == 0, UInt64(status.st_ino) == file.inode { unlink(file.path) }
        }
        socketFiles.removeAll()
        awaitingTimer?.cancel()
        let channels = listeners + connections.values.map(\.channel)
        listeners.removeAll()
        for channel in channels { channel.close(promise: nil) }
        return EventLoopFuture.andAllComplete(channels.map(\.closeFuture), on: eventLoop)
    }

    private var waterMark: ChannelOptions.Types.WriteBufferWaterMark {
        ChannelOptions.Types.WriteBufferWaterMark(low: limits.writableAgainAt, high: limits.unwritableAt)
    }

    // MARK: Connections

    /// Admits a connection, or sends it the limit that it exceeds and closes it.
    private func admit(_ channel: any Channel, refusingStrangers: Bool = false) throws {
        guard !isClosed else { throw ChannelError.ioOnClosedChannel }
        wasAcceptRefused = false
        let peer = try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) {
            try PeerCredentials(ofPeer: $0)
        }
        guard let peer else { throw ChannelError.operationUnsupported }
        if refusingStrangers, let error = refuses(peer) {
            try channel.pipeline.syncOperations.addHandler(VarlinkRefusal(error))
            return
        }
        try admit(channel, from: peer)
    }

    /// Admits a connection with known credentials.
    func admit(_ channel: any Channel, from peer: PeerCredentials) throws {
        let pipeline = channel.pipeline.syncOperations
        if let error = refusal(of: peer) {
            try pipeline.addHandler(VarlinkRefusal(error))
            return
        }
        let handler = VarlinkServerHandler(server: self, peer: peer)
        connections[ObjectIdentifier(handler)] = (handler, channel)
        connectionsOfUser[peer.userID, default: 0] += 1
        do { try pipeline.addHandler(handler) } catch {
            connectionClosed(handler)
            throw error
        }
    }

    private func refusal(of peer: PeerCredentials) -> VarlinkError? {
        if connections.count >= limits.connections { return limits.error("connections", limits.connections) }
        if peer.userID != 0, connectionsOfUser[peer.userID, default: 0] >= limits.connectionsPerUser {
            return limits.error("connectionsPerUser", limits.connectionsPerUser)
        }
        return nil
    }

    func connectionClosed(_ handler: VarlinkServerHandler) {
        guard connections.removeValue(forKey: ObjectIdentifier(handler)) != nil else { return }
        awaiting[ObjectIdentifier(handler)] = nil
        requestBytes -= handler.requestBytes
        replyBytes -= handler.replyBytes
        let left = connectionsOfUser[handler.peer.userID, default: 1] - 1
        connectionsOfUser[handler.peer.userID] = left > 0 ? left : nil
    }

    // MARK: Turns

    /// Adds a connection with further pipelined calls to the end of the queue.
    func waitForTurn(_ handler: VarlinkServerHandler) {
        yielding.append(handler)
        if yielding.count == 1 { scheduleTurn() }
    }

    /// Schedules the next turn after a pause. The event loop runs all due tasks, and tasks that these add, before it
    /// polls its descriptors. A task without a pause would delay all other connections.
    private func scheduleTurn() {
        let server = NIOLoopBound(self, eventLoop: eventLoop)
        turnIsDue = eventLoop.now + turnPause
        eventLoop.scheduleTask(deadline: turnIsDue) { server.value.takeTurn() }
    }

    private func takeTurn() {
        // If other tasks take longer than the pause, the loop does not poll before the next turn. So the pause is
        // doubled.
        let late = eventLoop.now - turnIsDue
        turnPause = late * 2 > limits.turnPause ? min(turnPause * 2, limits.longestTurnPause) : limits.turnPause
        // If it waits for another turn, it is appended, so the queue does not become empty and no second turn is
        // scheduled.
        yielding[yielding.startIndex].goOn()
        yielding.removeFirst()
        if !yielding.isEmpty { scheduleTurn() }
    }

    // MARK: Memory of connections

    /// Adds changes of the memory that a connection keeps, and enforces the limits.
    func noteBytes(ofRequests requests: Int, ofReplies replies: Int) {
        requestBytes += requests
        replyBytes += replies
        guard !isRelieving else { return }
        isRelieving = true
        while requestBytes > limits.requestBytesInAll, let handler = greatest(\.requestBytes) {
            handler.refuse(limits.error("requestBytesInAll", limits.requestBytesInAll))
        }
        // A caller that does not read cannot receive an error.
        while replyBytes > limits.replyBytesInAll, let handler = greatest(\.replyBytes) { handler.close() }
        isRelieving = false
    }

    /// Returns the largest connection of the user with most memory. Complexity: O(connections), only beyond a limit.
    private func greatest(_ bytes: (VarlinkServerHandler) -> Int) -> VarlinkServerHandler? {
        var users: [UInt32: Int] = [:]
        for (handler, _) in connections.values { users[handler.peer.userID, default: 0] += bytes(handler) }
        guard let user = users.max(by: { $0.value < $1.value })?.key else { return nil }
        let handler = connections.values.lazy.map(\.handler).filter { $0.peer.userID == user }
            .max { bytes($0) < bytes($1) }
        return handler.flatMap { bytes($0) > 0 ? $0 : nil }
    }

    /// Notes that a connection waits for the rest of a request, or no longer does.
    func noteAwaiting(_ handler: VarlinkServerHandler) {
        if handler.requestBegan == nil {
            awaiting[ObjectIdentifier(handler)] = nil
        } else {
            awaiting[ObjectIdentifier(handler)] = handler
            if awaitingTimer == nil { wait(for: limits.requestTime) }
        }
    }

    private func wait(for time: TimeAmount) {
        let server = NIOLoopBound(self, eventLoop: eventLoop)
        awaitingTimer = eventLoop.scheduleTask(in: time) { server.value.endLateRequests() }
    }

    private func endLateRequests() {
        awaitingTimer = nil
        let latest = NIODeadline.now() - limits.requestTime
        for handler in Array(awaiting.values) {
            guard let began = handler.requestBegan, began <= latest else { continue }
            handler.refuse(limits.error("requestTime", Int(limits.requestTime.nanoseconds / 1_000_000)))
        }
        guard let next = awaiting.values.compactMap(\.requestBegan).min(), awaitingTimer == nil else { return }
        // Waits at least a tenth of the time, so that requests that expire soon after each other end together.
        wait(for: max(next - latest, .nanoseconds(limits.requestTime.nanoseconds / 10)))
    }
}

/// Sends an error as the answer to the call that is to come, and closes the connection.
private final class VarlinkRefusal: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let error: VarlinkError

    init(_ error: VarlinkError) { self.error = error }

    func channelActive(context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(VarlinkReplyMessage.frame(error)), promise: nil)
        context.close(promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {}
}
