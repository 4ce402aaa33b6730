// Callers that vanish, connect too often or do not read: they are told, and the others are served exactly meanwhile.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Glibc
import LiveQueries
import NIOCore
import Testing
import Varlink

@testable import GatherService

struct HostileConnectionTests {
    // MARK: Connections

    @Test func callersWhoVanishLeaveNothingBehind() async throws {
        try await Bystanders.run(prepare: {
            for number in 0..<3_000 { try $0.write("", to: "tree/\(Bystanders.longName)\(number)") }
        }) {
            daemon, areServed in
            for round in 0..<60 {
                let caller = try RawCaller(daemon)
                let flags = round % 3 == 0 ? "" : ",\"more\":true"
                caller.call(round % 3 == 1 ? "Query.Watch" : "Query.Find", "{\"predicate\":\"\"}", flags)
                if round % 2 == 0 { _ = caller.next() }
                if round % 5 == 0 { caller.endOutput() }
                if round % 20 == 0 { try await areServed() }
            }
            func status() async throws -> ServiceInterface.Status.Reply {
                try await daemon.call(ServiceInterface.Status.self, .init())
            }
            // Ours, and the one that asks; the bystander's is the only live query.
            while try await status().connections > 2 {}
            #expect(try await status().liveQueries == 1)
        }
    }

    @Test func manyConnections() async throws {
        var limits = ServiceLimits()
        limits.connections = 300
        try await Bystanders.run(limits: limits) { daemon, areServed in
            for round in 0..<3_000 {
                _ = try RawCaller(daemon)
                if round % 500 == 0 { try await areServed() }
            }
            let held = try (0..<400).map { _ in try RawCaller(daemon) }
            #expect(held[399].error() == "LimitExceeded")
            #expect(held[399].isClosed)
            held[0].call("Query.Count", "{\"predicate\":\"name == 'Good_1'\"}")
            #expect(held[0].next().contains("\"count\":1"))
        }
    }

    @Test func liveQueriesAreBounded() async throws {
        var limits = ServiceLimits()
        limits.liveQueries = 3
        try await Bystanders.run(limits: limits) { daemon, areServed in
            let callers = try (0..<5).map { _ in try RawCaller(daemon) }
            let answers = callers.map { caller in
                caller.call("Query.Watch", "{\"predicate\":\"\"}", ",\"more\":true")
                return caller.next()
            }
            #expect(answers.count { $0.contains("started") } == 2)
            #expect(answers.count { $0.contains("\"limit\":\"liveQueries\"") } == 3)
        }
    }

    @Test func answersWaitForTheirTurn() async throws {
        var limits = ServiceLimits()
        limits.answersPerUser = 2
        let reply = try await replyWhileTwoAnswersWait(limits)
        #expect(reply.contains("\"limit\":\"answersPerUser\",\"value\":2"), "\(reply)")
    }

    /// The limit that is named is the one that is passed: here not the caller's own.
    @Test func answersInAllAreBounded() async throws {
        var limits = ServiceLimits()
        limits.answers = 2
        let reply = try await replyWhileTwoAnswersWait(limits)
        #expect(reply.contains("LimitExceeded"))
        #expect(reply.contains("\"limit\":\"answers\",\"value\":2"), "\(reply)")
    }

    /// As with answers: a caller that waits because of others is told how many there are in all.
    @Test func scansAreBounded() async throws {
        // No turn comes, as where others have taken all.
        try await Self.expectNoTurn("size >= 0", "scans") { $0.scansAtOnce = 0 }
        try await Self.expectNoTurn("size >= 0", "scansPerUser") { $0.scansPerUser = 0 }
        try await Self.expectNoTurn("owner == 'nobody'", "accountNames") { $0.namingAtOnce = 0 }
    }

    private static func expectNoTurn(
        _ predicate: String, _ limit: String, _ lower: (inout ServiceLimits) -> Void
    ) async throws {
        var limits = ServiceLimits()
        lower(&limits)
        (limits.turnTime, limits.rowsScannedOnLoop) = (.milliseconds(20), -1)
        try await DaemonFixture.run(limits: limits) { daemon in
            for method in ["Find", "Count"] {
                let caller = try RawCaller(daemon)
                caller.call("Query.\(method)", "{\"predicate\":\"\(predicate)\"}")
                let reply = caller.next()
                #expect(reply.contains("LimitExceeded"), "\(reply)")
                #expect(reply.contains("\"limit\":\"\(limit)\",\"value\":0"), "\(reply)")
            }
        }
    }

    /// The reply to a question beside two callers who do not take their answers. When they are gone their places are free.
    private func replyWhileTwoAnswersWait(_ limits: ServiceLimits) async throws -> String {
        var limits = limits
        limits.turnTime = .milliseconds(20)
        let directory = try TemporaryDirectory()
        try directory.makeDirectory("tree")
        for number in 0..<3_000 { try directory.write("", to: "tree/\(Bystanders.longName)\(number)") }
        var reply = ""
        try await DaemonFixture.run(directory: directory, limits: limits) { daemon in
            do {
                let hogs = try (0..<2).map { _ in try RawCaller(daemon) }
                for hog in hogs {
                    hog.call("Query.Find", "{\"predicate\":\"\"}", ",\"more\":true")
                    #expect(hog.next().contains("items"))
                }
                let late = try RawCaller(daemon)
                late.call("Query.Count", "{\"predicate\":\"\"}")
                reply = late.next()
            }
            while (try? await daemon.find("name == 'x'")) == nil {}
        }
        return reply
    }

    // MARK: Readers

    @Test func aSubscriberFarBehindEndsAndComesBack() async throws {
        var limits = ServiceLimits()
        limits.pendingItems = 1_000
        try await Bystanders.run(limits: limits) { daemon, areServed in
            let request = QueryInterface.Watch.Request(predicate: "name LIKE 'a*'")
            var subscriber = try await Subscriber(daemon, request)
            try await subscriber.gather()
            let files = 12_000
            for number in 0..<files {
                try daemon.directory.write("", to: "tree/\(Bystanders.longName)\(number)")
                if number % 4_000 == 0 { try await areServed() }
            }
            try await daemon.flush()
            await #expect {
                while true { try await subscriber.next() }
            } throws: { error in
                "\(error)".contains("\"pendingItems\"")
            }
            subscriber = try await subscriber.comeBack(daemon, request)
            try await subscriber.gather()
            #expect(subscriber.items.count == files)
            #expect(subscriber.violations.isEmpty)
            await subscriber.close()
        }
    }

    @Test func theOneFarthestBehindEnds() async throws {
        var limits = ServiceLimits()
        limits.pendingBytesInAll = 3_000 * LiveQueryRegistry.bytesOfPendingItem
        limits.pendingItemsBeforeSuspension = 1_000_000
        try await Bystanders.run(limits: limits) { daemon, areServed in
            let stopped = try RawCaller(daemon)
            stopped.call("Query.Watch", "{\"predicate\":\"name LIKE 'a*'\"}", ",\"more\":true")
            #expect(stopped.next().contains("started"))
            #expect(stopped.next().contains("gathered"))
            for number in 0..<8_000 { try daemon.directory.write("", to: "tree/\(Bystanders.longName)\(number)") }
            try await areServed()
            var last = stopped.next()
            while !last.isEmpty, !last.contains("error") { last = stopped.next() }
            #expect(last.contains("pendingBytesInAll"))
        }
    }

    @Test func callsWithoutAnswersAreBounded() async throws {
        try await Bystanders.run { daemon, areServed in
            let caller = try RawCaller(daemon)
            let call = Array("{\"method\":\"io.gatherd.Query.Attributes\"}\0".utf8)
            let calls = 5_000
            // Once the daemon holds enough answers, calls sent here wait in the kernel: the sender stands still.
            let sender = Thread {
                for _ in 0..<calls / 100 { caller.send([UInt8]((0..<100).map { _ in call }.joined())) }
            }
            try await areServed()
            try await areServed()
            for _ in 0..<calls { guard caller.next().hasPrefix("{\"parameters\":{\"attributes\"") else { break } }
            sender.join()
            caller.call("Query.Count", "{\"predicate\":\"name == 'Good_1'\"}")
            #expect(caller.next().contains("\"count\":1"))
        }
    }
}

/// A thread for blocking calls.
private final class Thread {
    private let thread: pthread_t

    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    init(_ run: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        let body = Unmanaged.passRetained(Body(run)).toOpaque()
        let result = pthread_create(
            &thread, nil,
            { argument in
                argument.map { Unmanaged<Body>.fromOpaque($0).takeRetainedValue().run() }
                return nil
            }, body)
        precondition(result == 0)
        self.thread = thread
    }

    func join() { pthread_join(thread, nil) }
}
