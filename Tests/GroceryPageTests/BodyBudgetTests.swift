// The limit of bytes for all bodies of requests.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import GroceryPage

struct BodyBudgetTests {
    private static let limits: PageLimits = {
        var limits = PageLimits()
        limits.pictureBytes = 60_000
        limits.jsonBytes = 60_000
        limits.bodyBytesInAll = 100_000
        return limits
    }()

    /// The ways to send a body of so many bytes.
    enum Way: CaseIterable {
        case picture, chunkedPicture, json

        /// Returns the header of a request, and its body in two parts.
        func request(_ id: String, bytes: Int) -> (head: String, first: String, last: String) {
            let common = "Host: localhost\r\nAuthorization: Bearer \(TestServer.token.text)\r\nConnection: close\r\n"
            let picture = "GIF89a" + String(repeating: "x", count: bytes - 6)
            let json = #"{"ids":[],"x":""# + String(repeating: "x", count: bytes - 17) + #""}"#
            let body = self == .json ? json : picture
            let (first, last) = (String(body.prefix(bytes - 1_000)), String(body.suffix(1_000)))
            switch self {
            case .picture:
                return (
                    "PUT /api/items/\(id)/picture HTTP/1.1\r\n\(common)Content-Type: image/gif\r\n"
                        + "Content-Length: \(bytes)\r\n\r\n", first, last
                )
            case .json:
                return (
                    "POST /api/remove HTTP/1.1\r\n\(common)Content-Type: application/json\r\n"
                        + "Content-Length: \(bytes)\r\n\r\n", first, last
                )
            case .chunkedPicture:
                func chunk(_ text: String) -> String { String(text.utf8.count, radix: 16) + "\r\n\(text)\r\n" }
                return (
                    "PUT /api/items/\(id)/picture HTTP/1.1\r\n\(common)Content-Type: image/gif\r\n"
                        + "Transfer-Encoding: chunked\r\n\r\n", chunk(first), chunk(last) + "0\r\n\r\n"
                )
            }
        }
    }

    private func until(_ bytes: Int, _ server: TestServer) async {
        let patience = Patience()
        while server.bodies.bytes != bytes, !patience.isOver { await Task.yield() }
        #expect(server.bodies.bytes == bytes)
    }

    @Test(arguments: Way.allCases) func aBodyThatDoesNotFitIsSentAgain(way: Way) async throws {
        try await TestServer.with(limits: BodyBudgetTests.limits) { server async throws in
            let id = try await server.item("Milk")
            let (head, first, last) = way.request(id, bytes: 60_000)
            let half = try await HeldConnection.open(server.port, head + first)
            await until(59_000, server)
            let refused = try await RawClient.exchange(server.port, head + first)
            #expect(refused.status == 503)
            #expect(refused.field("retry-after") != nil)
            await until(59_000, server)
            // A small change has room.
            #expect(try await server.send("POST", "/api/remove", #"{"ids":[]}"#).status == 200)
            await half.send(last)
            #expect(await half.received(until: "\r\n\r\n").status == 200)
            await until(0, server)
            #expect(try await RawClient.exchange(server.port, head + first + last).status == 200)
            await half.close()
        }
    }

    @Test(arguments: Way.allCases) func halfSentBodiesTakeALimitedMemory(way: Way) async throws {
        try await TestServer.with(limits: BodyBudgetTests.limits) { server async throws in
            let id = try await server.item("Milk")
            let (head, first, _) = way.request(id, bytes: 60_000)
            let half = try await HeldConnection.open(server.port, head + first)
            await until(59_000, server)
            for _ in 0..<100 {
                #expect(try await RawClient.exchange(server.port, head + first).status == 503)
                #expect(server.bodies.bytes <= BodyBudgetTests.limits.bodyBytesInAll)
            }
            await until(59_000, server)
            // A client that leaves gives its bytes back.
            await half.close()
            await until(0, server)
        }
    }
}
