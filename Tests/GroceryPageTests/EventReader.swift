// A reader of server-sent events.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix

/// A connection that reads events, and that can stop reading.
final class EventReader: Sendable {
    private let channel: any Channel
    private let events: AsyncStream<String>

    private init(channel: any Channel, events: AsyncStream<String>) {
        self.channel = channel
        self.events = events
    }

    static func open(_ port: Int, _ request: String, reads: Bool = true) async throws -> EventReader {
        let (events, continuation) = AsyncStream.makeStream(of: String.self)
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.autoRead, value: reads)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Handler(continuation))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        try await channel.writeAndFlush(ByteBuffer(string: request))
        return EventReader(channel: channel, events: events)
    }

    /// Returns the next event with its name and its data, or nil after the end. A machine with much to do is late, so that a
    /// heartbeat may come before any other event.
    func next(orBeat: Bool = false) async -> String? {
        for await event in events where orBeat || !event.hasPrefix("beat\n") { return event }
        return nil
    }

    func read() async throws { try await channel.setOption(.autoRead, value: true).get() }
    func close() async { try? await channel.close() }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let continuation: AsyncStream<String>.Continuation
        private var text = ""
        private var head = true

        init(_ continuation: AsyncStream<String>.Continuation) { self.continuation = continuation }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            text += String(buffer: unwrapInboundIn(data))
            // Chunks end with the event that they carry. Their lengths stand before `event:`.
            while let end = text.firstRange(of: "\n\n\r\n") {
                let part = text[..<end.lowerBound]
                if let start = part.firstRange(of: "event: ") { continuation.yield(String(part[start.upperBound...])) }
                text = String(text[end.upperBound...])
            }
        }

        func channelInactive(context: ChannelHandlerContext) { continuation.finish() }
        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
