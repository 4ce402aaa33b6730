// Live queries that follow the time of day, over the socket.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import GatherProtocol
import Glibc
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

@Suite(.timeLimit(.minutes(20))) struct ClockFollowingTests {
    /// A directory with a file that was changed an hour ago.
    private static func directory(_ name: String) throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory()
        try directory.write("", to: "tree/" + name)
        let then = timespec(tv_sec: time(nil) - 3_600, tv_nsec: 0)
        #expect(utimensat(AT_FDCWD, directory.path + "/tree/" + name, [then, then], 0) == 0)
        return directory
    }

    /// More live queries begin in one turn than are brought to the present at once, and time changes nothing for any.
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
}
