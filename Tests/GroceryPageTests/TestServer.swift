// A server that runs as long as a test needs it.
// SPDX-License-Identifier: Apache-2.0

import GroceryModel
import NIOCore
import Testing

@testable import GroceryPage

/// A server of a list in memory, on a port that the kernel has chosen.
struct TestServer {
    /// The secret of servers whose test does not say another.
    static let token = PageToken.random()
    /// The request of an event stream with that secret.
    static let eventRequest =
        "GET /events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(token.text)\r\n\r\n"

    let list: MemoryList
    let token: PageToken
    let links: PageLinks
    /// The bodies of requests that the server has in memory.
    let bodies: BodyBudget
    var port: Int { links.port }

    /// Runs the server during `body`, and ends it by cancellation.
    static func with(
        token: PageToken = TestServer.token, names: [String] = [], port: Int = 0, limits: PageLimits = PageLimits(),
        report: @escaping @Sendable (String) -> Void = { _ in }, _ body: (TestServer) async throws -> Void
    ) async throws {
        let list = MemoryList()
        let server = try PageServer(list: list, port: port, token: token, names: names, limits: limits, report: report)
        let (ready, continuation) = AsyncStream.makeStream(of: PageLinks.self)
        let running = Task { try await server.run { continuation.yield($0) } }
        var iterator = ready.makeAsyncIterator()
        let links = try #require(await iterator.next())
        await list.waitForFollower()
        let result: Result<Void, any Error>
        let served = TestServer(list: list, token: token, links: links, bodies: server.bodies)
        do { result = .success(try await body(served)) } catch { result = .failure(error) }
        running.cancel()
        try await running.value
        try result.get()
    }

    /// Sends a request of its own connection, with the secret. `-` as the value of a field leaves it out.
    func send(
        _ method: String, _ path: String, _ body: String = "", headers: [String: String] = [:]
    ) async throws -> RawClient.Answer {
        var fields = [
            "Host": "127.0.0.1:\(port)", "Connection": "close", "Authorization": "Bearer \(token.text)",
        ]
        if method != "GET" {
            fields["Content-Type"] = "application/json"
            fields["Content-Length"] = "\(body.utf8.count)"
        }
        fields.merge(headers) { _, new in new }
        let head = fields.filter { $0.value != "-" }.map { "\($0.key): \($0.value)\r\n" }.joined()
        return try await RawClient.exchange(port, "\(method) \(path) HTTP/1.1\r\n\(head)\r\n\(body)")
    }

    /// Puts an item on the list, without the server.
    func item(_ name: String, _ change: (inout ItemContents) -> Void = { _ in }) async throws -> String {
        var contents = ItemContents(name: name)
        change(&contents)
        return try await list.add(contents, as: nil).text
    }

    func contents(_ id: String) async throws -> ItemContents {
        try await list.contents(of: #require(ItemIdentifier(text: id)))
    }
}
