// One connection on the event loop: carries bytes between its channel and its state machine.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// The last handler of a server connection's channel. Loop only.
final class VarlinkServerHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = Never
    typealias OutboundOut = ByteBuffer

    let peer: PeerCredentials
    private let server: VarlinkServer
    private var connection: VarlinkServerConnection
    /// Set while the handler is in the pipeline of an active channel.
    private var context: ChannelHandlerContext?
    private var call: VarlinkCall?
    /// Whether `drive` is on the stack: what happens inside it is left to its next round, so that neither many replies
    /// nor a client that takes them as fast as they are written make it recurse.
    private var isDriving = false
    private var needsFlush = false
    private var hasBecomeWritable = false
    /// Whether the channel asked to read and was not let; it does not ask again by itself.
    private var isHeldBack = false
    private var inputHasEnded = false
    private var isClosing = false
    /// Whether others have their turn before more of what was sent ahead is taken up.
    private var isYielding = false
    /// Whether the server counts this connection no more.
    private var isCountedOut = false
    /// Since when the rest of a request has been awaited, and of which.
    private(set) var requestBegan: NIODeadline?
    private var awaitedMessage: Int?
    /// As much as the call was asked with that has had no reply yet: it is kept until then, in one form or another.
    private var awaitedBytes = 0
    /// Memory kept by what came and was not looked at or waits for an answer, and by what a caller does not take.
    private(set) var requestBytes = 0
    private(set) var replyBytes = 0

    init(server: VarlinkServer, peer: PeerCredentials) {
        self.server = server
        self.peer = peer
        let limits = server.limits
        connection = VarlinkServerConnection(
            maximumMessageBytes: limits.requestBytes,
            tooLong: limits.error("requestBytes", limits.requestBytes))
    }

    var isWritable: Bool { context?.channel.isWritable ?? false }

    // MARK: From the channel

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        connection.receive(unwrapInboundIn(data))
        drive()
    }

    /// Reads on only while that leads anywhere: a client that sends ahead without end waits in its own socket.
    func read(context: ChannelHandlerContext) {
        isHeldBack = !connection.wantsInput(takingCalls: takesCalls(context))
        if !isHeldBack { context.read() }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            hasBecomeWritable = true
            drive()
        }
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // The client has said all it will say; what it asked for is still answered.
        if case ChannelEvent.inputClosed? = event as? ChannelEvent {
            inputHasEnded = true
            closeIfDone()
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        leave()
        call.take()?.connectionClosed()
        context.fireChannelInactive()
    }

    /// Also how a channel ends that never became active.
    func handlerRemoved(context: ChannelHandlerContext) { leave() }

    /// The channel is gone. What its client said and waits for its turn is still to be heard, and counts until then.
    private func leave() {
        context = nil
        if isYielding { noteBytes() } else { countOut() }
    }

    private func countOut() {
        isCountedOut = true
        server.connectionClosed(self)
    }

    /// A client may say what it has to say and vanish: of what waits for its turn then, the calls without an answer count.
    private func hearTheRest() {
        var heard = 0
        while !server.isClosed, case .call(let message)? = connection.next() {
            if message.oneway { take(message) } else { connection.abandon() }
            heard += 1
            if heard == server.limits.callsPerTurn {
                noteBytes()
                return yield()
            }
        }
        countOut()
    }

    // MARK: From the call

    func reply(_ parameters: UnsafeRawBufferPointer, continues: Bool) {
        send(connection.reply(parameters, continues: continues))
    }

    func fail(_ error: VarlinkError) {
        send(connection.fail(error))
    }

    func close() { context?.close(promise: nil) }

    // MARK: From the server

    /// Ends the connection with an error, whatever it is doing.
    func refuse(_ error: VarlinkError) {
        awaitedBytes = 0
        closeAfter(writing: connection.refuse(error))
        noteBytes()
        noteAwaiting()
    }

    // MARK: Between them

    private func send(_ frame: ByteBuffer?) {
        awaitedBytes = 0
        guard let context, let frame else { return }
        if !connection.isAnswering { call = nil }
        context.write(wrapOutboundOut(frame), promise: nil)
        needsFlush = true
        drive()
    }

    /// Does what there is to do until nothing is: tells the call that it may go on, takes up calls until one waits for
    /// its answer or the client does not take the answers, and sends what was written in one system call.
    private func drive() {
        guard !isDriving else { return }
        isDriving = true
        var taken = 0
        repeat {
            if hasBecomeWritable {
                hasBecomeWritable = false
                call?.onWritable?()
            }
            while let context, takesCalls(context), let event = connection.next() {
                switch event {
                case .call(let message): take(message)
                case .refuse(let frame, _): closeAfter(writing: frame)
                }
                taken += 1
                if taken == server.limits.callsPerTurn { yield() }
            }
            if needsFlush {
                needsFlush = false
                context?.flush()
            }
        } while needsFlush || hasBecomeWritable
        isDriving = false
        noteBytes()
        noteAwaiting()
        if isHeldBack, let context, connection.wantsInput(takingCalls: takesCalls(context)) {
            isHeldBack = false
            context.read()
        }
        closeIfDone()
    }

    private func takesCalls(_ context: ChannelHandlerContext) -> Bool { context.channel.isWritable && !isYielding }

    /// Goes on with what was sent ahead after everybody else had a turn: one caller must not keep the loop for itself.
    private func yield() {
        isYielding = true
        server.waitForTurn(self)
    }

    /// It is this connection's turn again.
    func goOn() {
        isYielding = false
        if context == nil { hearTheRest() } else { drive() }
    }

    private func noteBytes() {
        let requests = connection.pendingCapacity + awaitedBytes
        var replies = 0
        // What a writable connection keeps is little.
        if let context, !context.channel.isWritable {
            let buffered = try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)
            replies = buffered ?? replyBytes
        }
        guard requests != requestBytes || replies != replyBytes else { return }
        let (more, moreReplies) = (requests - requestBytes, replies - replyBytes)
        requestBytes = requests
        replyBytes = replies
        if !isCountedOut { server.noteBytes(ofRequests: more, ofReplies: moreReplies) }
    }

    private func noteAwaiting() {
        var awaited: Int?
        if let context, takesCalls(context) { awaited = connection.awaitedMessage }
        guard awaited != awaitedMessage else { return }
        awaitedMessage = awaited
        requestBegan = awaited.map { _ in .now() }
        if context != nil { server.noteAwaiting(self) }
    }

    private func take(_ message: VarlinkCallMessage) {
        switch server.service.route(message) {
        case .reply(let parameters): parameters.withUnsafeBytes { reply($0, continues: false) }
        case .fail(let error): fail(error)
        case .handler:
            let call = VarlinkCall(message, peer: peer, connection: self)
            if !message.oneway {
                self.call = call
                awaitedBytes = message.parameters.count
            }
            server.handler.handle(call)
            call.releaseParameters()
        }
    }

    private func closeIfDone() {
        guard inputHasEnded, !isClosing, !isDriving, !connection.isAnswering, let context else { return }
        // What was sent ahead and waits until answers are taken is still to be answered.
        guard takesCalls(context) else { return }
        let buffered = try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)
        if buffered != 0 { return closeAfter(writing: nil) }
        // Nothing is to be taken first: of a thousand callers a second who come and go each costs an eighth less.
        isClosing = true
        context.close(promise: nil)
    }

    /// Closes once everything written has been taken: a close would throw it away.
    private func closeAfter(writing frame: ByteBuffer?) {
        guard let context else { return }
        guard !isClosing else { return }
        isClosing = true
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenComplete { _ in context.close(promise: nil) }
        context.writeAndFlush(wrapOutboundOut(frame ?? ByteBuffer()), promise: written)
    }
}
