// Live queries that follow the time of day, over the socket: many at once, and long ones.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import GatherProtocol
import Glibc
import TestSupport
import Testing

@testable import GatherService

/// Where a thread stands still until a test lets it go on.
private final class Gate: Sendable {
    private let reached = DispatchSemaphore(value: 0)
    private let released = DispatchSemaphore(value: 0)

    /// For whoever is to stand still.
    func pass() {
        reached.signal()
        released.wait()
    }

    func waitUntilReached() { reached.wait() }
    func open() { released.signal() }
}

struct ClockFollowingTests {
    /// A directory with a file that was changed an hour ago.
    private static func directory(_ name: String) throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory()
        try directory.write("", to: "tree/" + name)
        let then = timespec(tv_sec: time(nil) - 3_600, tv_nsec: 0)
        #expect(utimensat(AT_FDCWD, directory.path + "/tree/" + name, [then, then], 0) == 0)
        return directory
    }

    /// More live queries begin in one iteration than are brought to the present at once, and time changes nothing for any.
    @Test func manyThatBeginInOneTurnGather() async throws {
        let gate = Gate()
        // It is the event loop that says so.
        let log = LogRecorder { line in if line.contains("cannot be evaluated") { gate.pass() } }
        let directory = try Self.directory(String(repeating: "a", count: 200))
        try await DaemonFixture.run(directory: directory, log: log) { daemon in
            let callers = try (0..<6).map { _ in try RawCaller(daemon) }
            for caller in callers {
                caller.call("Query.Attributes", "{}")
                #expect(caller.next().contains("xattr"))
            }
            let hostile = try RawCaller(daemon)
            hostile.call(
                "Query.Watch", "{\"predicate\":\"name MATCHES '(([a-z])+.)+[A-Z]([a-z])+'\"}", ",\"more\":true")
            gate.waitUntilReached()
            for caller in callers {
                caller.call("Query.Watch", "{\"predicate\":\"modified > $time.now(-60)\"}", ",\"more\":true")
            }
            gate.open()
            for caller in callers {
                var last = caller.next()
                while !last.isEmpty, !last.contains("\"gathered\"") { last = caller.next() }
                #expect(last.contains("\"count\":0"))
            }
        }
    }

    /// Predicates that are too long for the event loop are planned elsewhere, for the caller, and go on from there.
    @Test(.needsRoot("other users"), arguments: [nil, OtherUser(user: 41_051, group: 42_051)])
    func longPredicatesFollowTheClock(user: OtherUser?) async throws {
        var limits = ServiceLimits()
        limits.predicateBytesOnLoop = 8
        limits.predicateBytesAskedAgain = 64
        let directory = try Self.directory("old")
        chmod(directory.path, 0o755)
        try await DaemonFixture.run(directory: directory, isSystem: true, limits: limits) { daemon in
            chmod(daemon.socket, 0o666)
            for predicate in [
                "modified < $time.now(-60)", "modified < $time.now(-60) AND created >= $time.this_year(-9)",
            ] {
                let found = try await daemon.call(
                    QueryInterface.Find.self, .init(predicate: predicate, attributes: ["name"]), as: user)
                #expect(found.items.compactMap(\.name) == ["old"])
                let request = QueryInterface.Watch.Request(predicate: predicate)
                let subscriber = try await Subscriber(daemon, request, as: user)
                try await subscriber.gather()
                #expect(subscriber.items.count == 1)
                #expect(utimensat(AT_FDCWD, daemon.tree + "/old", nil, 0) == 0)
                while !subscriber.items.isEmpty { try await subscriber.next() }
                // Its asker sees other items from now on, and then others again.
                chmod(daemon.tree, 0o700)
                try await daemon.flush()
                chmod(daemon.tree, 0o755)
                let then = timespec(tv_sec: time(nil) - 3_600, tv_nsec: 0)
                #expect(utimensat(AT_FDCWD, daemon.tree + "/old", [then, then], 0) == 0)
                while subscriber.items.isEmpty { try await subscriber.next() }
                let back = try await subscriber.comeBack(daemon, request, as: user)
                #expect(try await back.next().event == .started)
                try await back.gather()
                #expect(back.items.count == 1 && back.violations.isEmpty)
                await back.close()
            }
            let short = "TERNARY(modified > now(), 1, 0) == 1"
            let subscriber = try await Subscriber(daemon, .init(predicate: short), as: user)
            try await subscriber.gather()
            await subscriber.close()
            let caller = try RawCaller(daemon, as: user)
            caller.call("Query.Watch", "{\"predicate\":\"\(short) OR \(short)\"}", ",\"more\":true")
            #expect(caller.error() == "LimitExceeded")
        }
    }
}
