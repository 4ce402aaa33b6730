// A client's connection on its event loop: delivers replies to the waiting calls.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// The last handler of a client connection's channel, which does not read by itself. Loop only.
final class VarlinkClientHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = Never
    typealias OutboundOut = ByteBuffer

    /// The receiver of the replies to a call.
    enum Receiver {
        case single(CheckedContinuation<Result<JSONBytes, VarlinkClientError>, Never>)
        case stream(VarlinkReplyBuffer)
        case none(EventLoopPromise<Void>)
    }

    private var connection = VarlinkClientConnection(maximumMessageBytes: VarlinkLimits.replyBytes)
    private var receivers: [UInt64: Receiver] = [:]
    /// Set while the handler is in the pipeline of a channel that is not closed.
    private var context: ChannelHandlerContext?
    /// Why the connection has ended, for the calls that have no answer.
    private var failure: VarlinkClientError?
    private var isPaused = false
    /// Whether there was a call. Bytes that come before are kept: a program in place of the service may answer, and end, before
    /// the call is written.
    private var hasCalled = false
    /// Tells whether the service still lives; nil if it is given all the time.
    private let life: VarlinkLife?
    /// The last moment at which the service was known to live, while an answer is wanted.
    private var lived = NIODeadline.now()
    /// The next look at the silence.
    private var look: Scheduled<Void>?

    /// The channel of the socket for calls, if it is another one. Its end is no end of the connection: the replies tell more.
    private let calls: (any Channel)?

    init(life: VarlinkLife? = nil, calls: (any Channel)? = nil) {
        self.life = life
        self.calls = calls
    }

    // MARK: From the client

    func send(_ message: VarlinkCallMessage, _ receiver: Receiver) {
        let isFirst = !hasCalled
        hasCalled = true
        guard let context, failure == nil else {
            if isFirst, !message.oneway {
                receivers[connection.send(message).number] = receiver
                failAll(read() ?? failure ?? .closed)
            } else {
                fail(receiver, failure ?? .closed)
            }
            return
        }
        let (frame, number) = connection.send(message)
        if case .none(let written) = receiver {
            write(frame, context, written)
        } else {
            if receivers.isEmpty { lived = .now() }
            receivers[number] = receiver
            lookLater()
            write(frame, context, nil)
            if isFirst, let failure = read() { close(because: failure) }
        }
    }

    private func write(_ frame: ByteBuffer, _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
        if let calls {
            calls.writeAndFlush(frame, promise: promise)
        } else {
            context.writeAndFlush(wrapOutboundOut(frame), promise: promise)
        }
    }

    private func close(because failure: VarlinkClientError) {
        if self.failure == nil { self.failure = failure }
        context?.close(promise: nil)
    }

    func resumeReading() {
        guard isPaused else { return }
        isPaused = false
        lived = .now()
        context?.read()
    }

    // MARK: From the channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        if context.channel.isActive { context.read() }
    }

    func channelActive(context: ChannelHandlerContext) {
        context.read()
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        lived = .now()
        connection.receive(unwrapInboundIn(data))
        if hasCalled, let failure = read() { close(because: failure) }
    }

    /// Delivers the replies that have come in full. Returns the violation that ends the connection.
    private func read() -> VarlinkClientError? {
        do throws(VarlinkClientConnection.Violation) {
            while let reply = try connection.next() { deliver(reply) }
            return nil
        } catch {
            return VarlinkClientError(error)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if !isPaused { context.read() }
        context.fireChannelReadComplete()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        close(because: VarlinkClientError(channelError: error, during: .read))
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    // MARK: Silence

    /// Looks at the silence when it has lasted long enough, if any answer is wanted.
    private func lookLater() {
        guard let life, let context, look == nil, !receivers.isEmpty else { return }
        look = context.eventLoop.assumeIsolated().scheduleTask(deadline: lived + TimeAmount(life.silence)) {
            self.lookNow(life)
        }
    }

    private func lookNow(_ life: VarlinkLife) {
        look = nil
        guard let context, !receivers.isEmpty else { return }
        // The service may wait itself for a reader here.
        if isPaused { lived = .now() }
        guard lived + TimeAmount(life.silence) <= .now() else { return lookLater() }
        let loop = context.eventLoop
        let handler = NIOLoopBound(self, eventLoop: loop)
        let asked = lived
        Task {
            let isAnswering = await life.probe(on: loop)
            loop.execute { handler.value.learn(isAnswering, since: asked) }
        }
    }

    /// Takes the result of a look. Anything that has come in the meantime says more.
    private func learn(_ isAnswering: Bool, since asked: NIODeadline) {
        guard isAnswering || lived != asked else {
            return close(because: connection.violationAtEnd.map { .violation($0) } ?? .silent)
        }
        lived = max(lived, .now())
        lookLater()
    }

    // MARK: To those who wait

    private func deliver(_ reply: VarlinkClientConnection.Reply) {
        let message = reply.message
        let error = message.error.map { VarlinkClientError.error(VarlinkError($0, parameters: message.parameters)) }
        let isLast = !message.continues || error != nil
        guard let receiver = isLast ? receivers.removeValue(forKey: reply.call) : receivers[reply.call] else { return }
        switch receiver {
        case .single(let continuation):
            continuation.resume(returning: error.map { .failure($0) } ?? .success(message.parameters))
        case .stream(let buffer):
            if error == nil { buffer.yield(message.parameters) }
            if isLast { buffer.finish(error) } else if buffer.isPaused { isPaused = true }
        case .none: break
        }
    }

    private func end() {
        guard context != nil else { return }
        context = nil
        look?.cancel()
        look = nil
        calls?.close(promise: nil)
        let failure = failure ?? connection.violationAtEnd.map { .violation($0) } ?? .closed
        self.failure = failure
        failAll(failure)
    }

    private func failAll(_ failure: VarlinkClientError) {
        for receiver in receivers.values { fail(receiver, failure) }
        receivers.removeAll()
    }

    private func fail(_ receiver: Receiver, _ failure: VarlinkClientError) {
        switch receiver {
        case .single(let continuation): continuation.resume(returning: .failure(failure))
        case .stream(let buffer): buffer.finish(failure)
        case .none(let promise): promise.fail(failure)
        }
    }
}
