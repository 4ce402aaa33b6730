// The client's side of a connection in every order.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Testing

@testable import Varlink

private func client() -> VarlinkClientConnection { VarlinkClientConnection(maximumMessageBytes: 1000) }

@Suite struct VarlinkClientConnectionTests {
    @Test func writesCalls() {
        var client = client()
        func frame(_ message: VarlinkCallMessage) -> String { String(buffer: client.send(message).frame) }
        #expect(frame(.init(method: "a.B")) == "{\"method\":\"a.B\",\"parameters\":{}}\0")
        #expect(
            frame(.init(method: "a.\"B", parameters: JSONBytes("{\"x\":1}"), more: true))
                == "{\"method\":\"a.\\\"B\",\"parameters\":{\"x\":1},\"more\":true}\0")
        #expect(frame(.init(method: "a.B", oneway: true)) == "{\"method\":\"a.B\",\"parameters\":{},\"oneway\":true}\0")
    }

    @Test func repliesBelongToCallsInOrder() throws {
        var client = client()
        let first = client.send(.init(method: "a.A")).number
        _ = client.send(.init(method: "a.B", oneway: true))
        let third = client.send(.init(method: "a.C", more: true)).number
        let fourth = client.send(.init(method: "a.D")).number
        let stream =
            "{\"parameters\":{\"x\":1}}\0{\"continues\":true,\"parameters\":{}}\0{\"parameters\":null}\0"
            + "{\"error\":\"a.E\",\"parameters\":{\"y\":2},\"com.example.more\":0}\0"
        let bytes = Array(stream.utf8)
        for index in 0...bytes.count {
            var copy = client
            var replies: [VarlinkClientConnection.Reply] = []
            for piece in [bytes[..<index], bytes[index...]] {
                copy.receive(ByteBuffer(bytes: piece))
                while let reply = try copy.next() { replies.append(reply) }
            }
            #expect(
                replies == [
                    .init(call: first, message: .init(parameters: JSONBytes("{\"x\":1}"))),
                    .init(call: third, message: .init(parameters: .emptyObject, continues: true)),
                    .init(call: third, message: .init(parameters: .emptyObject)),
                    .init(call: fourth, message: .init(parameters: JSONBytes("{\"y\":2}"), error: "a.E")),
                ])
            #expect(!copy.isAwaitingReply)
        }
    }

    @Test func manyCallsAhead() throws {
        var client = client()
        for round in 0..<3 as Range<UInt64> {
            for number in 0..<1000 as Range<UInt64> {
                #expect(client.send(.init(method: "a.A")).number == round * 1000 + number)
            }
            for number in 0..<1000 as Range<UInt64> {
                client.receive(ByteBuffer(string: "{}\0"))
                #expect(try client.next()?.call == round * 1000 + number)
            }
            #expect(!client.isAwaitingReply)
        }
    }

    @Test func anErrorEndsAStream() throws {
        var client = client()
        _ = client.send(.init(method: "a.A", more: true))
        client.receive(ByteBuffer(string: "{\"error\":\"a.E\",\"continues\":true}\0"))
        #expect(try client.next()?.message.error == "a.E")
        #expect(!client.isAwaitingReply)
    }

    @Test func noticesViolations() {
        func violation(_ text: String, calls: Int = 1) -> VarlinkClientConnection.Violation? {
            var client = client()
            for _ in 0..<calls { _ = client.send(.init(method: "a.A")) }
            client.receive(ByteBuffer(string: text))
            do throws(VarlinkClientConnection.Violation) {
                while try client.next() != nil {}
                return nil
            } catch {
                #expect(throws: Never.self, "only once") { try client.next() }
                return error
            }
        }
        #expect(violation("nonsense\0") == .foreign("nonsense"))
        #expect(violation("[]\0") == .foreign("[]"))
        #expect(violation(" \nWelcome to\nattic") == .foreign("Welcome to"))
        #expect(violation(String(repeating: "x", count: 80)) == .foreign(String(repeating: "x", count: 80)))
        #expect(violation("Welcome") == nil)
        #expect(violation("{\"upgraded\":true}\0") == .malformed(JSONError(.unknownField("upgraded"), at: 12)))
        #expect(
            violation("{\"parameters\":1}\0")
                == .malformed(JSONError(.typeMismatch(expected: .object, found: .number), at: 14)))
        #expect(violation("{\"continues\":true}\0") == .unexpectedContinues)
        for rest in ["{}\0", "{", "x", "\0"] { #expect(violation("{}\0" + rest) == .unexpectedReply(nil)) }
        #expect(violation("{}\0 \n") == nil)
        #expect(violation("{\"error\":\"a.Full\"}\0", calls: 0) == .unexpectedReply(VarlinkError("a.Full")))
        #expect(violation(String(repeating: "{", count: 1001)) == .tooLong(limit: 1000))
        #expect(violation(String(repeating: " ", count: 1001)) == nil)
    }

    @Test func bytesAtTheEndThatBeginNoMessageAreAViolation() {
        func violation(_ text: String) -> VarlinkClientConnection.Violation? {
            var client = client()
            _ = client.send(.init(method: "a.A"))
            client.receive(ByteBuffer(string: text))
            #expect(throws: Never.self) { try client.next() }
            return client.violationAtEnd
        }
        #expect(violation("Welcome") == .foreign("Welcome"))
        for text in ["", " \n", "{", "{\"parameters\":{}}"] { #expect(violation(text) == nil) }
    }

    @Test func whiteSpaceBetweenMessagesIsASignOfLifeAndTakesNoMemory() throws {
        var framer = MessageFramer(maximumMessageBytes: 10)
        for _ in 0..<100 {
            framer.receive(ByteBuffer(string: "\n\n"))
            #expect(try framer.next() == nil)
            #expect(framer.pendingBytes == 0)
        }
        framer.receive(ByteBuffer(string: "\n{"))
        #expect(try framer.next() == nil)
        framer.receive(ByteBuffer(string: "}\0\n"))
        #expect(try framer.next() == ByteBuffer(string: "{}"))
        #expect(try framer.next() == nil)
    }
}
