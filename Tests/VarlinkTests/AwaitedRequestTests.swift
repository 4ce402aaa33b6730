// Requests count against their sender until they have a reply, on connections without a socket.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOEmbedded
import Testing

@testable import Varlink

@Suite struct AwaitedRequestTests {
    private let loop = EmbeddedEventLoop()
    private let handler = TestHandler()
    private let server: VarlinkServer

    init() throws {
        var limits = VarlinkLimits()
        limits.requestBytesInAll = 1_200_000
        limits.error = { limit, _ in VarlinkError("org.example.test.\(limit)") }
        server = try VarlinkServer(on: loop, handler, limits: limits)
    }

    /// Somebody connects and asks, with half a megabyte.
    private func ask(_ method: String, user: UInt32 = 1) throws -> EmbeddedChannel {
        let channel = try server.connect(on: loop, user: user)
        let parameters = "{\"padding\":\"\(String(repeating: "x", count: 500_000))\"}"
        let request = "{\"method\":\"org.example.test.\(method)\",\"parameters\":\(parameters)}\0"
        try channel.writeInbound(ByteBuffer(string: request))
        return channel
    }

    private func answer(_ channel: EmbeddedChannel) throws -> String? {
        try channel.readOutbound(as: ByteBuffer.self).map { String(buffer: $0) }
    }

    @Test func theCallerWithMostRequestsIsEnded() throws {
        let other = try ask("Wait", user: 2)
        let first = try [ask("Wait"), ask("Wait")]
        loop.run()
        #expect(handler.closed == 1)
        #expect(server.connectionCount == 2)
        let refused = try first.compactMap { try answer($0) }
        #expect(refused.count == 1 && refused[0].contains("requestBytesInAll"))
        #expect(try answer(other) == nil)
    }

    @Test func answeredRequestsCountNoMore() throws {
        for isFailure in [false, true, false, true] {
            let asking = try [ask("Wait"), ask("Wait")]
            for call in handler.waiting {
                if isFailure { call.fail(.permissionDenied) } else { call.reply(JSONBytes("{\"waited\":true}")) }
            }
            handler.waiting = []
            for channel in asking {
                #expect(try answer(channel)?.contains(isFailure ? "PermissionDenied" : "waited") == true)
            }
        }
        #expect(handler.closed == 0)
        #expect(server.connectionCount == 8)
    }

    @Test func requestsOfAVanishedCallerCountNoMore() throws {
        for _ in 0..<5 {
            for channel in try [ask("Wait"), ask("Wait")] { channel.close(promise: nil) }
        }
        #expect(handler.closed == 10)
        #expect(server.connectionCount == 0)
    }
}
