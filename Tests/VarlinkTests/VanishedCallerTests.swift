// Calls whose caller did not stay to see them done, on connections without a socket.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOEmbedded
import Testing

@testable import Varlink

@Suite struct VanishedCallerTests {
    private let loop = EmbeddedEventLoop()
    private let handler = TestHandler()

    private func server(limits: VarlinkLimits = VarlinkLimits()) throws -> VarlinkServer {
        try VarlinkServer(on: loop, handler, limits: limits)
    }

    /// Somebody connects, sends so many notes at once, and is gone before the loop has another turn.
    private func vanish(from server: VarlinkServer, after notes: Int, _ text: String = "x") throws {
        let channel = try server.connect(on: loop)
        let note = "{\"method\":\"org.example.test.Note\",\"parameters\":{\"text\":\"\(text)\"},\"oneway\":true}\0"
        try channel.writeInbound(ByteBuffer(string: String(repeating: note, count: notes)))
        channel.close(promise: nil)
    }

    @Test func pipelinedCallsOfAVanishedCallerLetOthersIn() throws {
        let server = try server()
        try vanish(from: server, after: 1_000)
        #expect(handler.notes.count == VarlinkLimits.callsPerTurn)
        #expect(server.connectionCount == 1, "what waits to be heard is kept, and counts")
        try vanish(from: server, after: 1, "other")
        #expect(handler.notes.last == "other")
        loop.advanceTime(by: .seconds(1))
        #expect(handler.notes.count == 1_001)
        #expect(server.connectionCount == 0)
        #expect(server.connectionCount(of: 1) == 0)
    }

    /// Between two turns of what one said, everybody else has one.
    @Test func turnsAreTaken() throws {
        let server = try server()
        for text in ["a", "b"] { try vanish(from: server, after: 100, text) }
        loop.advanceTime(by: .seconds(1))
        #expect(handler.notes.count == 200)
        let turn = VarlinkLimits.callsPerTurn
        let expected = ["a", "b"].flatMap { Array(repeating: $0, count: turn) }
        #expect(Array(handler.notes[..<(2 * turn)]) == expected)
        #expect(Array(handler.notes[(2 * turn)..<(4 * turn)]) == expected)
    }

    @Test func waitingCallsOfVanishedCallersAreBounded() throws {
        var limits = VarlinkLimits()
        limits.requestBytesInAll = 100_000
        let server = try server(limits: limits)
        // Each has 80,000 bytes, and the second is too much.
        for text in ["a", "b"] { try vanish(from: server, after: 1_000, text) }
        loop.advanceTime(by: .seconds(1))
        #expect(handler.notes.count < 1_000 + 2 * VarlinkLimits.callsPerTurn)
        #expect(server.connectionCount == 0)
    }

    /// A caller that waits for an answer is gone with it.
    @Test func onlyWhatHasNoAnswerIsDone() throws {
        let server = try server()
        let channel = try server.connect(on: loop)
        let note = "{\"method\":\"org.example.test.Note\",\"parameters\":{\"text\":\"x\"},\"oneway\":true}\0"
        let calls = String(repeating: note, count: VarlinkLimits.callsPerTurn)
        try channel.writeInbound(ByteBuffer(string: calls + "{\"method\":\"org.example.test.Wait\"}\0" + calls))
        channel.close(promise: nil)
        loop.advanceTime(by: .seconds(1))
        #expect(handler.notes.count == 2 * VarlinkLimits.callsPerTurn)
        #expect(handler.waiting.isEmpty)
    }

    @Test func nothingIsHeardOnceTheServerHasClosed() throws {
        let server = try server()
        try vanish(from: server, after: 1_000)
        _ = server.close()
        loop.advanceTime(by: .seconds(1))
        #expect(handler.notes.count == VarlinkLimits.callsPerTurn)
        #expect(server.connectionCount == 0)
    }
}
