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
    /// Whether `process` is on the stack: a reply from inside it must not start it again, nor flush for each call.
    private var isProcessing = false
    private var needsFlush = false
    private var inputHasEnded = false

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
        process()
    }

    /// Reads on only while that leads anywhere: a client that sends ahead without end waits in its own socket.
    func read(context: ChannelHandlerContext) {
        if connection.wantsInput { context.read() }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { call?.onWritable?() }
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
        self.context = nil
        server.connectionClosed(self)
        call.take()?.connectionClosed()
        context.fireChannelInactive()
    }

    /// Also how a channel ends that never became active.
    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        server.connectionClosed(self)
    }

    // MARK: From the call

    func reply(_ parameters: UnsafeRawBufferPointer, continues: Bool) {
        send(connection.reply(parameters, continues: continues))
    }

    func fail(_ error: VarlinkError) {
        send(connection.fail(error))
    }

    func close() { context?.close(promise: nil) }

    // MARK: Between them

    private func send(_ frame: ByteBuffer?) {
        guard let context, let frame else { return }
        let hadWantedInput = connection.wantsInput
        if !connection.isAnswering { call = nil }
        context.write(wrapOutboundOut(frame), promise: nil)
        needsFlush = true
        guard !isProcessing else { return }
        flush()
        guard !connection.isAnswering else { return }
        process()
        if hadWantedInput { context.read() }
    }

    /// Takes up calls until one waits for its answer or none is left. What they wrote goes out in one system call.
    private func process() {
        guard !isProcessing else { return }
        isProcessing = true
        while let context, let event = connection.next() {
            switch event {
            case .call(let message): take(message)
            case .refuse(let frame, _):
                if let frame { context.write(wrapOutboundOut(frame), promise: nil) }
                context.flush()
                context.close(promise: nil)
            }
        }
        isProcessing = false
        flush()
        closeIfDone()
    }

    private func take(_ message: VarlinkCallMessage) {
        switch server.service.route(message) {
        case .reply(let parameters): parameters.withUnsafeBytes { reply($0, continues: false) }
        case .fail(let error): fail(error)
        case .handler:
            let call = VarlinkCall(message, peer: peer, connection: self)
            if !message.oneway { self.call = call }
            server.handler.handle(call)
        }
    }

    private func flush() {
        guard needsFlush else { return }
        needsFlush = false
        context?.flush()
    }

    private func closeIfDone() {
        guard inputHasEnded, !isProcessing, !connection.isAnswering else { return }
        close()
    }
}
