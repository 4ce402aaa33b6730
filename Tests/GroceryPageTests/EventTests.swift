// The list as pages follow it.
// SPDX-License-Identifier: Apache-2.0

import GroceryModel
import NIOCore
import Testing

@testable import GroceryPage

struct EventTests {
    private static let request = TestServer.eventRequest

    @Test func `A page gets the list and then each change`() async throws {
        try await TestServer.with { server async throws in
            let id = try await server.item("Milk")
            let reader = try await EventReader.open(server.port, EventTests.request)
            var event = try #require(await reader.next())
            while !event.contains("Milk") { event = try #require(await reader.next()) }
            _ = try await server.send("PUT", "/api/items/\(id)", #"{"base":{"name":"Milk"},"mine":{"name":"Cream"}}"#)
            event = try #require(await reader.next())
            #expect(event.hasPrefix("changed\ndata: {\"items\":[{\"id\":\"\(id)\",\"name\":\"Cream\""))
            _ = try await server.send("POST", "/api/remove", #"{"ids":["\#(id)"]}"#)
            event = try #require(await reader.next())
            #expect(event == "changed\ndata: {\"items\":[],\"removed\":[\"\(id)\"]}")
            server.list.send(.away(reason: "gatherd was stopped"))
            event = try #require(await reader.next())
            #expect(event == "away\ndata: {\"reason\":\"gatherd was stopped\"}")
            await reader.close()
        }
    }

    @Test func `A client of HTTP 1 0 gets events without chunks`() async throws {
        try await TestServer.with { server async throws in
            _ = try await server.item("Milk")
            let request = EventTests.request.replacing("HTTP/1.1", with: "HTTP/1.0")
            for fields in ["", "Connection: keep-alive\r\n"] {
                let answer = try await RawClient.exchange(
                    server.port, request.replacing("Host:", with: fields + "Host:")
                ) { $0.contains("Milk") && $0.hasSuffix("\n\n") }
                #expect(answer.status == 200 && answer.field("transfer-encoding") == nil)
                #expect(answer.field("connection") == "close")
                #expect(answer.body.hasPrefix("event: "), "\(answer.body)")
                for event in answer.body.split(separator: "\n\n") {
                    #expect(event.hasPrefix("event: ") && event.split(separator: "\n").count == 2)
                }
            }
        }
    }

    @Test func `A name cannot forge an event`() async throws {
        try await TestServer.with { server async throws in
            let reader = try await EventReader.open(server.port, EventTests.request)
            _ = await reader.next()
            _ = try await server.item("a\n\nevent: away\ndata: {\"reason\":\"x\"}\n\n")
            let event = try #require(await reader.next())
            #expect(event.hasPrefix("changed\n"))
            #expect(event.split(separator: "\n").count == 2)
            await reader.close()
        }
    }

    @Test func `Heartbeats tell a quiet list from a lost connection`() async throws {
        var limits = PageLimits()
        limits.heartbeat = .milliseconds(20)
        try await TestServer.with(limits: limits) { server async throws in
            let reader = try await EventReader.open(server.port, EventTests.request)
            _ = await reader.next()
            #expect(await reader.next(orBeat: true) == "beat\ndata: {}")
            await reader.close()
        }
    }

    @Test func `A client that does not read gets the whole list afterwards, and little waits for it`() async throws {
        var limits = PageLimits()
        limits.waitingBytes = 16 << 10
        try await TestServer.with(limits: limits) { server async throws in
            let reader = try await EventReader.open(server.port, EventTests.request, reads: false)
            let id = ItemIdentifier.random()
            let long = String(repeating: "x", count: 10_000)
            // More than the buffers of the kernel hold.
            for number in 0..<2_000 {
                let item = GroceryItem(id: id, path: "", summary: ItemSummary(ItemContents(name: "\(number) \(long)")))
                server.list.send(.changed([item], removed: []))
            }
            // An event that all others came before.
            let other = try await EventReader.open(server.port, EventTests.request)
            var event = try #require(await other.next())
            while !event.contains("\"name\":\"1999 ") { event = try #require(await other.next()) }
            try await reader.read()
            var count = 0
            repeat {
                event = try #require(await reader.next())
                count += 1
            } while !event.contains("\"name\":\"1999 ")
            #expect(event.hasPrefix("items\n"))
            #expect(count < 2_000)
            await reader.close()
            await other.close()
        }
    }

    @Test func `A client that never reads is disconnected`() async throws {
        var limits = PageLimits()
        limits.waitingBytes = 4 << 10
        limits.stallTime = .milliseconds(50)
        try await TestServer.with(limits: limits) { server async throws in
            let reader = try await EventReader.open(server.port, EventTests.request, reads: false)
            let long = String(repeating: "x", count: 100_000)
            for _ in 0..<200 { _ = try await server.item(long) }
            // The end of the stream comes after what the kernel had taken.
            try await reader.read()
            while await reader.next() != nil {}
        }
    }

    @Test func `Cancellation ends the server with its open pages`() async throws {
        let list = MemoryList()
        let server = try PageServer(list: list, port: 0, token: TestServer.token) { _ in }
        let (ready, continuation) = AsyncStream.makeStream(of: PageLinks.self)
        let running = Task { try await server.run { continuation.yield($0) } }
        var iterator = ready.makeAsyncIterator()
        let port = try #require(await iterator.next()).port
        let reader = try await EventReader.open(port, EventTests.request)
        _ = await reader.next()
        running.cancel()
        try await running.value
        while await reader.next() != nil {}
        await #expect(throws: (any Error).self) { try await RawClient.exchange(port, EventTests.request) }
    }

    @Test func `A port in use is an error with its reason`() async throws {
        try await TestServer.with { server async throws in
            let second = try PageServer(list: MemoryList(), port: server.port, token: TestServer.token) { _ in }
            await #expect { try await second.run { _ in } } throws: { error in
                (error as? PageServerError)?.message.contains("Address already in use") ?? false
            }
        }
    }
}
