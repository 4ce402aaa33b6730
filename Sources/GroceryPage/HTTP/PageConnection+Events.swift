// A connection that carries the events of the list.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOHTTP1

extension PageConnection {
    /// Starts the stream. The first event is the whole list, so a client that comes back needs no memory of the server.
    func startStream(_ response: PageResponse, version: HTTPVersion) {
        guard let context else { return }
        let loop = context.eventLoop
        let connection = NIOLoopBound(self, eventLoop: loop)
        let subscriber = router.events.add { event in loop.execute { connection.value.deliver(event) } }
        guard let subscriber else {
            let error = PageError(.serviceUnavailable, "tooManyStreams", "too many pages are open; close one of them")
            state = .lingering
            writeAll(PageResponse(error), withBody: true, closes: true)
            context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in connection.value.close() }
            return
        }
        // A client of HTTP/1.0 cannot read chunks (RFC 9112, section 6.1). Its body ends with the connection. The encoder of NIO sends
        // chunks for HTTP/1.1 only.
        let isOld = version != .http1_1
        writeAll(response, withBody: false, closes: isOld, version: isOld ? .http1_0 : .http1_1)
        context.flush()
        expectNothing()
        state = .streaming(subscriber)
    }

    /// Writes an event, unless the client has not read the earlier ones. Then it gets the whole list as soon as it has.
    func deliver(_ event: PageEvent) {
        guard case .streaming = state, let context, event.number > lastEvent || event.isHeartbeat else { return }
        guard context.channel.isWritable else {
            if !event.isHeartbeat { isBehind = true }
            return
        }
        if !event.isHeartbeat { lastEvent = event.number }
        context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(event.bytes))), promise: nil)
    }

    func streamMayWrite(_ mayWrite: Bool) {
        guard mayWrite else { return expect(within: limits.stallTime) }
        expectNothing()
        guard isBehind else { return }
        isBehind = false
        if let event = router.events.whole() { deliver(event) }
    }
}
