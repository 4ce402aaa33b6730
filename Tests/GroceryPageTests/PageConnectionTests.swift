// The limits of connections and requests.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import NIOCore
import Testing

@testable import GroceryPage

struct PageConnectionTests {
    @Test func `A connection serves several requests`() async throws {
        try await TestServer.with { server async throws in
            let get = "GET /icon.svg HTTP/1.1\r\nHost: localhost\r\n"
            let answer = try await RawClient.exchange(
                server.port, get + "\r\n" + get + "\r\n" + get + "Connection: close\r\n\r\n")
            #expect(answer.text.matches(of: /HTTP\/1\.1 200 OK/).count == 3)
        }
    }

    @Test func `HTTP that is none gets status 400`() async throws {
        try await TestServer.with { server async throws in
            for text in ["nonsense\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET /%zz HTTP/1.1\r\nHost: localhost\r\n\r\n"] {
                #expect(try await RawClient.exchange(server.port, text).status == 400, "\(text)")
            }
        }
    }

    @Test func `A header that is too large gets status 431 and an address that is too long 414`() async throws {
        try await TestServer.with { server async throws in
            let long = String(repeating: "a", count: 5_000)
            #expect(try await server.send("GET", "/" + long).status == 414)
            #expect(try await server.send("GET", "/", headers: ["X-Long": long + long]).status == 431)
            let many = Dictionary(uniqueKeysWithValues: (0..<100).map { ("X-\($0)", "x") })
            #expect(try await server.send("GET", "/", headers: many).status == 431)
            let large = Dictionary(uniqueKeysWithValues: (0..<10).map { ("X-\($0)", long) })
            #expect(try await server.send("GET", "/", headers: large).status == 431)
            #expect(try await server.send("GET", "/").status == 200)
        }
    }

    @Test func `A body that is too large gets status 413 with and without its length`() async throws {
        var limits = PageLimits()
        limits.jsonBytes = 1_000
        try await TestServer.with(limits: limits) { server async throws in
            let long = "{\"ids\":[\"" + String(repeating: "a", count: 2_000_000) + "\"]}"
            #expect(try await server.send("POST", "/api/remove", long).status == 413)
            // The length alone, and no body.
            #expect(try await server.send("POST", "/api/remove", "", headers: ["Content-Length": "1001"]).status == 413)
            let chunk = "400\r\n" + String(repeating: "a", count: 1_024) + "\r\n"
            let chunked = ["Transfer-Encoding": "chunked", "Content-Length": "-"]
            let answer = try await server.send("POST", "/api/remove", chunk + "0\r\n\r\n", headers: chunked)
            #expect(answer.status == 413)
            #expect(answer.field("connection") == "close")
            #expect(try await server.send("POST", "/api/remove", "{\"ids\":[]}").status == 200)
        }
    }

    @Test func `A client that waits for permission to send a body gets it`() async throws {
        try await TestServer.with { server async throws in
            let answer = try await server.send(
                "POST", "/api/remove", "{\"ids\":[]}", headers: ["Expect": "100-continue"])
            #expect(answer.text.hasPrefix("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK"))
            // HTTP/1.0 has no interim answers.
            let old = try await RawClient.exchange(
                server.port,
                "POST /api/remove HTTP/1.0\r\nHost: localhost\r\nAuthorization: Bearer \(server.token.text)\r\n"
                    + "Content-Type: application/json\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n{\"ids\":[]}"
            )
            #expect(old.text.hasPrefix("HTTP/1.1 200 OK"), "\(old.text)")
        }
    }

    @Test func `Connections that send nothing or too slowly are closed`() async throws {
        var limits = PageLimits()
        // On a machine with much to do even this may be over before a request is sent. That is tried again.
        limits.idleTime = .seconds(2)
        limits.bodyTime = .seconds(2)
        limits.lingerTime = .milliseconds(100)
        try await TestServer.with(limits: limits) { server async throws in
            #expect(try await RawClient.exchange(server.port, "").text == "")
            #expect(try await RawClient.exchange(server.port, "GET / HTTP/1.1\r\nHost: loc").text == "")
            func answer(_ body: () async throws -> RawClient.Answer) async throws -> RawClient.Answer {
                var answer = try await body()
                while answer.text.isEmpty { answer = try await body() }
                return answer
            }
            let idle = try await answer {
                try await RawClient.exchange(server.port, "GET /icon.svg HTTP/1.1\r\nHost: localhost\r\n\r\n")
            }
            #expect(idle.status == 200)
            let slow = try await answer {
                try await server.send("POST", "/api/remove", "{", headers: ["Content-Length": "100"])
            }
            #expect(slow.status == 408)
        }
    }

    @Test func `Pages are refused when too many are open`() async throws {
        var limits = PageLimits()
        limits.eventStreams = 1
        try await TestServer.with(limits: limits) { server async throws in
            let stream = TestServer.eventRequest
            let first = try await EventReader.open(server.port, stream)
            _ = await first.next()
            let refused = try await RawClient.exchange(server.port, stream)
            #expect(refused.status == 503)
            #expect(refused.field("retry-after") != nil)
            await first.close()
        }
    }

    @Test func `The error with which a connection ends is told`() async throws {
        var limits = PageLimits()
        limits.connections = 1
        limits.unauthenticatedConnections = 1
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        var iterator = lines.makeAsyncIterator()
        try await TestServer.with(limits: limits, report: { continuation.yield($0) }) { server async throws in
            try await RawClient.reset(server.port, "GET /icon.svg HTTP/1.1\r\nHost: loc")
            #expect(await iterator.next() == "1 connection ended with an error: Connection reset by peer")
            // The rest waits for its minute, or for the end of the server.
            var first = try await EventReader.open(server.port, TestServer.eventRequest)
            while await first.next() == nil { first = try await EventReader.open(server.port, TestServer.eventRequest) }
            #expect(try await RawClient.exchange(server.port, TestServer.eventRequest).status == 503)
            var strangers: [HeldConnection] = []
            for _ in 0..<2 { strangers.append(try await HeldConnection.open(server.port)) }
            await strangers[0].closed()
            await first.close()
        }
        let rest = await iterator.next() ?? ""
        #expect(rest.contains("the limit of 1 connections is reached"), "\(rest)")
        #expect(rest.contains("the limit of 1 connections without the secret is reached"), "\(rest)")
    }

    @Test func `Errors of a minute are one line`() async throws {
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        var iterator = lines.makeAsyncIterator()
        let problems = ConnectionProblems(pause: .seconds(100_000)) { continuation.yield($0) }
        for code in [EPERM, EPERM, ECONNRESET, EPERM] { problems.add(IOError(errnoCode: code, reason: "test")) }
        #expect(await iterator.next() == "1 connection ended with an error: Operation not permitted")
        let running = Task { try await problems.run() }
        running.cancel()
        _ = await running.result
        #expect(
            await iterator.next()
                == "3 connections ended with an error: Operation not permitted (2), Connection reset by peer (1)")
        continuation.finish()
        #expect(await iterator.next() == nil)
    }
}
