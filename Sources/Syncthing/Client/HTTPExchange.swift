// One request over HTTP/1.1 and its answer, on the event loop.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOHTTP1

/// Sends one request when its channel is active and its other end was checked, and collects the answer.
final class HTTPExchange: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private let request: HTTPRequest
    private let key: String
    private let check: PeerCheck
    private var promise: EventLoopPromise<HTTPAnswer>?
    private var status = 0
    private var body = ByteBuffer()

    init(_ request: HTTPRequest, key: String, check: PeerCheck, promise: EventLoopPromise<HTTPAnswer>) {
        self.request = request
        self.key = key
        self.check = check
        self.promise = promise
    }

    private func finish(_ result: Result<HTTPAnswer, any Error>, _ context: ChannelHandlerContext) {
        promise.take()?.completeWith(result)
        context.close(promise: nil)
    }

    func channelActive(context: ChannelHandlerContext) {
        check.run(context.channel).assumeIsolated().whenComplete { result in
            // The connection may have ended meanwhile.
            guard self.promise != nil else { return }
            switch result {
            case .success: self.send(context)
            case .failure(let error): self.finish(.failure(error), context)
            }
        }
    }

    private func send(_ context: ChannelHandlerContext) {
        var head = HTTPRequestHead(version: .http1_1, method: request.method, uri: request.target)
        head.headers.add(name: "Host", value: "localhost")
        head.headers.add(name: "X-API-Key", value: key)
        head.headers.add(name: "Connection", value: "close")
        if let body = request.body {
            head.headers.add(name: "Content-Type", value: "application/json")
            head.headers.add(name: "Content-Length", value: String(body.readableBytes))
        } else if request.method != .GET {
            head.headers.add(name: "Content-Length", value: "0")
        }
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if let body = request.body { context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil) }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): status = Int(head.status.code)
        case .body(var part):
            guard promise != nil else { return }
            // The text of an error needs no more room than its message.
            if status >= 400, body.readableBytes >= SyncthingLimits.errorBytes { return }
            guard part.readableBytes <= request.maximumBytes - body.readableBytes else {
                finish(.failure(SyncthingError.tooLarge(request: request.name, limit: request.maximumBytes)), context)
                return
            }
            body.writeBuffer(&part)
        case .end: finish(.success(HTTPAnswer(status: status, body: body)), context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        finish(.failure(SyncthingError.closed(request: request.name)), context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        finish(.failure(SyncthingError.closed(request: request.name)), context)
    }
}
