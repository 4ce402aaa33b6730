// The live query over a real socket, against a daemon that plays the contract.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Metadata
import Synchronization
import Testing

@testable import GatherKit

struct MetadataQueryTests {
    private let daemon = ScriptedDaemon()
    private var socket: DaemonSocket { DaemonSocket(path: daemon.path) }
    private let milk = PlayedFile(id: "a", path: "/c/milk", inode: 1)
    private let bread = PlayedFile(id: "b", path: "/c/bread", inode: 2)

    private func query(_ predicate: String = "name == 'x'", since clock: DaemonClock? = nil) -> MetadataQuery {
        MetadataQuery(predicate: predicate, since: clock, socket: socket)
    }

    /// The next notification that is not one of an expected kind of noise.
    private func next(
        _ iterator: inout MetadataQuery.Notifications.Iterator
    ) async throws -> QueryNotification {
        try #require(await iterator.next())
    }

    @Test func `Gathers, then follows`() async throws {
        let file = milk, other = bread
        let goOn = Gate()
        daemon.start { connection in
            #expect(
                connection.receive() == """
                    {"method":"io.gatherd.Query.Watch","parameters":{"predicate":"name == 'x'",\
                    "scopes":["grocery/Documents","/tmp"],"attributes":["name","path","kind","size","modified",\
                    "inode","created","changed"],"batch":2\(ScriptedDaemon.zone)},"more":true}
                    """)
            connection.reply("{\"event\":\"started\"}", continues: true)
            connection.reply("{\"event\":\"progress\",\"added\":[\(file.json)]}", continues: true)
            connection.reply(
                "{\"event\":\"gathered\",\"count\":1,\"inexact\":[\"x\"],\"clock\":\"c1\"}", continues: true)
            goOn.wait()
            connection.reply("{\"event\":\"alive\"}", continues: true)
            connection.reply("{\"event\":\"something new\",\"clock\":\"c2\"}", continues: true)
            connection.reply(
                """
                {"event":"updated","added":[\(other.json)],"removed":[{"id":"a","path":"/c/mil\u{FFFD}",\
                "rawPath":"L2MvbWls/w=="}],"count":1,"clock":"c3"}
                """, continues: true)
            connection.waitForEnd()
        }
        let query = MetadataQuery(
            predicate: "name == 'x'", scopes: [.documents(ofContainer: "grocery"), .directory("/tmp")],
            batchingInterval: .microseconds(1500), socket: socket)
        #expect(!query.isRunning)
        try await query.start()
        #expect(query.isRunning)
        var notifications = query.notifications.makeAsyncIterator()
        #expect(try await next(&notifications) == .started(resumed: false))
        #expect(try await next(&notifications) == .progress(QueryChanges(added: [milk.item()])))
        #expect(try await next(&notifications) == .gathered)
        #expect(query.results == [milk.item()])
        #expect(query.result(withID: "a")?.path == "/c/milk")
        #expect(query.inexactContainers == ["x"])
        #expect(query.clock == "c1")
        #expect(!query.isGathering)
        goOn.open()
        guard case .updated(let changes) = try await next(&notifications) else {
            Issue.record("no update")
            return
        }
        #expect(changes.added == [bread.item()])
        #expect(changes.removed.map(\.pathBytes) == [Array("/c/mil".utf8) + [0xFF]])
        #expect(query.results == [bread.item()])
        #expect(query.clock == "c3")
        query.stop()
        #expect(try await notifications.next() == nil)
        #expect(!query.isRunning)
        #expect(query.resultCount == 1)
    }

    @Test func `Comes back with its clock when the daemon restarts`() async throws {
        let file = milk, other = bread
        let restart = Gate(), end = Gate()
        let daemon = daemon
        daemon.start(
            { connection in
                _ = connection.receive()
                connection.reply("{\"event\":\"started\"}", continues: true)
                connection.reply("{\"event\":\"progress\",\"added\":[\(file.json)]}", continues: true)
                connection.reply("{\"event\":\"gathered\",\"count\":1,\"clock\":\"c1\"}", continues: true)
                restart.wait()
                daemon.stop()
            })
        let query = query()
        try await query.start()
        var notifications = query.notifications.makeAsyncIterator()
        while try await next(&notifications) != .gathered {}
        restart.open()
        guard case .reconnecting(let error) = try await next(&notifications) else {
            Issue.record("not told of the loss")
            return
        }
        #expect(error.code == .connectionLost)
        #expect(query.resultCount == 1)
        daemon.start(
            { connection in
                #expect(connection.receive().contains("\"since\":\"c1\""))
                connection.reply("{\"event\":\"started\",\"fresh\":false}", continues: true)
                connection.reply(
                    "{\"event\":\"progress\",\"added\":[\(other.json)],\"removed\":[{\"id\":\"a\",\"path\":\"/c/milk\"}]}",
                    continues: true)
                connection.reply("{\"event\":\"gathered\",\"count\":1,\"clock\":\"c9\"}", continues: true)
                end.wait()
            })
        #expect(try await next(&notifications) == .reconnected(resumed: true))
        #expect(
            try await next(&notifications) == .updated(QueryChanges(added: [bread.item()], removed: [milk.removal])))
        #expect(query.clock == "c9")
        end.open()
    }

    @Test func `A daemon that is away at the start is an error that says how to start it`() async throws {
        let query = query()
        let error = await #expect(throws: GatherError.self) { try await query.start() }
        #expect(error?.code == .unreachable)
        #expect(error?.message.contains("gatherd --socket") == true)
        #expect(!query.isRunning)
        // A reader of the notifications gets the error too.
        await #expect(throws: GatherError.self) { for try await _ in query.notifications {} }
    }

    @Test func `A wrong predicate is an error with its place`() async throws {
        daemon.start { connection in
            _ = connection.receive()
            connection.fail(
                "io.gatherd.Query.InvalidPredicate", "{\"message\":\"expected a value\",\"position\":7}")
            connection.waitForEnd()
        }
        let query = query()
        let error = await #expect(throws: GatherError.self) { try await query.start() }
        #expect(error == GatherError(code: .invalidPredicate, message: "expected a value", position: 7))
    }

    @Test func `A query that is refused on the way fails`() async throws {
        daemon.start(
            { connection in
                _ = connection.receive()
                connection.reply("{\"event\":\"started\"}", continues: true)
                connection.reply("{\"event\":\"gathered\",\"count\":0,\"clock\":\"c1\"}", continues: true)
            },
            { connection in
                _ = connection.receive()
                connection.fail("io.gatherd.Query.UnknownScope", "{\"scope\":\"gone\"}")
                connection.waitForEnd()
            })
        let query = query()
        try await query.start()
        let error = await #expect(throws: GatherError.self) { for try await _ in query.notifications {} }
        #expect(error?.code == .unknownScope)
        #expect(error?.subject == "gone")
    }

    @Test func `Another predicate begins the query anew`() async throws {
        let file = milk, other = bread
        daemon.start(
            { connection in
                _ = connection.receive()
                connection.reply("{\"event\":\"started\"}", continues: true)
                connection.reply("{\"event\":\"progress\",\"added\":[\(file.json)]}", continues: true)
                connection.reply("{\"event\":\"gathered\",\"count\":1,\"clock\":\"c1\"}", continues: true)
                connection.waitForEnd()
            },
            { connection in
                let call = connection.receive()
                #expect(call.contains("\"predicate\":\"other\"") && !call.contains("since"))
                connection.reply("{\"event\":\"started\"}", continues: true)
                connection.reply("{\"event\":\"progress\",\"added\":[\(other.json)]}", continues: true)
                connection.reply("{\"event\":\"gathered\",\"count\":1,\"clock\":\"c2\"}", continues: true)
                connection.waitForEnd()
            })
        let query = query()
        try await query.start()
        var notifications = query.notifications.makeAsyncIterator()
        while try await next(&notifications) != .gathered {}
        query.predicate = query.predicate
        query.predicate = "other"
        #expect(try await next(&notifications) == .started(resumed: false))
        while try await next(&notifications) != .gathered {}
        #expect(query.results == [bread.item()])
    }

    @Test func `A reader whose task is cancelled stops, and the query goes on`() async throws {
        daemon.start { connection in
            _ = connection.receive()
            connection.reply("{\"event\":\"started\"}", continues: true)
            connection.reply("{\"event\":\"gathered\",\"count\":0,\"clock\":\"c1\"}", continues: true)
            connection.waitForEnd()
        }
        let query = query()
        try await query.start()
        let reading = Task {
            var count = 0
            for try await _ in query.notifications { count += 1 }
            return count
        }
        var notifications = query.notifications.makeAsyncIterator()
        while try await next(&notifications) != .gathered {}
        reading.cancel()
        #expect(try await reading.value <= 2)
        #expect(query.isRunning)
    }

    @Test func `A query without a reference ends its connection`() async throws {
        let ended = Gate()
        daemon.start { connection in
            _ = connection.receive()
            connection.reply("{\"event\":\"started\"}", continues: true)
            connection.waitForEnd()
            ended.open()
        }
        do {
            let query = query()
            try await query.start()
        }
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                ended.wait()
                continuation.resume()
            }
        }
    }

    @Test func `An answer against the contract is a violation`() async throws {
        daemon.start { connection in
            _ = connection.receive()
            connection.send("SSH-2.0-OpenSSH_9.2")
            connection.waitForEnd()
        }
        let error = await #expect(throws: GatherError.self) { try await query().start() }
        #expect(error?.code == .protocolViolation)
    }
}
