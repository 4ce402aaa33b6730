// A connection that a test keeps open.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix
import TestSupport

/// A connection that sends bytes now and then, or none.
final class HeldConnection: Sendable {
    private let channel: any Channel
    private let parts: AsyncStream<String>

    private init(channel: any Channel, parts: AsyncStream<String>) {
        self.channel = channel
        self.parts = parts
    }

    static func open(_ port: Int, _ bytes: String = "") async throws -> HeldConnection {
        let (parts, continuation) = AsyncStream.makeStream(of: String.self)
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Handler(continuation))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        let connection = HeldConnection(channel: channel, parts: parts)
        if !bytes.isEmpty { await connection.send(bytes) }
        return connection
    }

    /// Sends bytes, unless the server has closed the connection.
    func send(_ bytes: String) async { try? await channel.writeAndFlush(ByteBuffer(string: bytes)) }

    /// Returns what has come until `text` is in it, or all if the server closes the connection before.
    func received(until text: String) async -> RawClient.Answer {
        await Patience.await("'\(text)' from the server") {
            var all = ""
            for await part in parts {
                all += part
                if all.contains(text) { break }
            }
            return RawClient.Answer(text: all)
        } giveUp: {
            self.channel.close(promise: nil)
        }
    }

    /// Returns when the server has closed the connection.
    func closed() async {
        await Patience.await("the end of a connection") {
            for await _ in parts {}
        } giveUp: {
            self.channel.close(promise: nil)
        }
    }

    func close() async { try? await channel.close() }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let continuation: AsyncStream<String>.Continuation

        init(_ continuation: AsyncStream<String>.Continuation) { self.continuation = continuation }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            continuation.yield(String(buffer: unwrapInboundIn(data)))
        }

        func channelInactive(context: ChannelHandlerContext) { continuation.finish() }
        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
