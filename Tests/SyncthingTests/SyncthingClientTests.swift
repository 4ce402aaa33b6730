// The client of Syncthing's REST interface, against a server that misbehaves.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix
import Syncthing
import Testing

@Suite struct SyncthingClientTests {
    private func client(_ path: String) -> SyncthingClient {
        SyncthingClient(
            SyncthingConfiguration(address: .unix(path: path), key: "secret"), on: MultiThreadedEventLoopGroup.singleton
        )
    }

    /// Asks a server, which is there until the answer is.
    private func ask<Value>(
        _ server: FakeSyncthing, _ body: (SyncthingClient) async throws(SyncthingError) -> Value
    ) async throws(SyncthingError) -> Value {
        defer { withExtendedLifetime(server) {} }
        return try await body(client(server.path))
    }

    /// Returns the error of a request.
    private func failure<Value>(
        _ server: FakeSyncthing, _ body: (SyncthingClient) async throws(SyncthingError) -> Value
    ) async -> SyncthingError? {
        do throws(SyncthingError) {
            _ = try await ask(server, body)
            return nil
        } catch {
            return error
        }
    }

    @Test func requestHasKeyAndEscapedQuery() async throws {
        let server = FakeSyncthing("{}")
        _ = await failure(server) { (client) throws(SyncthingError) in
            try await client.file("a b/ä&c=?#%", of: "gather-ü")
        }
        let request = try #require(server.requests.first)
        #expect(
            request.hasPrefix(
                "GET /rest/db/file?folder=gather-%C3%BC&file=a%20b%2F%C3%A4%26c%3D%3F%23%25 HTTP/1.1\r\n"))
        #expect(request.contains("\r\nX-API-Key: secret\r\n"))
        #expect(request.contains("\r\nHost: localhost\r\n"))
    }

    @Test func scanNamesEachPart() async throws {
        let server = FakeSyncthing("")
        try await ask(server) { (client) throws(SyncthingError) in try await client.scan("f", parts: ["a", "b/c"]) }
        #expect(server.requests.first?.hasPrefix("POST /rest/db/scan?folder=f&sub=a&sub=b%2Fc HTTP/1.1\r\n") == true)
    }

    @Test func wrongKeyIsTold() async {
        let server = FakeSyncthing(status: 403, "CSRF Error\n")
        #expect(await failure(server) { (client) throws(SyncthingError) in try await client.version() } == .keyRefused)
    }

    /// Neither the key nor control characters of an answer come into an error.
    @Test func messageOfAFailureIsCleanAndShort() async throws {
        let server = FakeSyncthing(status: 500, "bad\u{1B}[31m\n" + String(repeating: "x", count: 100_000))
        let error = try #require(
            await failure(server) { (client) throws(SyncthingError) in try await client.version() })
        guard case .failed("GET /rest/system/version", 500, let message) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(message.hasPrefix("bad[31mxxx"))
        #expect(message.utf8.count <= 512)
        #expect(!"\(error)".contains("secret"))
    }

    @Test func missingFileIsNil() async throws {
        let server = FakeSyncthing(status: 404, "No such object in the index\n")
        #expect(
            try await ask(server) { (client) throws(SyncthingError) in try await client.file("nothing", of: "f") }
                == nil)
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"version\":", "HTTP/1.1 200", "", "nonsense\r\n\r\n",
    ])
    func answerThatIsCutOffIsAnError(text: String) async {
        let server = FakeSyncthing { _ in (Array(text.utf8), .close) }
        let error = await failure(server) { (client) throws(SyncthingError) in try await client.version() }
        #expect(error == .closed(request: "GET /rest/system/version"))
    }

    @Test(arguments: [
        "", "[]", "{", "{}", "{\"version\":1}", "{\"version\":\"\\ud800\"}", "{\"version\":\"v1\"} x", "null",
    ])
    func oddJSONIsAnError(text: String) async {
        let server = FakeSyncthing(text)
        let error = await failure(server) { (client) throws(SyncthingError) in try await client.version() }
        guard case .malformed("GET /rest/system/version", _)? = error else {
            Issue.record("\(text): \(String(describing: error))")
            return
        }
    }

    @Test func deepJSONIsAnError() async {
        let deep = String(repeating: "[{\"name\":\"a\",\"children\":", count: 100_000)
        let server = FakeSyncthing(deep)
        let error = await failure(server) { (client) throws(SyncthingError) in try await client.browse("f") }
        guard case .malformed? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    /// An answer without an end is given up at the limit, and does not fill the memory.
    @Test func hugeAnswerIsGivenUp() async {
        let server = FakeSyncthing { _ in
            let size = SyncthingLimits.answerBytes + 1
            return (Array("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n".utf8), .close)
        }
        // The length is announced, and the connection ends: no more than what came is kept.
        let error = await failure(server) { (client) throws(SyncthingError) in try await client.version() }
        #expect(error == .closed(request: "GET /rest/system/version"))
    }

    @Test func noServerIsTold() async {
        var error: SyncthingError?
        do throws(SyncthingError) { _ = try await client("/nowhere/socket").version() } catch let failure {
            error = failure
        }
        #expect(error?.isOutage == true)
        #expect(error.map { "\($0)" } == "Syncthing cannot be reached at /nowhere/socket: No such file or directory")
    }

    /// A server that accepts and says nothing keeps the task only until it is cancelled.
    @Test func cancelledRequestEndsAtOnce() async throws {
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        let server = FakeSyncthing { _ in
            continuation.yield()
            return ([], .hang)
        }
        let task = Task { await failure(server) { (client) throws(SyncthingError) in try await client.version() } }
        for await _ in stream { break }
        task.cancel()
        #expect(await task.value == .cancelled)
    }

    @Test func pagesAreReadToTheEnd() async throws {
        let record = "{\"name\":\"a\"}"
        let server = FakeSyncthing { request in
            let isFirst = request.contains("page=1&")
            let count = isFirst ? SyncthingLimits.itemsPerPage : 3
            let body = "{\"files\":[" + Array(repeating: record, count: count).joined(separator: ",") + "]}"
            return (FakeSyncthing.answer(Array(body.utf8)), .close)
        }
        let records = try await ask(server) { (client) throws(SyncthingError) in
            try await client.remoteNeed(of: "f", device: "d")
        }
        #expect(records.count == SyncthingLimits.itemsPerPage + 3)
        #expect(server.requests.count == 2)
    }
}
