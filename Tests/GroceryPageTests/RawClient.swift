// A connection that sends bytes as a test wants them.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import NIOCore
import NIOPosix

/// A TCP connection to the server under test.
struct RawClient {
    /// An answer, or a part of one.
    struct Answer {
        var text: String
        var status: Int { Int(text.split(separator: " ").dropFirst().first ?? "") ?? 0 }
        var body: String {
            guard let end = text.firstRange(of: "\r\n\r\n") else { return "" }
            return String(text[end.upperBound...])
        }
        func field(_ name: String) -> String? {
            for line in text.split(separator: "\r\n", omittingEmptySubsequences: false) {
                if line.isEmpty { return nil }
                let sides = line.split(separator: ":", maxSplits: 1)
                if sides.count == 2, sides[0].lowercased() == name { return String(sides[1].drop { $0 == " " }) }
            }
            return nil
        }
    }

    /// Sends bytes, and returns all that comes until the server closes the connection or `isEnough`.
    static func exchange(
        _ port: Int, _ bytes: String, isEnough: @escaping @Sendable (String) -> Bool = { _ in false }
    ) async throws -> Answer {
        try await exchange(port, Array(bytes.utf8), isEnough: isEnough)
    }

    static func exchange(
        _ port: Int, _ bytes: [UInt8], isEnough: @escaping @Sendable (String) -> Bool = { _ in false }
    ) async throws -> Answer {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            // The server may close before it has read all.
            try? await outbound.write(ByteBuffer(bytes: bytes))
            var received: [UInt8] = []
            do {
                for try await part in inbound {
                    received += part.readableBytesView
                    if isEnough(String(decoding: received, as: UTF8.self)) { break }
                }
            } catch let error as IOError where error.errnoCode == 104 {
                // ECONNRESET: the server has closed the connection before it has read all.
            }
            return Answer(text: String(decoding: received, as: UTF8.self))
        }
    }

    /// Sends bytes, and resets the connection.
    static func reset(_ port: Int, _ bytes: String) async throws {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port).get()
        guard let options = channel as? any SocketOptionProvider else { throw ChannelError.operationUnsupported }
        try await options.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
        try await channel.writeAndFlush(ByteBuffer(string: bytes))
        try await channel.close()
    }
}
