// Connects the channel of one connection with its state machine.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// The last handler in the channel of a server connection. Event loop only.
final class VarlinkServerHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = Never
    typealias OutboundOut = ByteBuffer

    let peer: PeerCredentials
    private let server: VarlinkServer
    private var connection: VarlinkServerConnection
    /// The context while the handler is in the pipeline of an active channel.
    private var context: ChannelHandlerContext?
    private var call: VarlinkCall?
    /// Whether `drive` is on the stack. Events during it wait for its next round. Otherwise many replies, or a client
    /// that reads them at once, would cause recursion.
    private var isDriving = false
    private var needsFlush = false
    private var hasBecomeWritable = false
    /// Whether a read was withheld. The channel does not ask again.
    private var isHeldBack = false
    private var inputHasEnded = false
    private var isClosing = false
    /// Whether other connections have their turn before the next pipelined call.
    private var isYielding = false
    /// Whether the server no longer counts this connection.
    private var isCountedOut = false
    /// The time since which the rest of a request is awaited, and the number of that request.
    private(set) var requestBegan: NIODeadline?
    private var awaitedMessage: Int?
    /// The size of a call without a reply. Its memory is in use until then.
    private var awaitedBytes = 0
    /// The memory of unparsed and unanswered requests, and of unread replies.
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

    /// Reads only if the input can be processed. A client that sends more waits in its own socket.
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
        // The client sends no more calls. Earlier ones are still answered.
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

    /// Called also for a channel that never became active.
    func handlerRemoved(context: ChannelHandlerContext) { leave() }

    /// Handles the end of the channel. Calls that wait for their turn are still made, and count until then.
    private func leave() {
        context = nil
        if isYielding { noteBytes() } else { countOut() }
    }

    private func countOut() {
        isCountedOut = true
        server.connectionClosed(self)
    }

    /// Makes the calls of a client that has gone. Only oneway calls count, since the others would have no reader.
    private func receiveTheRest() {
        var received = 0
        while !server.isClosed, case .call(let message)? = connection.next() {
            if message.oneway { take(message) } else { connection.abandon() }
            received += 1
            if received == server.limits.callsPerTurn {
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

    /// Ends the connection with an error at any time.
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

    /// Works until nothing is left: resumes the present call, starts further calls until one waits for its answer or
    /// the client does not read, and sends all output with one system call.
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

    /// Continues after other connections had their turn, so that one caller does not occupy the loop.
    private func yield() {
        isYielding = true
        server.waitForTurn(self)
    }

    /// Continues with the next pipelined calls.
    func goOn() {
        isYielding = false
        if context == nil { receiveTheRest() } else { drive() }
    }

    private func noteBytes() {
        let requests = connection.pendingCapacity + awaitedBytes
        var replies = 0
        // The output of a writable connection is small.
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
        // Pipelined calls that wait until replies are read are still to be answered.
        guard takesCalls(context) else { return }
        let buffered = try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)
        if buffered != 0 { return closeAfter(writing: nil) }
        // Without unsent output, closing at once saves an eighth of the cost of a short connection.
        isClosing = true
        context.close(promise: nil)
    }

    /// Closes after the output is sent, since a close would drop it.
    private func closeAfter(writing frame: ByteBuffer?) {
        guard let context else { return }
        guard !isClosing else { return }
        isClosing = true
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenComplete { _ in context.close(promise: nil) }
        context.writeAndFlush(wrapOutboundOut(frame ?? ByteBuffer()), promise: written)
    }
}
