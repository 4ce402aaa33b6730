// The server's side of a connection in every order.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Testing
import Varlink

private struct Server {
    var connection = VarlinkServerConnection(maximumMessageBytes: 1000)

    /// Feeds bytes and returns the events: calls as "method parameters flags", refusals as "refused: frame".
    mutating func receive(_ text: String) -> [String] {
        connection.receive(ByteBuffer(string: text))
        return events()
    }

    mutating func events() -> [String] {
        var events: [String] = []
        while let event = connection.next() {
            switch event {
            case .call(let call):
                events.append(
                    "\(call.method) \(call.parameters.text)" + (call.more ? " more" : "")
                        + (call.oneway ? " oneway" : ""))
            case .refuse(let frame, _): events.append("refused: " + (frame.map { String(buffer: $0) } ?? "nothing"))
            }
        }
        return events
    }

    mutating func reply(_ text: String, continues: Bool = false) -> String? {
        Array(text.utf8).withUnsafeBytes { connection.reply($0, continues: continues) }.map { String(buffer: $0) }
    }
}

@Suite struct VarlinkServerConnectionTests {
    @Test func oneCallAfterTheOther() {
        var server = Server()
        #expect(server.receive("{\"method\":\"a.B\"}\0{\"method\":\"a.C\",\"parameters\":{\"x\":[1]}}\0") == ["a.B {}"])
        #expect(server.connection.isAnswering)
        #expect(server.events() == [], "the next call waits for the answer")
        #expect(server.reply("{\"y\":1}") == "{\"parameters\":{\"y\":1}}\0")
        #expect(!server.connection.isAnswering)
        #expect(server.events() == ["a.C {\"x\":[1]}"])
        #expect(
            server.connection.fail(VarlinkError("a.Wrong", parameters: JSONBytes("{\"z\":2}")))
                .map { String(buffer: $0) } == "{\"error\":\"a.Wrong\",\"parameters\":{\"z\":2}}\0")
        #expect(server.reply("{}") == nil, "nobody asked")
        #expect(server.connection.fail(.permissionDenied) == nil)
    }

    @Test func more() {
        var server = Server()
        #expect(server.receive("{\"method\":\"a.B\",\"more\":true}\0{\"method\":\"a.C\"}\0") == ["a.B {} more"])
        #expect(server.reply("{}", continues: true) == "{\"parameters\":{},\"continues\":true}\0")
        #expect(server.events() == [])
        #expect(server.reply("{}", continues: true) == "{\"parameters\":{},\"continues\":true}\0")
        #expect(server.reply("{}") == "{\"parameters\":{}}\0")
        #expect(server.events() == ["a.C {}"])
    }

    @Test func moreEndedByAnError() {
        var server = Server()
        _ = server.receive("{\"method\":\"a.B\",\"more\":true}\0")
        _ = server.reply("{}", continues: true)
        #expect(server.connection.fail(.expectedMore) != nil)
        #expect(server.reply("{}") == nil)
    }

    @Test func onewayHasNoReply() {
        var server = Server()
        let oneway = "{\"method\":\"a.B\",\"oneway\":true}\0"
        #expect(
            server.receive(oneway + oneway + "{\"method\":\"a.C\",\"more\":false,\"oneway\":false}\0") == [
                "a.B {} oneway", "a.B {} oneway", "a.C {}",
            ])
        #expect(server.reply("{\"c\":1}") == "{\"parameters\":{\"c\":1}}\0", "the reply is that of the call after it")
    }

    @Test func isLenientWhereVarlinkMayGrow() {
        var server = Server()
        #expect(
            server.receive(
                "{\"com.example.trace\":{\"method\":5},\"method\":\"a.Old\",\"parameters\":null,\"upgrade\":false,"
                    + "\"method\":\"a.B\",\"more\":false}\0") == ["a.B {}"])
    }

    @Test(arguments: [
        ("", "message"), ("nonsense", "message"), ("[]", "message"), ("5", "message"), ("{}", "method"),
        ("{\"method\":5}", "method"), ("{\"method\":null}", "method"), ("{\"method\":\"a.B\"", "message"),
        ("{\"method\":\"a.B\"} x", "message"), ("{\"method\":\"a.B\",\"parameters\":[]}", "parameters"),
        ("{\"method\":\"a.B\",\"parameters\":\"{}\"}", "parameters"), ("{\"method\":\"a.B\",\"more\":1}", "more"),
        ("{\"method\":\"a.B\",\"upgrade\":true}", "upgrade"), ("{\"method\":\"a.\\ud800\"}", "message"),
        ("{\"method\":\"a.B\",\"parameters\":{\"x\":01}}", "message"),
    ])
    func refuses(_ message: String, _ part: String) {
        var server = Server()
        let expected =
            "refused: {\"error\":\"org.varlink.service.InvalidParameter\",\"parameters\":{\"parameter\":\"\(part)\"}}\0"
        #expect(server.receive(message + "\0{\"method\":\"a.B\"}\0") == [expected])
        #expect(server.receive("{\"method\":\"a.B\"}\0") == [], "nothing is heard after that")
        #expect(!server.connection.wantsInput())
    }

    @Test func refusesOnewayWithoutAWord() {
        var server = Server()
        #expect(server.receive("{\"method\":\"a.B\",\"more\":true,\"oneway\":true}\0") == ["refused: nothing"])
    }

    @Test func answersWhatCameBeforeNonsense() {
        var server = Server()
        #expect(server.receive("{\"method\":\"a.B\"}\0nonsense\0") == ["a.B {}"])
        #expect(server.reply("{}") != nil)
        #expect(server.events().first?.hasPrefix("refused") == true)
    }

    @Test func refusesWhatIsTooLong() {
        let call = "{\"method\":\"a.B\",\"x\":\""
        let fits = call + String(repeating: "x", count: 1000 - call.utf8.count - 2) + "\"}"
        var server = Server()
        #expect(server.receive(fits + "\0") == ["a.B {}"])
        var other = Server()
        #expect(other.receive(fits + " ").first?.hasPrefix("refused: {\"error\"") == true)
    }

    @Test func stopsReadingWhenTooMuchIsSentAhead() {
        var server = Server()
        _ = server.receive("{\"method\":\"a.B\"}\0")
        #expect(server.connection.wantsInput())
        _ = server.receive(String(repeating: "{\"method\":\"a.B\"}\0", count: 100))
        #expect(!server.connection.wantsInput())
        #expect(!server.connection.wantsInput(takingCalls: false))
        for _ in 0..<100 {
            _ = server.reply("{}")
            #expect(server.events() == ["a.B {}"])
        }
        #expect(server.connection.wantsInput())
    }

    @Test func splitAtEveryByte() {
        let stream = "{\"method\":\"a.B\",\"oneway\":true}\0{\"method\":\"é.C\",\"parameters\":{\"x\":\"\\u0000\"}}\0"
        let bytes = Array(stream.utf8)
        for index in 0...bytes.count {
            var server = Server()
            server.connection.receive(ByteBuffer(bytes: bytes[..<index]))
            var events = server.events()
            server.connection.receive(ByteBuffer(bytes: bytes[index...]))
            events += server.events()
            #expect(events == ["a.B {} oneway", "é.C {\"x\":\"\\u0000\"}"], "split at \(index)")
        }
    }
}
