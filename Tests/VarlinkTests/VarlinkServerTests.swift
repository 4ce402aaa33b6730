// The server over a real Unix socket, spoken to byte by byte.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import NIOCore
import Testing
import Varlink

@Suite struct VarlinkServerTests {
    @Test func answersPipelinedCallsInOrder() async throws {
        try await TestServer.with { server in
            let socket = try server.rawSocket()
            socket.send(
                "{\"method\":\"org.example.test.Echo\",\"parameters\":{\"value\":{\"a\":1}}}\0"
                    + "{\"method\":\"org.example.test.Note\",\"parameters\":{\"text\":\"x\"},\"oneway\":true}\0"
                    + "{\"method\":\"org.example.test.Nothing\"}\0"
                    + "{\"method\":\"org.example.test.Count\",\"parameters\":{\"to\":2},\"more\":true}\0"
                    + "{\"method\":\"org.example.test.Even\",\"parameters\":{\"number\":3}}\0")
            socket.endOutput()
            #expect(
                socket.receiveAll()
                    == "{\"parameters\":{\"value\":{\"a\":1}}}\0"
                    + "{\"error\":\"org.varlink.service.MethodNotFound\",\"parameters\":{\"method\":\"org.example.test.Nothing\"}}\0"
                    + "{\"parameters\":{\"number\":0},\"continues\":true}\0"
                    + "{\"parameters\":{\"number\":1},\"continues\":true}\0" + "{\"parameters\":{\"number\":2}}\0"
                    + "{\"error\":\"org.example.test.Odd\",\"parameters\":{\"number\":3}}\0")
            #expect(try await server.onLoop { $1.notes } == ["x"])
        }
    }

    @Test func aCallMayComeByteByByte() async throws {
        try await TestServer.with { server in
            let socket = try server.rawSocket()
            for byte in "{\"method\":\"org.example.test.Echo\",\"parameters\":{\"value\":{\"é\":1}}}\0".utf8 {
                var byte = byte
                #expect(Glibc.send(socket.descriptor, &byte, 1, 0) == 1)
            }
            #expect(socket.receive(messages: 1) == "{\"parameters\":{\"value\":{\"é\":1}}}\0")
        }
    }

    @Test func waitsForAnAnswerBeforeTheNextCall() async throws {
        try await TestServer.with { server in
            let socket = try server.rawSocket()
            socket.send(
                "{\"method\":\"org.example.test.Wait\"}\0{\"method\":\"org.example.test.Even\",\"parameters\":{\"number\":1}}\0"
            )
            try await server.until { $1.waiting.count == 1 }
            let other = try server.rawSocket()
            other.send("{\"method\":\"org.example.test.Release\"}\0")
            #expect(other.receive(messages: 1) == "{\"parameters\":{}}\0")
            #expect(
                socket.receive(messages: 2)
                    == "{\"parameters\":{\"waited\":true}}\0{\"error\":\"org.example.test.Odd\",\"parameters\":{\"number\":1}}\0"
            )
        }
    }

    @Test func readsOnWhenWhatWasSentAheadIsAnswered() async throws {
        var limits = VarlinkLimits()
        limits.requestBytes = 1000
        try await TestServer.with(limits: limits) { server in
            let socket = try server.rawSocket()
            socket.send("{\"method\":\"org.example.test.Wait\"}\0")
            try await server.until { $1.waiting.count == 1 }
            // Until the kernel's buffers are full and the server, given every chance, takes nothing more.
            let call = "{\"method\":\"org.example.test.Even\",\"parameters\":{\"number\":2}}\0"
            var sent = 0
            var before = -1
            while before != sent {
                before = sent
                sent += socket.sendWithoutWaiting(String(repeating: call, count: 10_000))
                for _ in 0..<10 { try await server.loop.submit {}.get() }
            }
            #expect(sent < 2_000_000)
            _ = try await server.connect().call("org.example.test.Release")
            let whole = (sent + call.utf8.count - 1) / call.utf8.count
            let rest = String(call.utf8.suffix(whole * call.utf8.count - sent)) ?? ""
            let sender = Thread {
                socket.send(rest)
                socket.endOutput()
            }
            #expect(
                socket.receiveAll()
                    == "{\"parameters\":{\"waited\":true}}\0"
                    + String(repeating: "{\"parameters\":{}}\0", count: whole))
            sender.join()
        }
    }

    @Test func takesNoMoreCallsFromAClientThatReadsNoAnswers() async throws {
        try await TestServer.with { server in
            let socket = try server.rawSocket()
            // The answer is many times as long as the call.
            let call =
                "{\"method\":\"org.varlink.service.GetInterfaceDescription\","
                + "\"parameters\":{\"interface\":\"org.example.test\"}}\0"
            let calls = String(repeating: call, count: 10_000)
            var sent = 0
            var before = -1
            while before != sent {
                before = sent
                let offset = sent % call.utf8.count
                sent += socket.sendWithoutWaiting(String(calls.utf8.dropFirst(offset)) ?? "")
                for _ in 0..<10 { try await server.loop.submit {}.get() }
            }
            #expect(sent < 4_000_000)
            let whole = (sent + call.utf8.count - 1) / call.utf8.count
            let rest = String(call.utf8.suffix(whole * call.utf8.count - sent)) ?? ""
            let sender = Thread {
                socket.send(rest)
                socket.endOutput()
            }
            let answers = socket.receiveAll().utf8.count { $0 == 0 }
            #expect(answers == whole)
            sender.join()
        }
    }

    @Test func answersAClientThatHasSaidAllItWillSay() async throws {
        try await TestServer.with { server in
            let socket = try server.rawSocket()
            socket.send("{\"method\":\"org.example.test.Wait\"}\0")
            socket.endOutput()
            try await server.until { $1.waiting.count == 1 }
            _ = try await server.connect().call("org.example.test.Release")
            #expect(socket.receiveAll() == "{\"parameters\":{\"waited\":true}}\0")
        }
    }

    @Test func hearsWhatAVanishedClientHadSaid() async throws {
        try await TestServer.with { server in
            do {
                let socket = try server.rawSocket()
                for number in 0..<100 {
                    socket.send(
                        "{\"method\":\"org.example.test.Note\",\"parameters\":{\"text\":\"\(number)\"},\"oneway\":true}\0"
                    )
                }
            }
            try await server.until { $1.notes.count == 100 }
            #expect(try await server.onLoop { $1.notes } == (0..<100).map { "\($0)" })
        }
    }

    @Test func tellsTheServiceThatAClientVanished() async throws {
        try await TestServer.with { server in
            do {
                let socket = try server.rawSocket()
                socket.send("{\"method\":\"org.example.test.Wait\",\"more\":true}\0")
                try await server.until { $1.waiting.count == 1 }
                #expect(try await server.onLoop { server, _ in server.connectionCount } == 1)
            }
            try await server.until { $1.closed == 1 }
            #expect(try await server.onLoop { server, _ in server.connectionCount } == 0)
            let ended = try await server.onLoop { _, handler in
                handler.waiting[0].reply()
                return handler.waiting[0].hasEnded
            }
            #expect(ended)
        }
    }

    @Test func tellsTheServiceOnceThatACallHasEnded() async throws {
        try await TestServer.with { server in
            let socket = try server.rawSocket()
            socket.send(
                "{\"method\":\"org.example.test.Echo\",\"parameters\":{\"value\":{}}}\0"
                    + "{\"method\":\"org.example.test.Even\",\"parameters\":{\"number\":1}}\0"
                    + "{\"method\":\"org.example.test.Count\",\"parameters\":{\"to\":5},\"more\":true}\0")
            _ = socket.receive(messages: 8)
            #expect(try await server.onLoop { $1.ended } == 3)
            do {
                let vanishing = try server.rawSocket()
                vanishing.send("{\"method\":\"org.example.test.Wait\"}\0")
                try await server.until { $1.waiting.count == 1 }
            }
            try await server.until { $1.closed == 1 }
            #expect(try await server.onLoop { $1.ended } == 4)
        }
    }

    @Test func refusesAMessageThatIsTooLong() async throws {
        try await TestServer.with { server in
            let start = "{\"method\":\"org.example.test.Echo\",\"parameters\":{\"value\":{\"x\":\""
            let end = "\"}}}"
            let filler = String(repeating: "x", count: VarlinkLimits.requestBytes - start.utf8.count - end.utf8.count)
            let socket = try server.rawSocket()
            #expect(socket.send(start + filler + end + "\0"))
            #expect(socket.receive(messages: 1) == "{\"parameters\":{\"value\":{\"x\":\"" + filler + "\"}}}\0")
            // One byte more, and the answer comes before the request has ended.
            socket.send(start + filler + "x" + end)
            #expect(
                socket.receiveAll()
                    == "{\"error\":\"org.varlink.service.InvalidParameter\",\"parameters\":{\"parameter\":\"requestBytes\"}}\0"
            )
        }
    }

    @Test func answersNonsenseAndCloses() async throws {
        try await TestServer.with { server in
            let socket = try server.rawSocket()
            socket.send("{\"method\":\"org.example.test.Even\",\"parameters\":{\"number\":2}}\0nonsense\0{}\0")
            #expect(
                socket.receiveAll()
                    == "{\"parameters\":{}}\0"
                    + "{\"error\":\"org.varlink.service.InvalidParameter\",\"parameters\":{\"parameter\":\"message\"}}\0"
            )
        }
    }

    @Test func limitsConnections() async throws {
        var limits = VarlinkLimits()
        limits.connections = 2
        limits.error = {
            VarlinkError("org.example.Full", parameters: JSONBytes("{\"limit\":\"\($0)\",\"value\":\($1)}"))
        }
        try await TestServer.with(limits: limits) { server in
            let first = try server.rawSocket()
            let echo = "{\"method\":\"org.example.test.Even\",\"parameters\":{\"number\":0}}\0"
            first.send(echo)
            #expect(first.receive(messages: 1) == "{\"parameters\":{}}\0")
            do {
                let second = try server.rawSocket()
                second.send(echo)
                #expect(second.receive(messages: 1) == "{\"parameters\":{}}\0")
                let full = "{\"error\":\"org.example.Full\",\"parameters\":{\"limit\":\"connections\",\"value\":2}}\0"
                #expect(try server.rawSocket().receiveAll() == full)
                var blocking = try BlockingVarlinkClient(path: server.path)
                do throws(VarlinkClientError) {
                    _ = try blocking.call("org.example.test.Release")
                    Issue.record("admitted")
                } catch {
                    guard case .error(let error) = error else {
                        Issue.record("\(error)")
                        return
                    }
                    #expect(error.name == "org.example.Full")
                }
                second.send("{\"method\":\"org.example.test.Wait\"}\0")
                try await server.until { $1.waiting.count == 1 }
            }
            try await server.until { $1.closed == 1 }
            let third = try server.rawSocket()
            third.send(echo)
            #expect(third.receive(messages: 1) == "{\"parameters\":{}}\0")
        }
    }

    @Test func knowsItsCallers() async throws {
        try await TestServer.with { server in
            let reply = try await server.connect().call("org.example.test.WhoAmI")
            let own = PeerCredentials.current
            #expect(
                reply.text
                    == "{\"pid\":\(own.processID),\"uid\":\(own.userID),\"gid\":\(own.groupID),\"groups\":\(own.groups)}"
                    .filter { $0 != " " })
        }
    }

    @Test func servesASocketPair() async throws {
        try await TestServer.with { server in
            let (near, far) = UnixSocketForTests.pair()
            try await server.loop.flatSubmit { server.server.value.attach(descriptor: far) }.get()
            var client = BlockingVarlinkClient(descriptor: near)
            #expect(try client.call("org.example.test.Echo", JSONBytes("{\"value\":{}}")).text == "{\"value\":{}}")
        }
    }

    @Test func servesAnInheritedSocket() async throws {
        try await TestServer.with { server in
            let path = server.path + ".inherited"
            let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
            let bound = withUnsafePointer(to: address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            #expect(bound == 0)
            defer { unlink(path) }
            #expect(listen(descriptor, 5) == 0)
            try await server.loop.flatSubmit { server.server.value.listen(descriptor: descriptor) }.get()
            var client = try BlockingVarlinkClient(path: path)
            #expect(try client.call("org.example.test.Release").text == "{}")
        }
    }
}

@Suite struct VarlinkSocketFileTests {
    private func listen(_ server: TestServer, _ path: String) async -> CInt? {
        do {
            try await server.loop.flatSubmit {
                do { return try server.server.value.listen(path: path, mode: 0o640) } catch {
                    return server.loop.makeFailedFuture(error)
                }
            }.get()
            return nil
        } catch {
            return (error as? VarlinkSocketError)?.errno ?? -1
        }
    }

    @Test func replacesOnlyADeadSocket() async throws {
        try await TestServer.with { server in
            #expect(await listen(server, server.path) == EADDRINUSE, "somebody answers")
            _ = try await server.connect().call("org.example.test.Release")

            let other = server.path + ".other"
            let file = fopen(other, "w")
            if let file { fclose(file) }
            #expect(await listen(server, other) == EADDRINUSE, "a file that is no socket")
            #expect(access(other, F_OK) == 0)
            unlink(other)

            // Everyone who may list a directory may lock it.
            let directory = open(String(other[..<other.lastIndex(of: "/")!]), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            defer { close(directory) }
            try #require(flock(directory, LOCK_EX | LOCK_NB) == 0)
            let lock = open(other + ".lock", O_RDWR | O_CLOEXEC)
            defer { close(lock) }
            var status = stat()
            #expect(fstat(lock, &status) == 0 && status.st_mode == S_IFREG | 0o600 && status.st_size == 0)
            try #require(flock(lock, LOCK_EX | LOCK_NB) == 0)
            #expect(await listen(server, other) == EADDRINUSE, "another process does the same")
            try #require(flock(lock, LOCK_UN) == 0)
            #expect(await listen(server, server.path + ".none/socket") == ENOENT, "the directory is missing")

            let dead = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: other.utf8) }
            let bound = withUnsafePointer(to: address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Glibc.bind(dead, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            #expect(bound == 0)
            close(dead)
            #expect(await listen(server, other) == nil)
            #expect(lstat(other, &status) == 0)
            #expect(status.st_mode & 0o7777 == 0o640)
            var client = try BlockingVarlinkClient(path: other)
            #expect(try client.call("org.example.test.Release").text == "{}")
        }
    }

    @Test func removesItsFileAndNoOther() async throws {
        try await TestServer.with { server in
            let other = server.path + ".b"
            #expect(await listen(server, other) == nil)
            unlink(other)
            let file = fopen(other, "w")
            if let file { fclose(file) }
            try await server.loop.flatSubmit { server.server.value.close() }.get()
            #expect(access(server.path, F_OK) != 0)
            #expect(access(other, F_OK) == 0)
            unlink(other)
        }
    }

    @Test func saysWhatIsWrongWithAPath() async throws {
        try await TestServer.with { server in
            #expect(await listen(server, "/nonexistent/socket") == ENOENT)
            #expect(await listen(server, "/tmp/" + String(repeating: "x", count: 104)) == ENAMETOOLONG)
            #expect(await listen(server, "/tmp/a\0b") == EINVAL)
            do throws(VarlinkClientError) {
                _ = try BlockingVarlinkClient(path: server.path + ".none")
                Issue.record("connected")
            } catch {
                #expect(
                    error
                        == .socket(
                            VarlinkSocketError(operation: .connect, errno: ENOENT, path: server.path + ".none")))
            }
        }
    }
}
