// Limits of one user of the system's daemon: past them that user is refused, and no other notices.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Glibc
import TestSupport
import Testing

@testable import GatherService

@Suite(.needsRoot("other users")) struct UserLimitTests {
    private static let one = OtherUser(user: 41_011, group: 42_011)
    private static let other = OtherUser(user: 41_012, group: 42_011)

    private static func run(limits: ServiceLimits, _ body: (DaemonFixture) async throws -> Void) async throws {
        let directory = try TemporaryDirectory()
        chmod(directory.path, 0o755)
        try directory.makeDirectory("tree")
        chmod(directory.path + "/tree", 0o755)
        try directory.write("x", to: "tree/file")
        try await DaemonFixture.run(directory: directory, isSystem: true, limits: limits) { daemon in
            chmod(daemon.socket, 0o666)
            try await body(daemon)
        }
    }

    private static func isServed(_ caller: RawCaller) -> Bool {
        caller.call("Query.Count", "{\"predicate\":\"name == 'file'\"}")
        return caller.next().contains("\"count\":1")
    }

    @Test func connections() async throws {
        var limits = ServiceLimits()
        limits.connectionsPerUser = 3
        try await Self.run(limits: limits) { daemon in
            var held = try (0..<3).map { _ in try RawCaller(daemon, as: Self.one) }
            for caller in held { #expect(Self.isServed(caller)) }
            let refused = try RawCaller(daemon, as: Self.one)
            let answer = refused.next()
            #expect(answer.contains("LimitExceeded"), "\(answer)")
            #expect(answer.contains("\"limit\":\"connectionsPerUser\""), "\(answer)")
            #expect(answer.contains("\"value\":3"), "\(answer)")
            #expect(refused.isClosed)
            // Root has no such limit, and another user has one of their own.
            let others = try (0..<3).map { _ in try RawCaller(daemon, as: Self.other) }
            let ofRoot = try (0..<8).map { _ in try RawCaller(daemon) }
            for caller in held + others + ofRoot { #expect(Self.isServed(caller)) }
            // A place is free as soon as the daemon has seen that its holder is gone.
            held.removeLast()
            while !Self.isServed(try RawCaller(daemon, as: Self.one)) {}
            for caller in held { #expect(Self.isServed(caller)) }
        }
    }

    @Test func liveQueries() async throws {
        var limits = ServiceLimits()
        limits.liveQueriesPerUser = 2
        try await Self.run(limits: limits) { daemon in
            func watch(_ user: OtherUser?) throws -> (caller: RawCaller, answer: String) {
                let caller = try RawCaller(daemon, as: user)
                caller.call("Query.Watch", "{\"predicate\":\"\"}", ",\"more\":true")
                return (caller, caller.next())
            }
            var held = try (0..<2).map { _ in try watch(Self.one) }
            for query in held { #expect(query.answer.contains("started")) }
            let refused = try watch(Self.one)
            #expect(refused.answer.contains("\"limit\":\"liveQueriesPerUser\""), "\(refused.answer)")
            #expect(refused.answer.contains("\"value\":2"), "\(refused.answer)")
            #expect(Self.isServed(refused.caller), "the connection goes on")
            let others = try (0..<2).map { _ in try watch(Self.other) } + (0..<6).map { _ in try watch(nil) }
            for query in others { #expect(query.answer.contains("started")) }
            held.removeLast()
            while try !watch(Self.one).answer.contains("started") {}
        }
    }

    /// The bytes of long predicates of live queries are bounded beside their number.
    @Test func predicates() async throws {
        var limits = ServiceLimits()
        limits.predicateBytesPerUser = 100
        try await Self.run(limits: limits) { daemon in
            func watch(_ user: OtherUser?, bytes: Int) throws -> (caller: RawCaller, answer: String) {
                let caller = try RawCaller(daemon, as: user)
                let name = String(repeating: "x", count: bytes - "name == ''".utf8.count)
                caller.call("Query.Watch", "{\"predicate\":\"name == '\(name)'\"}", ",\"more\":true")
                return (caller, caller.next())
            }
            var held = [try watch(Self.one, bytes: 60)]
            #expect(held[0].answer.contains("started"))
            let refused = try watch(Self.one, bytes: 41)
            #expect(refused.answer.contains("\"limit\":\"predicateBytesPerUser\""), "\(refused.answer)")
            #expect(refused.answer.contains("\"value\":100"), "\(refused.answer)")
            #expect(Self.isServed(refused.caller), "the connection goes on")
            let others = [
                try watch(Self.one, bytes: 40), try watch(Self.other, bytes: 100), try watch(nil, bytes: 400),
            ]
            for query in others { #expect(query.answer.contains("started"), "\(query.answer)") }
            held.removeLast()
            while try !watch(Self.one, bytes: 60).answer.contains("started") {}
        }
    }
}
