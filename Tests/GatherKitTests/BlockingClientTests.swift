// Calls of a command to a daemon that is restarted meanwhile.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatherKit

@Suite struct BlockingClientTests {
    private let daemon = ScriptedDaemon()
    private var socket: DaemonSocket { DaemonSocket(path: daemon.path) }

    /// The first daemon ends with the question unanswered, and the next has the same socket.
    @Test func aQuestionIsAskedOnceMore() throws {
        daemon.start(
            { _ = $0.receive() },
            {
                _ = $0.receive()
                $0.reply(#"{"count":7,"clock":"c"}"#)
            })
        var client = try BlockingClient(socket)
        #expect(try client.count(Search(predicate: "")).count == 7)
    }

    @Test func soIsOneWithManyReplies() throws {
        daemon.start(
            { _ = $0.receive() },
            {
                _ = $0.receive()
                $0.reply(#"{"items":[{"id":"a","path":"/a"}],"clock":"c"}"#)
            })
        var client = try BlockingClient(socket)
        var found = 0
        #expect(try client.find(Search(predicate: "")) { found += $0.count }.count == 1)
        #expect(found == 1)
    }

    /// Parts of an answer that were given out cannot be taken back.
    @Test func notWhereTheAnswerHasBegun() throws {
        daemon.start(
            {
                _ = $0.receive()
                $0.reply(#"{"items":[{"id":"a","path":"/a"}],"clock":"c"}"#, continues: true)
            },
            { _ in Issue.record("it was asked again") })
        var client = try BlockingClient(socket)
        var found = 0
        do {
            _ = try client.find(Search(predicate: "")) { found += $0.count }
            Issue.record("the answer was not whole")
        } catch let error as GatherError {
            #expect(error.code == .connectionLost)
        }
        #expect(found == 1)
    }

    /// Nor twice, nor what changes something.
    @Test func onceOnly() throws {
        daemon.start({ _ = $0.receive() }, { _ = $0.receive() }, { _ in Issue.record("it was asked a third time") })
        var client = try BlockingClient(socket)
        do {
            _ = try client.count(Search(predicate: ""))
            Issue.record("nobody has answered")
        } catch { #expect(error.code == .connectionLost) }
    }

    @Test func aChangeIsNot() throws {
        daemon.start({ _ = $0.receive() }, { _ in Issue.record("it was asked again") })
        var client = try BlockingClient(socket)
        do {
            try client.reload()
            Issue.record("nobody has answered")
        } catch { #expect(error.code == .connectionLost) }
    }
}
