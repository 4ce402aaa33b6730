// A server bears callers that send or read in bad ways, and the others do not notice them.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import NIOCore
import TestSupport
import Testing
import Varlink

struct ServerLimitsTests {
    private let echo = "{\"method\":\"org.example.test.Even\",\"parameters\":{\"number\":2}}\0"
    private let answer = "{\"parameters\":{}}\0"

    private func refusal(_ limit: String) -> String {
        "{\"error\":\"org.varlink.service.InvalidParameter\",\"parameters\":{\"parameter\":\"\(limit)\"}}\0"
    }

    private func note(_ text: String) -> String {
        "{\"method\":\"org.example.test.Note\",\"parameters\":{\"text\":\"\(text)\"},\"oneway\":true}\0"
    }

    /// A socket that the server has taken.
    private func answeredSocket(_ server: TestServer) throws -> RawSocket {
        let socket = try server.rawSocket()
        socket.send(echo)
        #expect(socket.receive(messages: 1) == answer)
        return socket
    }

    /// A crowd that connects at once, while the server is busy with something else, waits to be accepted.
    @Test(arguments: [false, true]) func aCrowdThatConnectsAtOnceIsTaken(isInherited: Bool) async throws {
        var most = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &most)
        most.rlim_cur = most.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &most)
        // Both ends are in this process, among those of other tests.
        let count = min(3_000, Int(clamping: most.rlim_cur) / 4)
        try #require(count > 128)
        var limits = VarlinkLimits()
        limits.connections = 10_000
        limits.connectionsPerUser = 10_000
        try await TestServer.with(limits: limits, isInherited: isInherited) { server in
            let crowd = try await server.onLoop { _, _ in
                // Nothing is accepted until this returns.
                (0..<count).map { _ in RawSocket.connectAtOnce(to: server.path) }
            }
            #expect(crowd.count { $0 == nil } == 0)
            // They are accepted in order.
            let last = try #require(crowd.last ?? nil)
            last.send(echo)
            #expect(last.receive(messages: 1) == answer)
            #expect(try await server.onLoop { server, _ in server.connectionCount } == count)
        }
    }

    @Test("A request that never ends is given up", arguments: ["{", "{\"method\":\"org.example.test.Even\""])
    func lateRequests(beginning: String) async throws {
        var limits = VarlinkLimits()
        limits.requestTime = .milliseconds(20)
        try await TestServer.with(limits: limits) { server in
            let waiting = try server.rawSocket()
            waiting.send("{\"method\":\"org.example.test.Wait\"}\0{\"meth")
            try await server.until { $1.waiting.count == 1 }
            let late = try server.rawSocket()
            late.send(echo + beginning)
            #expect(late.receiveAll() == answer + refusal("requestTime"))
            // Bytes that a caller sends ahead while it waits for an answer have all the time they need; then the clock runs.
            let other = try server.rawSocket()
            other.send("{\"method\":\"org.example.test.Release\"}\0")
            #expect(other.receive(messages: 1) == answer)
            #expect(waiting.receiveAll() == "{\"parameters\":{\"waited\":true}}\0" + refusal("requestTime"))
            other.send(echo)
            #expect(other.receive(messages: 1) == answer)
        }
    }

    @Test func aByteAtATimeHasItsTimeOnce() async throws {
        var limits = VarlinkLimits()
        limits.requestTime = .milliseconds(50)
        try await TestServer.with(limits: limits) { server in
            let socket = try server.rawSocket()
            // Each byte comes in time; the message does not.
            while socket.send("x") {}
            #expect(socket.receiveAll() == refusal("requestTime"))
        }
    }

    @Test func unfinishedRequestsAreBoundedInAll() async throws {
        var limits = VarlinkLimits()
        limits.requestBytes = 100_000
        limits.requestBytesInAll = 400_000
        try await TestServer.with(limits: limits) { server in
            let small = try server.rawSocket()
            small.send("{\"method\":\"org.example.test.Even\",")
            let hogs = try (0..<20).map { _ in try answeredSocket(server) }
            for hog in hogs { hog.send(String(repeating: "x", count: 90_000)) }
            // At least seventeen of them must go; each is told, and closed.
            while try await server.onLoop({ server, _ in server.connectionCount }) > 5 {}
            small.send("\"parameters\":{\"number\":2}}\0")
            #expect(small.receive(messages: 1) == answer)
            for hog in hogs { hog.endOutput() }
            let told = hogs.map { $0.receiveAll() }
            #expect(told.count { $0 == refusal("requestBytesInAll") } >= 16)
            #expect(Set(told).isSubset(of: [refusal("requestBytesInAll"), ""]))
        }
    }

    @Test func untakenRepliesAreBoundedInAll() async throws {
        var limits = VarlinkLimits()
        limits.replyBytesInAll = 2_000_000
        try await TestServer.with(limits: limits) { server in
            let reader = try await server.connect()
            var replies = reader.callMore("org.example.test.Flood", JSONBytes("{\"bytes\":10}")).makeAsyncIterator()
            let hogs = try (0..<30).map { _ in try server.rawSocket() }
            for hog in hogs {
                hog.send("{\"method\":\"org.example.test.Flood\",\"parameters\":{\"bytes\":400000},\"more\":true}\0")
            }
            while try await server.onLoop({ server, handler in handler.closed }) < 20 {
                #expect(try await replies.next() != nil)
            }
            let other = try server.rawSocket()
            other.send(echo)
            #expect(other.receive(messages: 1) == answer)
            for _ in 0..<100 { #expect(try await replies.next() != nil) }
            _ = hogs
        }
    }

    /// One caller sends 24 calls ahead. Another's call comes while the loop stands still in the first of them and has
    /// already read the rest: 24 calls fit into one read of 2,048 bytes. The other is found only where the loop looks at
    /// its descriptors before it has answered all of them. Otherwise it comes last.
    ///
    /// The loop looks within a pause between two turns. On a busy machine all pauses of one attempt may be over before the
    /// loop can look, so there are up to 20 attempts. Without the pauses the other comes last in each of them.
    ///
    /// `onNote` is called on the loop with the text of each call, and with a closure that says whether all were answered.
    private func expectOthersAreHeard(
        sourceLocation: SourceLocation = #_sourceLocation,
        onNote: @escaping @Sendable (_ text: String, any EventLoop, _ isOver: @escaping @Sendable () -> Bool) -> Void
    ) async throws {
        let calls = 24
        for _ in 0..<20 where try await place(among: calls, onNote: onNote) < calls { return }
        Issue.record("the other call was always the last", sourceLocation: sourceLocation)
    }

    /// The number of calls that were answered before the other's.
    private func place(
        among calls: Int,
        onNote: @escaping @Sendable (_ text: String, any EventLoop, _ isOver: @escaping @Sendable () -> Bool) -> Void
    ) async throws -> Int {
        var limits = VarlinkLimits()
        limits.callsPerTurn = 1
        var place = Int.max
        try await TestServer.with(limits: limits) { server in
            let (many, one) = (try answeredSocket(server), try answeredSocket(server))
            let (reached, open) = (Signal(), Signal())
            try await server.onLoop { server, handler in
                let (loop, notes) = (server.eventLoop, NIOLoopBound(handler, eventLoop: server.eventLoop))
                handler.onNote = { text in
                    onNote(text, loop) { notes.value.notes.count == calls + 2 }
                    guard text == "stand" else { return }
                    reached.give()
                    open.wait()
                }
            }
            many.send(note("stand") + String(repeating: note("many"), count: calls))
            reached.wait()
            one.send(note("one"))
            open.give()
            try await server.until { $1.notes.count == calls + 2 }
            place = try await server.onLoop { $1.notes.firstIndex(of: "one") ?? .max }
        }
        return place
    }

    @Test func aCallerWhoSendsAheadLetsOthersIn() async throws {
        try await expectOthersAreHeard { _, _, _ in }
    }

    /// Also where the loop has tasks that take longer than the pause between two turns, one after the other.
    @Test func aCallerWhoSendsAheadLetsOthersInOnABusyLoop() async throws {
        @Sendable func work(on loop: any EventLoop, _ isOver: @escaping @Sendable () -> Bool) {
            Patience.work(for: .microseconds(300))
            if !isOver() { loop.scheduleTask(in: .microseconds(10)) { work(on: loop, isOver) } }
        }
        try await expectOthersAreHeard { text, loop, isOver in
            if text != "stand" { return Patience.work(for: .microseconds(50)) }
            loop.execute { work(on: loop, isOver) }
        }
    }

    @Test func aCallerWhoVanishesWhileHeldBackIsNoticed() async throws {
        try await TestServer.with { server in
            do {
                let socket = try server.rawSocket()
                socket.send("{\"method\":\"org.example.test.Wait\"}\0")
                try await server.until { $1.waiting.count == 1 }
                let filler = String(repeating: "x", count: 100_000)
                while socket.sendWithoutWaiting(filler) > 0 {
                    for _ in 0..<10 { try await server.loop.submit {}.get() }
                }
            }
            while try await server.onLoop({ server, _ in server.connectionCount }) > 0 {}
            #expect(try await server.onLoop { $1.closed } == 1)
        }
    }

    @Test func aHalfOpenCallerIsAnsweredUntilItIsGone() async throws {
        try await TestServer.with { server in
            do {
                let socket = try server.rawSocket()
                socket.send("{\"method\":\"org.example.test.Wait\"}\0")
                socket.endOutput()
                try await server.until { $1.waiting.count == 1 }
                #expect(try await server.onLoop { server, _ in server.connectionCount } == 1)
            }
            while try await server.onLoop({ server, _ in server.connectionCount }) > 0 {}
            #expect(try await server.onLoop { $1.closed } == 1)
        }
    }

    /// The padding of a request is not kept for as long as the answer takes.
    @Test func aCallThatWaitsKeepsNothingOfItsRequest() async throws {
        try await TestServer.with { server in
            let socket = try server.rawSocket()
            let padding = String(repeating: " ", count: 500_000)
            socket.send("{\"method\":\"org.example.test.Wait\",\"parameters\":{}\(padding)}\0")
            try await server.until { $1.waiting.count == 1 }
            let kept = try await server.onLoop { $1.waiting[0].parameters.buffer.storageCapacity }
            #expect(kept <= 64)
        }
    }
}
