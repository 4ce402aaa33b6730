// Both clients against the server, over a real Unix socket.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import NIOCore
import NIOPosix
import Testing

@testable import Varlink

private func number(_ reply: JSONBytes) throws -> Int64 {
    try reply.read { (reader) throws(JSONError) in
        try reader.beginObject()
        _ = try reader.nextKey()
        let number = try reader.readInteger()
        _ = try reader.nextKey()
        return number
    }
}

@Suite struct VarlinkClientTests {
    @Test func callsFromManyTasks() async throws {
        try await TestServer.with { server in
            let client = try await server.connect()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<200 {
                    group.addTask {
                        let parameters = JSONBytes("{\"value\":{\"n\":\(number)}}")
                        let reply = try await client.call("org.example.test.Echo", parameters)
                        #expect(reply == parameters)
                    }
                }
                try await group.waitForAll()
            }
            await client.close()
            await #expect(throws: VarlinkClientError.closed) { try await client.call("org.example.test.Release") }
        }
    }

    @Test func throwsTheErrorsOfTheService() async throws {
        try await TestServer.with { server in
            let client = try await server.connect()
            await #expect(
                throws: VarlinkClientError.error(
                    VarlinkError("org.example.test.Odd", parameters: JSONBytes("{\"number\":1}")))
            ) {
                try await client.call("org.example.test.Even", JSONBytes("{\"number\":1}"))
            }
            await #expect(throws: VarlinkClientError.error(.expectedMore)) {
                try await client.call("org.example.test.Flood", JSONBytes("{\"bytes\":1}"))
            }
            #expect(try await client.call("org.example.test.Even", JSONBytes("{\"number\":2}")).text == "{}")
            try await client.callOneway("org.example.test.Note", JSONBytes("{\"text\":\"a\"}"))
            try await server.until { $1.notes == ["a"] }
        }
    }

    @Test func readsAStreamToItsEnd() async throws {
        try await TestServer.with { server in
            let client = try await server.connect()
            var expected: Int64 = 0
            for try await reply in client.callMore("org.example.test.Count", JSONBytes("{\"to\":5000}")) {
                #expect(try number(reply) == expected)
                expected += 1
            }
            #expect(expected == 5001)
            #expect(try await client.call("org.example.test.Release").text == "{}", "the connection goes on")
        }
    }

    @Test func aStreamKeepsItsClient() async throws {
        try await TestServer.with { server in
            var replies = 0
            let stream = try await server.connect().callMore("org.example.test.Count", JSONBytes("{\"to\":100}"))
            for try await _ in stream { replies += 1 }
            #expect(replies == 101)
        }
    }

    @Test func aStreamMayEndWithAnError() async throws {
        try await TestServer.with { server in
            let client = try await server.connect()
            var iterator = client.callMore("org.example.test.Even", JSONBytes("{\"number\":5}")).makeAsyncIterator()
            await #expect(throws: VarlinkClientError.self) { try await iterator.next() }
            #expect(try await iterator.next() == nil)
        }
    }

    @Test func holdsTheServiceBackWhileTheClientDoesNotRead() async throws {
        try await TestServer.with { server in
            let client = try await server.connect(bufferedBytes: 100_000)
            var iterator = client.callMore("org.example.test.Flood", JSONBytes("{\"bytes\":10000}"))
                .makeAsyncIterator()
            _ = try await iterator.next()
            // The service makes replies until its socket takes no more, and then none: the replies in between are
            // bounded by the buffers, however long the client does not read.
            var before = -1
            var now = 0
            while before != now {
                before = now
                for _ in 0..<50 { try await server.loop.submit {}.get() }
                now = try await server.onLoop { $1.flooded }
            }
            #expect(now < 2_000_000)
            for _ in 0..<1000 { #expect(try await iterator.next()?.count == 10_013) }
            #expect(try await server.onLoop { $1.flooded } > now)
        }
    }

    @Test func lettingASubscriptionGoEndsIt() async throws {
        try await TestServer.with { server in
            let client = try await server.connect()
            do {
                var iterator = client.callMore("org.example.test.Flood", JSONBytes("{\"bytes\":10}"))
                    .makeAsyncIterator()
                _ = try await iterator.next()
            }
            try await server.until { $1.closed == 1 }
            await #expect(throws: VarlinkClientError.closed) { try await client.call("org.example.test.Release") }
        }
    }

    @Test func cancellingATaskEndsItsCall() async throws {
        try await TestServer.with { server in
            let client = try await server.connect()
            let call = Task { try await client.call("org.example.test.Wait") }
            try await server.until { $1.waiting.count == 1 }
            call.cancel()
            await #expect(throws: VarlinkClientError.cancelled) { try await call.value }
            try await server.until { $1.closed == 1 }

            let other = try await server.connect()
            let stream = Task {
                var iterator = other.callMore("org.example.test.Wait").makeAsyncIterator()
                return try await iterator.next()
            }
            try await server.until { $1.waiting.count == 2 }
            stream.cancel()
            #expect(try await stream.value == nil)
            try await server.until { $1.closed == 2 }
        }
    }

    /// A service that sends and sends without the end of a reply fills no memory.
    @Test(arguments: [true, false]) func aReplyThatIsTooLongEndsTheConnection(blocks: Bool) async throws {
        let (near, far) = UnixSocketForTests.pair()
        let service = Thread {
            let socket = RawSocket(far)
            let filler = String(repeating: "x", count: 1 << 20)
            var sent = 0
            _ = socket.send("{\"parameters\":\"")
            while sent <= 2 * VarlinkLimits.replyBytes, socket.send(filler) { sent += filler.utf8.count }
        }
        let expected = VarlinkClientError(.tooLong(limit: VarlinkLimits.replyBytes))
        if blocks {
            var client = BlockingVarlinkClient(descriptor: near)
            #expect(throws: expected) { try client.call("org.example.test.Even") }
        } else {
            let client = try await VarlinkClient.attach(
                descriptor: near, on: MultiThreadedEventLoopGroup.singleton.any())
            await #expect(throws: expected) { try await client.call("org.example.test.Even") }
            await #expect(throws: VarlinkClientError.self) { try await client.call("org.example.test.Even") }
        }
        service.join()
    }

    @Test func noticesThatTheServiceIsGone() async throws {
        try await TestServer.with { server in
            let client = try await server.connect()
            let call = Task { try await client.call("org.example.test.Wait") }
            try await server.until { $1.waiting.count == 1 }
            try await server.loop.flatSubmit { server.server.value.close() }.get()
            await #expect(throws: VarlinkClientError.self) { try await call.value }
            await #expect(
                throws: VarlinkClientError.socket(
                    VarlinkSocketError(operation: .connect, errno: ENOENT, path: server.path))
            ) {
                try await server.connect()
            }
        }
    }

    @Test func readsAReplyOfManyMegabytes() async throws {
        var limits = VarlinkLimits()
        limits.requestBytes = 16 << 20
        try await TestServer.with(limits: limits) { server in
            let parameters = JSONBytes("{\"value\":{\"x\":\"\(String(repeating: "é", count: 1 << 20))\"}}")
            #expect(try await server.connect().call("org.example.test.Echo", parameters) == parameters)
            var client = try BlockingVarlinkClient(path: server.path)
            #expect(try client.call("org.example.test.Echo", parameters) == parameters)
        }
    }

    @Test func aRequestThatIsTooLongIsAnErrorOfTheService() async throws {
        try await TestServer.with { server in
            let parameters = JSONBytes("{\"value\":{\"x\":\"\(String(repeating: "x", count: 2 << 20))\"}}")
            var client = try BlockingVarlinkClient(path: server.path)
            #expect(throws: VarlinkClientError.error(.invalidParameter("requestBytes"))) {
                try client.call("org.example.test.Echo", parameters)
            }
            let other = try await server.connect()
            await #expect(throws: VarlinkClientError.error(.invalidParameter("requestBytes"))) {
                try await other.call("org.example.test.Echo", parameters)
            }
        }
    }
}

@Suite struct BlockingVarlinkClientTests {
    @Test func callsAndStreams() async throws {
        try await TestServer.with { server in
            var client = try BlockingVarlinkClient(path: server.path)
            try client.callOneway("org.example.test.Note", JSONBytes("{\"text\":\"b\"}"))
            #expect(try client.call("org.example.test.Echo", JSONBytes("{\"value\":{}}")).text == "{\"value\":{}}")
            var numbers: [Int64] = []
            try client.callMore("org.example.test.Count", JSONBytes("{\"to\":1000}")) { reply in
                numbers.append(try number(reply))
                return true
            }
            #expect(numbers == Array(0...1000))
            #expect(throws: VarlinkClientError.error(.methodNotFound("org.example.test.X"))) {
                try client.call("org.example.test.X")
            }
            #expect(try client.call("org.example.test.Release").text == "{}")
            var replies = 0
            try client.callMore("org.example.test.Flood", JSONBytes("{\"bytes\":10}")) { _ in
                replies += 1
                return replies < 10
            }
            #expect(replies == 10)
            #expect(try await server.onLoop { $1.notes } == ["b"])
        }
    }

    @Test func noticesThatTheServiceIsGone() async throws {
        let (near, far) = UnixSocketForTests.pair()
        var client = BlockingVarlinkClient(descriptor: near)
        // Not by closing alone: a program that another test starts has a copy of the descriptor until it runs.
        shutdown(far, CInt(SHUT_RDWR))
        close(far)
        #expect(throws: VarlinkClientError.socket(VarlinkSocketError(operation: .write, errno: EPIPE))) {
            try client.call("org.example.test.Release")
        }
    }
}
