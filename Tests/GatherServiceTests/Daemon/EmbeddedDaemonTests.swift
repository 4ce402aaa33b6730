// The engine within a program: its containers, its end, and that it takes no watches where none are wanted.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Glibc
import NIOCore
import NIOPosix
import Testing
import Varlink

@testable import GatherService

struct EmbeddedDaemonTests {
    @Test func `Containers are named after their directories, without those that lie in others`() throws {
        let directory = try TemporaryDirectory()
        for name in ["a", "b"] {
            try directory.makeDirectory(name)
            try directory.makeDirectory("\(name)/src")
        }
        try directory.makeDirectory(".hidden ü")
        let path = directory.path
        let containers = try EmbeddedDaemon.containers(
            ["\(path)/a/src", "\(path)/b/src", "\(path)/b/src", "\(path)/b/src/", "\(path)/.hidden ü"])
        #expect(containers.map(\.path).sorted() == ["\(path)/.hidden ü", "\(path)/a/src", "\(path)/b/src"])
        #expect(containers.map(\.identifier).sorted() == ["hidden__", "src", "src-2"])
        #expect(try EmbeddedDaemon.containers(["\(path)/a/src", path]).map(\.path) == [path])
        #expect(try EmbeddedDaemon.containers(["/"]).map(\.identifier) == ["root"])
    }

    @Test(arguments: [false, true]) func `Answers, and ends with all of its threads`(watches: Bool) async throws {
        let directory = try TemporaryDirectory()
        for number in 0..<50 { try directory.write("x", to: "d\(number % 7)/f\(number)") }
        let daemon = try await onThread {
            try EmbeddedDaemon(directories: [directory.path], watches: watches, warn: { Issue.record("\($0)") })
        }
        var client = BlockingVarlinkClient(descriptor: try daemon.connect())
        let reply = try client.call(
            QueryInterface.Count.name,
            JSONBytes(QueryInterface.Count.Request(predicate: "name BEGINSWITH 'f'", scopes: nil, sync: true)))
        #expect(try reply.decode(QueryInterface.Count.Reply.self).count == 50)
        let listed = try client.call(ContainerInterface.List.name)
        let container = try #require(try listed.decode(ContainerInterface.List.Reply.self).containers.first)
        #expect(container.state == .live)
        #expect(container.watches == (watches ? 8 : 0))
        #expect(container.polled == 0)
        try await onThread { daemon.close() }
        // A caller that failed to begin the next daemon may still hold this one, and close it again.
        try await onThread { daemon.close() }
        var failure: VarlinkClientError?
        do throws(VarlinkClientError) {
            _ = try client.call(ContainerInterface.List.name)
        } catch {
            failure = error
        }
        #expect(failure != nil)
    }

    /// Runs a blocking call on a thread of its own.
    private func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await NIOSingletons.posixBlockingThreadPool.runIfActive(body)
    }
}
