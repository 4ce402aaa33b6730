// Connections of strangers, which must not keep the owner away.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import GroceryPage

/// Strangers have connections, but not the secret. The owner may have the same address, such as behind a proxy.
struct StrangerTests {
    /// The bytes after which a stranger sends no more.
    private static let silences = [
        "", "G", "GET / HTTP/1.1\r\nHost: loc", "GET /icon.svg HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET /icon.svg HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(PageToken.random().text)\r\n\r\n",
        "GET /api/items HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "POST /api/session HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 90\r\n\r\n{",
    ]

    private static let limits: PageLimits = {
        var limits = PageLimits()
        limits.unauthenticatedConnections = 8
        return limits
    }()

    /// Opens more silent connections than the server keeps, and waits until it has closed the first ones.
    private func crowd(_ server: TestServer, _ bytes: String) async throws -> [HeldConnection] {
        let limit = StrangerTests.limits.unauthenticatedConnections
        var crowd: [HeldConnection] = []
        for _ in 0..<3 * limit { crowd.append(try await HeldConnection.open(server.port, bytes)) }
        for connection in crowd[..<limit] { await connection.closed() }
        return crowd
    }

    @Test(arguments: silences) func silentConnectionsKeepNoUserAway(bytes: String) async throws {
        try await TestServer.with(limits: StrangerTests.limits) { server async throws in
            let page = try await HeldConnection.open(server.port, TestServer.eventRequest)
            _ = await page.received(until: "event: items")
            let crowd = try await crowd(server, bytes)
            #expect(try await server.send("GET", "/api/items").status == 200)
            // The page that was open before is still open.
            _ = try await server.item("Milk")
            #expect(await page.received(until: "Milk").text.contains("Milk"))
            for connection in crowd + [page] { await connection.close() }
        }
    }

    @Test func theOldestSilentConnectionIsClosedFirst() async throws {
        var limits = PageLimits()
        limits.unauthenticatedConnections = 2
        try await TestServer.with(limits: limits) { server async throws in
            var crowd: [HeldConnection] = []
            for _ in 0..<3 { crowd.append(try await HeldConnection.open(server.port)) }
            await crowd[0].closed()
            // The others are still answered, and have the secret from now on.
            for connection in crowd[1...] {
                await connection.send(TestServer.eventRequest)
                #expect(await connection.received(until: "event: items").status == 200)
            }
            for connection in crowd { await connection.close() }
        }
    }

    @Test func aConnectionThatHasOpenedTheListIsNoStranger() async throws {
        try await TestServer.with(limits: StrangerTests.limits) { server async throws in
            let body = #"{"token":"\#(server.token.text)"}"#
            let owner = try await HeldConnection.open(
                server.port,
                "POST /api/session HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                    + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
            #expect(await owner.received(until: "\r\n\r\n").status == 204)
            let crowd = try await crowd(server, "")
            await owner.send("GET /icon.svg HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(await owner.received(until: "</svg>").status == 200)
            for connection in crowd + [owner] { await connection.close() }
        }
    }

    @Test func connectionsWithTheSecretHaveALimitOfTheirOwn() async throws {
        var limits = StrangerTests.limits
        limits.connections = 2
        try await TestServer.with(limits: limits) { server async throws in
            let crowd = try await crowd(server, "")
            let first = try await HeldConnection.open(server.port, TestServer.eventRequest)
            let second = try await HeldConnection.open(server.port, TestServer.eventRequest)
            for page in [first, second] { #expect(await page.received(until: "event: items").status == 200) }
            let refused = try await server.send("GET", "/api/items")
            #expect(refused.status == 503)
            #expect(refused.field("retry-after") != nil)
            #expect(refused.body.contains("too many pages are open"))
            await first.close()
            // The server notices the end of the first. Until then it refuses.
            let patience = Patience()
            while try await server.send("GET", "/api/items").status != 200, !patience.isOver { await Task.yield() }
            #expect(!patience.isOver)
            for connection in crowd + [second] { await connection.close() }
        }
    }

    @Test func aStrangerCannotSendALongBody() async throws {
        try await TestServer.with { server async throws in
            let long = #"{"token":""# + String(repeating: "a", count: PageLimits().sessionBytes) + #""}"#
            #expect(try await server.send("POST", "/api/session", long, headers: ["Authorization": "-"]).status == 413)
        }
    }

    @Test func limitsOfConnectionsLeaveDescriptorsForFiles() {
        var limits = PageLimits()
        limits.fit(descriptors: 256)
        #expect(limits.connections + limits.unauthenticatedConnections <= 192)
        limits = PageLimits()
        limits.fit(descriptors: 1_024)
        #expect(limits.connections == PageLimits().connections)
    }
}
