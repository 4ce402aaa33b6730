// A live query whose start is cancelled, or that the daemon ends at a limit.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Metadata
import Testing

@testable import GatherKit

struct QueryInterruptionTests {
    private let daemon = ScriptedDaemon()
    private let milk = PlayedFile(id: "a", path: "/c/milk", inode: 1)
    private let bread = PlayedFile(id: "b", path: "/c/bread", inode: 2)

    private func query(since clock: DaemonClock? = nil) -> MetadataQuery {
        MetadataQuery(predicate: "name == 'x'", since: clock, socket: DaemonSocket(path: daemon.path))
    }

    private func next(
        _ iterator: inout MetadataQuery.Notifications.Iterator
    ) async throws -> QueryNotification {
        try #require(await iterator.next())
    }

    // MARK: Cancelled starts

    private static let accepting: ScriptedDaemon.Script = { connection in
        _ = connection.receive()
        connection.reply("{\"event\":\"started\"}", continues: true)
        connection.reply("{\"event\":\"gathered\",\"count\":0,\"clock\":\"c1\"}", continues: true)
        connection.waitForEnd()
    }

    /// Starts the query in a task that is cancelled already.
    private func startCancelled(_ query: MetadataQuery) async -> GatherError? {
        await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            do throws(GatherError) { try await query.start() } catch { return error }
            return nil
        }.value
    }

    @Test func cancelledTaskDoesNotStartAQuery() async throws {
        daemon.start(Self.accepting)
        let query = query()
        #expect(await startCancelled(query)?.code == .cancelled)
        #expect(!query.isRunning)
        try await query.start()
        #expect(query.isRunning)
    }

    @Test func cancelledTaskDoesNotChangeARunningQuery() async throws {
        daemon.start(Self.accepting, Self.accepting)
        let query = query()
        try await query.start()
        var notifications = query.notifications.makeAsyncIterator()
        while try await next(&notifications) != .gathered {}
        #expect(await startCancelled(query)?.code == .cancelled)
        #expect(query.isRunning && query.clock == "c1")
        query.stop()
        #expect(try await notifications.next() == nil)
    }

    @Test(arguments: [false, true])
    func cancelledStartEndsTheQueryUnlessAnotherTaskWaits(_ another: Bool) async throws {
        let called = Gate(), goOn = Gate()
        daemon.start { connection in
            _ = connection.receive()
            called.open()
            goOn.wait()
            connection.reply("{\"event\":\"started\"}", continues: true)
            connection.waitForEnd()
        }
        let query = query()
        let other = another ? Task { try await query.start() } : nil
        if another { await opened(called) }
        let cancelled = Task { try await query.start() }
        if !another { await opened(called) }
        cancelled.cancel()
        let error = await #expect(throws: GatherError.self) { try await cancelled.value }
        #expect(error?.code == .cancelled)
        #expect(query.isRunning == another)
        goOn.open()
        try await other?.value
        #expect(query.isRunning == another)
    }

    private func opened(_ gate: Gate) async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                gate.wait()
                continuation.resume()
            }
        }
    }

    // MARK: Limits

    private static let limitExceeded = "io.gatherd.Query.LimitExceeded"

    /// The daemon ends a query whose changes wait for too long, and has no room at first when it comes back.
    @Test func queryThatTheDaemonEndsAtALimitResumesFromItsClock() async throws {
        let file = milk, other = bread
        let limit: ScriptedDaemon.Script = { connection in
            #expect(connection.receive().contains("\"since\":\"c2\""))
            connection.fail(Self.limitExceeded, "{\"limit\":\"liveQueriesPerUser\",\"value\":1}")
            connection.waitForEnd()
        }
        daemon.start(
            { connection in
                _ = connection.receive()
                connection.reply("{\"event\":\"started\"}", continues: true)
                connection.reply("{\"event\":\"gathered\",\"count\":0,\"clock\":\"c1\"}", continues: true)
                connection.reply(
                    "{\"event\":\"updated\",\"added\":[\(file.json)],\"count\":1,\"clock\":\"c2\"}", continues: true)
                connection.fail(Self.limitExceeded, "{\"limit\":\"pendingItems\",\"value\":7}")
                connection.waitForEnd()
            },
            limit,
            { connection in
                #expect(connection.receive().contains("\"since\":\"c2\""))
                connection.reply("{\"event\":\"started\",\"fresh\":false}", continues: true)
                connection.reply("{\"event\":\"progress\",\"added\":[\(other.json)]}", continues: true)
                connection.fail(Self.limitExceeded, "{\"limit\":\"pendingItems\",\"value\":7}")
                connection.waitForEnd()
            },
            limit,
            { connection in
                #expect(connection.receive().contains("\"since\":\"c2\""))
                connection.reply("{\"event\":\"started\",\"fresh\":false}", continues: true)
                connection.reply("{\"event\":\"progress\",\"added\":[\(other.json)]}", continues: true)
                connection.reply("{\"event\":\"gathered\",\"count\":2,\"clock\":\"c3\"}", continues: true)
                connection.waitForEnd()
            })
        let query = query()
        try await query.start()
        var loss: GatherError?, isBack = false
        for try await notification in query.notifications {
            if case .reconnecting(let error) = notification { loss = error }
            if notification == .reconnected(resumed: true) { isBack = true }
            if query.clock == "c3" && isBack { break }
        }
        #expect(loss?.code == .limitExceeded && loss?.subject == "pendingItems")
        #expect(Set(query.results.map(\.id)) == ["a", "b"])
    }

    @Test func limitBeforeTheFirstClockEndsTheQuery() async throws {
        daemon.start { connection in
            _ = connection.receive()
            connection.reply("{\"event\":\"started\"}", continues: true)
            connection.fail(Self.limitExceeded, "{\"limit\":\"pendingItems\",\"value\":7}")
            connection.waitForEnd()
        }
        let query = query(since: "c0")
        try await query.start()
        let error = await #expect(throws: GatherError.self) { for try await _ in query.notifications {} }
        #expect(error?.code == .limitExceeded)
        #expect(!query.isRunning)
    }
}
