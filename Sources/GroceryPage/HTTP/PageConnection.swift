// One connection: its requests, limits of size and time, and answers.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOHTTP1

/// One connection of a browser. It receives a request, passes it on, and writes the answer. The handler before it holds
/// back further requests until then.
final class PageConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    enum State {
        /// For the header of a request.
        case waiting
        /// For the rest of a body of so many bytes at most.
        case receiving(PageRequest, limit: Int)
        case answering(HTTPRequestHead)
        /// The number of the subscriber.
        case streaming(Int)
        /// An answer went out before the request was complete. Further bytes of the client are dropped.
        case lingering
        case closed
    }

    let router: PageRouter
    let limits: PageLimits
    private let table: ConnectionTable
    private let bodies: BodyBudget
    private let problems: ConnectionProblems
    private var number: Int?
    /// Whether a request on this connection had the secret.
    private var isAuthenticated = false
    private var isEnding = false
    private var deadline: Scheduled<Void>?

    var state = State.waiting
    var context: ChannelHandlerContext?
    /// The number of the last event that the client got. Older ones are left out.
    var lastEvent: UInt64 = 0
    /// Whether the client has missed events.
    var isBehind = false

    init(
        router: PageRouter, limits: PageLimits, table: ConnectionTable, bodies: BodyBudget, problems: ConnectionProblems
    ) {
        self.router = router
        self.limits = limits
        self.table = table
        self.bodies = bodies
        self.problems = problems
    }

    // MARK: The channel

    func channelActive(context: ChannelHandlerContext) {
        self.context = context
        let connection = NIOLoopBound(self, eventLoop: context.eventLoop)
        let loop = context.eventLoop
        number = table.add { ending in loop.execute { connection.value.end(ending) } }
        guard number != nil else { return close() }
        expect(within: limits.idleTime)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        close()
        self.context = nil
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch (unwrapInboundIn(data), state) {
        case (.head(let head), .waiting): receive(head)
        case (.body(var part), .receiving(var request, let limit)):
            guard request.body.readableBytes + part.readableBytes <= limit else {
                return refuse(tooLarge(limit), request.head)
            }
            guard request.share.take(part.readableBytes) else { return refuse(.tooManyBodies, request.head) }
            // The state must not share the bytes while they grow.
            state = .lingering
            request.body.writeBuffer(&part)
            state = .receiving(request, limit: limit)
        case (.end, .receiving(let request, _)): answer(request)
        default: break
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard case .waiting = state, let error = error as? HTTPParserError else {
            problems.add(error)
            return close()
        }
        let refusal =
            error == .headerOverflow
            ? PageError(.requestHeaderFieldsTooLarge, "headerTooLarge", "the header of the request is too large")
            : PageError(.badRequest, "badRequest", "the request is not valid HTTP")
        refuse(refusal, nil)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if case .streaming = state { streamMayWrite(context.channel.isWritable) }
        context.fireChannelWritabilityChanged()
    }

    // MARK: Requests

    private func receive(_ head: HTTPRequestHead) {
        guard authenticate(head) else {
            problems.add(tooManyConnections: limits.connections)
            return refuse(.tooManyConnections, head)
        }
        guard head.uri.utf8.count <= limits.requestTargetBytes else {
            return refuse(PageError(.uriTooLong, "addressTooLong", "the address is too long"), head)
        }
        guard let request = PageRequest(head, share: BodyBudget.Share(of: bodies)) else {
            return refuse(PageError(.badRequest, "badRequest", "the address is not valid"), head)
        }
        // A request that is refused by its header is answered before its body.
        if let error = router.refusal(of: request) { return refuse(error, head) }
        let limit = router.bodyLimit(of: request)
        if let text = head.headers.first(name: "content-length"), let length = Int(text), length > limit {
            return refuse(tooLarge(limit), head)
        }
        state = .receiving(request, limit: limit)
        expect(within: limits.bodyTime)
        // HTTP/1.0 has no interim answers (RFC 9110, section 10.1.1).
        if head.version == .http1_1, head.headers.first(name: "expect")?.lowercased() == "100-continue" {
            write(.head(HTTPResponseHead(version: .http1_1, status: .continue)))
            context?.flush()
        }
    }

    /// Notes whether a request has the secret. Returns false if there are too many connections that had it.
    private func authenticate(_ head: HTTPRequestHead) -> Bool {
        guard !isAuthenticated, router.access.isAuthorized(head) else { return true }
        return authenticate()
    }

    private func authenticate() -> Bool {
        isAuthenticated = number.map { table.authenticate($0) } ?? false
        return isAuthenticated
    }

    private func tooLarge(_ limit: Int) -> PageError {
        PageError(.payloadTooLarge, "tooLarge", "the body has \(limit) bytes at most")
    }

    private func answer(_ request: PageRequest) {
        guard let loop = context?.eventLoop else { return }
        state = .answering(request.head)
        expect(within: limits.answerTime)
        let connection = NIOLoopBound(self, eventLoop: loop)
        // A change goes on if the client leaves: the page repeats it with the same identifier.
        Task { [router] in
            let response = await router.answer(request)
            // Its body is counted until here.
            withExtendedLifetime(request) {}
            loop.execute { connection.value.write(response) }
        }
    }

    // MARK: Answers

    private func write(_ response: PageResponse) {
        guard case .answering(let head) = state, let context else { return }
        if response.isEventStream { return startStream(response, version: head.version) }
        // Without room it keeps the place that it has.
        if response.opensList, !isAuthenticated { _ = authenticate() }
        let closes = isEnding || !head.isKeepAlive
        writeAll(response, withBody: head.method != .HEAD, closes: closes)
        // The limit for the next request begins when the client has the answer.
        let connection = NIOLoopBound(self, eventLoop: context.eventLoop)
        // The next request may be read while this writes.
        state = closes ? .closed : .waiting
        expect(within: limits.answerTime)
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { result in
            if closes { connection.value.close() } else { connection.value.answerWasSent(result) }
        }
    }

    private func answerWasSent(_ result: Result<Void, any Error>) {
        guard case .waiting = state else { return }
        guard case .failure(let error) = result else { return expect(within: limits.idleTime) }
        problems.add(error)
        close()
    }

    func writeAll(
        _ response: PageResponse, withBody: Bool, closes: Bool, version: HTTPVersion = .http1_1
    ) {
        var head = HTTPResponseHead(version: version, status: response.status, headers: response.headers)
        for (name, value) in PageResponse.commonHeaders { head.headers.add(name: name, value: value) }
        if !response.isEventStream, response.status != .notModified, response.status != .noContent {
            head.headers.replaceOrAdd(name: "Content-Length", value: "\(response.body.readableBytes)")
        }
        if closes { head.headers.replaceOrAdd(name: "Connection", value: "close") }
        write(.head(head))
        if withBody, response.body.readableBytes > 0 { write(.body(.byteBuffer(response.body))) }
    }

    private func write(_ part: HTTPServerResponsePart) { context?.write(wrapOutboundOut(part), promise: nil) }

    /// Answers a request that is not received to its end, and closes the connection. Closing at once would make the kernel drop
    /// the answer, if the client still sends (RFC 9112, section 9.6).
    private func refuse(_ error: PageError, _ head: HTTPRequestHead?) {
        guard let context else { return }
        state = .lingering
        writeAll(PageResponse(error), withBody: head?.method != .HEAD, closes: true)
        let connection = NIOLoopBound(self, eventLoop: context.eventLoop)
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in connection.value.closeOutput() }
        expect(within: limits.lingerTime)
    }

    private func closeOutput() { context?.channel.close(mode: .output, promise: nil) }

    // MARK: The end

    /// Closes the connection, or lets it close after the current request.
    private func end(_ ending: ConnectionTable.Ending) {
        switch ending {
        case .now: close()
        case .replaced:
            problems.add(tooManyUnauthenticated: limits.unauthenticatedConnections)
            close()
        case .afterRequest:
            isEnding = true
            switch state {
            case .receiving, .answering: break
            case .waiting, .streaming, .lingering, .closed: close()
            }
        }
    }

    /// Closes the connection when the time is over.
    func expect(within time: TimeAmount) {
        deadline?.cancel()
        deadline = context?.eventLoop.assumeIsolated().scheduleTask(in: time) { [weak self] in self?.timeIsOver() }
    }

    /// Drops the time limit, such as for an event stream.
    func expectNothing() {
        deadline?.cancel()
        deadline = nil
    }

    private func timeIsOver() {
        guard case .receiving(let request, _) = state else { return close() }
        refuse(PageError(.requestTimeout, "tooSlow", "the request did not arrive in time"), request.head)
    }

    func close() {
        expectNothing()
        if case .streaming(let subscriber) = state { router.events.remove(subscriber) }
        state = .closed
        if let number { table.remove(number) }
        number = nil
        context?.close(promise: nil)
    }
}
