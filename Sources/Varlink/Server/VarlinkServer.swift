// A Varlink server on one event loop: listens, admits connections within the limits, and hands calls to a handler.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import NIOCore
internal import NIOPosix

/// A Varlink server. It lives on the event loop that it is given: made there, used there, and every call is handled
/// there, in order.
package final class VarlinkServer {
    /// How many connections may wait to be accepted.
    private static let backlog: CInt = 4096

    package let eventLoop: any EventLoop
    package let service: VarlinkService
    package let limits: VarlinkLimits
    let handler: any VarlinkHandler

    private var listeners: [any Channel] = []
    private var connections: [ObjectIdentifier: (handler: VarlinkServerHandler, channel: any Channel)] = [:]
    private var connectionsOfUser: [UInt32: Int] = [:]
    /// The socket files made here, with the inode each had, to remove no other's.
    private var socketFiles: [(path: String, inode: UInt64)] = []
    private(set) var isClosed = false
    /// Memory that connections keep, over all of them.
    private var requestBytes = 0
    private var replyBytes = 0
    private var isRelieving = false
    /// Those that have sent a part of a request. The timer runs while there are any.
    private var awaiting: [ObjectIdentifier: VarlinkServerHandler] = [:]
    private var awaitingTimer: Scheduled<Void>?
    /// Those that sent ahead more than a turn's calls, as they take turns. A turn is scheduled while there are any.
    private var yielding = CircularBuffer<VarlinkServerHandler>()
    /// How long the next of them waits, and until when.
    private var turnPause: TimeAmount
    private var turnIsDue = NIODeadline.uptimeNanoseconds(0)

    /// A server that answers for `service` through `handler`, which it keeps. To be called on `eventLoop`.
    package init(
        eventLoop: any EventLoop, service: VarlinkService, handler: any VarlinkHandler,
        limits: VarlinkLimits = VarlinkLimits()
    ) {
        eventLoop.preconditionInEventLoop()
        self.eventLoop = eventLoop
        self.service = service
        self.handler = handler
        self.limits = limits
        turnPause = limits.turnPause
    }

    /// How many connections there are now.
    package var connectionCount: Int { connections.count }

    /// How many of them are one user's.
    package func connectionCount(of user: UInt32) -> Int { connectionsOfUser[user, default: 0] }

    // MARK: Listening

    /// Listens on a new socket file at `path`, which has `mode` and `group` before anybody can connect. A dead socket
    /// file is replaced; EADDRINUSE where somebody answers on it or another kind of file is in the way.
    package func listen(path: String, mode: UInt32, group: UInt32? = nil) throws -> EventLoopFuture<Void> {
        eventLoop.preconditionInEventLoop()
        let descriptor = try UnixSocket.listen(path: path, mode: mode, group: group, backlog: VarlinkServer.backlog)
        var status = stat()
        if lstat(path, &status) == 0 { socketFiles.append((path, UInt64(status.st_ino))) }
        return listen(descriptor: descriptor)
    }

    /// Listens on a socket that is bound already, such as one that systemd passed. The descriptor is the server's from
    /// now on.
    package func listen(descriptor: CInt) -> EventLoopFuture<Void> {
        eventLoop.preconditionInEventLoop()
        let server = NIOLoopBound(self, eventLoop: eventLoop)
        return ServerBootstrap(group: eventLoop)
            .serverChannelOption(.backlog, value: VarlinkServer.backlog)
            // Whoever connects a thousand times a second has 0.15 ms of the loop each time: others have their turn between.
            .serverChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.writeBufferWaterMark, value: waterMark)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try server.value.admit(channel) }
            }
            .withBoundSocket(descriptor)
            .map { server.value.listeners.append($0) }
    }

    /// Serves a socket that is connected already, such as one end of a socket pair. The descriptor is the server's
    /// from now on.
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

    /// Stops listening, removes the socket files that were made here, and closes every connection, whatever of its
    /// answers is missing.
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

    /// Takes a connection in, or tells it which limit it went past and closes it.
    private func admit(_ channel: any Channel) throws {
        guard !isClosed else { throw ChannelError.ioOnClosedChannel }
        let peer = try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) {
            try PeerCredentials(ofPeer: $0)
        }
        guard let peer else { throw ChannelError.operationUnsupported }
        try admit(channel, from: peer)
    }

    /// The same, of one who is known.
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

    /// A connection has had its turn, and more to say. It goes on after those that wait already.
    func waitForTurn(_ handler: VarlinkServerHandler) {
        yielding.append(handler)
        if yielding.count == 1 { scheduleTurn() }
    }

    /// The event loop does all that is due, and what comes of that, before it looks at its descriptors again: a task would let
    /// nobody in. Only what is due later does.
    private func scheduleTurn() {
        let server = NIOLoopBound(self, eventLoop: eventLoop)
        turnIsDue = eventLoop.now + turnPause
        eventLoop.scheduleTask(deadline: turnIsDue) { server.value.takeTurn() }
    }

    private func takeTurn() {
        // Where other tasks take longer than the pause, it is over before the loop has looked: they and turns would go on in turn,
        // and nobody else.
        let late = eventLoop.now - turnIsDue
        turnPause = late * 2 > limits.turnPause ? min(turnPause * 2, limits.longestTurnPause) : limits.turnPause
        // One that has more to say comes last, and makes no second one be scheduled.
        yielding[yielding.startIndex].goOn()
        yielding.removeFirst()
        if !yielding.isEmpty { scheduleTurn() }
    }

    // MARK: What connections keep

    /// A connection keeps more memory than before, or less.
    func noteBytes(ofRequests requests: Int, ofReplies replies: Int) {
        requestBytes += requests
        replyBytes += replies
        guard !isRelieving else { return }
        isRelieving = true
        while requestBytes > limits.requestBytesInAll, let handler = greatest(\.requestBytes) {
            handler.refuse(limits.error("requestBytesInAll", limits.requestBytesInAll))
        }
        // Nothing more can be told to one that takes nothing.
        while replyBytes > limits.replyBytesInAll, let handler = greatest(\.replyBytes) { handler.close() }
        isRelieving = false
    }

    /// Of the user who keeps most, the connection that does. Complexity: O(connections), when a limit was passed.
    private func greatest(_ bytes: (VarlinkServerHandler) -> Int) -> VarlinkServerHandler? {
        var users: [UInt32: Int] = [:]
        for (handler, _) in connections.values { users[handler.peer.userID, default: 0] += bytes(handler) }
        guard let user = users.max(by: { $0.value < $1.value })?.key else { return nil }
        let handler = connections.values.lazy.map(\.handler).filter { $0.peer.userID == user }
            .max { bytes($0) < bytes($1) }
        return handler.flatMap { bytes($0) > 0 ? $0 : nil }
    }

    /// A connection began or ceased to wait for the rest of a request.
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
        // Those that end soon after one another end together: they are few, and late by a tenth at most.
        wait(for: max(next - latest, .nanoseconds(limits.requestTime.nanoseconds / 10)))
    }
}

/// Tells a connection beyond a limit so, as the answer to the call that it is going to make, and closes it.
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
