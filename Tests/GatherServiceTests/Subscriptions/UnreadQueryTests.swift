// Live queries whose subscribers do not read: their cost for others, and their updates in the end.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Glibc
import LiveQueries
import Logging
import TestSupport
import Testing

@testable import GatherService

struct UnreadQueryTests {
    private static let longName = String(repeating: "a", count: 200)
    private static let hog = OtherUser(user: 41_061, group: 42_061)
    private static let reader = OtherUser(user: 41_062, group: 42_062)

    /// A daemon for all users, with a container for each of these directories.
    private static func run(
        trees: [String] = ["tree"], limits: ServiceLimits = ServiceLimits(), accounts: AccountDirectory = .system,
        log: LogRecorder? = nil, _ body: (DaemonFixture) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        chmod(directory.path, 0o755)
        var containers: [String: String] = [:]
        for tree in trees {
            try directory.makeDirectory(tree)
            containers[tree] = directory.path + "/" + tree
            chmod(directory.path + "/" + tree, 0o755)
        }
        try await DaemonFixture.run(
            containers: containers, directory: directory, isSystem: true, limits: limits, accounts: accounts, log: log
        ) { daemon in
            chmod(daemon.socket, 0o666)
            try await body(daemon)
        }
    }

    /// Live queries on all files, of which only the first results are read.
    private static func unreadQueries(
        _ count: Int, _ daemon: DaemonFixture, predicate: String = "kind == 'file'", batch: Int = 0
    ) throws -> [RawCaller] {
        let callers = try (0..<count).map { _ in try RawCaller(daemon, as: hog) }
        for caller in callers {
            caller.call(
                "Query.Watch",
                "{\"predicate\":\"\(predicate)\",\"attributes\":[\"path\"],\"batch\":\(batch)}", ",\"more\":true")
            while true {
                let reply = caller.next()
                try #require(!reply.isEmpty)
                if reply.contains("\"gathered\"") { break }
            }
        }
        return callers
    }

    private static func makeFiles(_ numbers: Range<Int>, in daemon: DaemonFixture, tree: String = "tree") throws {
        for number in numbers { try daemon.directory.write("", to: "\(tree)/\(longName)\(number)") }
    }

    /// Makes a file of another owner, with one event.
    private static func makeFile(_ path: String, owner: UInt32, in daemon: DaemonFixture) throws {
        try daemon.directory.write("", to: "made")
        let made = daemon.directory.path + "/made"
        try #require(chown(made, owner, 0) == 0 && rename(made, daemon.directory.path + "/" + path) == 0)
    }

    private static func pendingBytes(_ daemon: DaemonFixture) async throws -> Double {
        let metrics = try await daemon.call(ServiceInterface.Metrics.self, .init()).metrics
        return try #require(metrics.first { $0.name == "gatherd_pending_changes_bytes" }?.value)
    }

    /// Reads updates until a live query holds so many files; returns any other reply.
    private static func read(_ caller: RawCaller, until count: Int) -> String? {
        var paths: Set<Substring> = []
        while paths.count < count {
            let reply = caller.next()
            guard reply.contains("\"updated\""), !reply.contains("\"removed\"") else { return reply }
            for part in reply.split(separator: "\"path\":\"").dropFirst() { paths.insert(part.prefix { $0 != "\"" }) }
        }
        return nil
    }

    @Test(.needsRoot("other users")) func unreadQueriesKeepLittleAndMissNothing() async throws {
        try await Self.run { daemon in
            let count = 20
            let unread = try Self.unreadQueries(count, daemon)
            let reader = try await Subscriber(
                daemon, .init(predicate: "name BEGINSWITH 'a'", attributes: ["path"]), as: Self.reader)
            try await reader.gather()
            let files = 12_000
            var most = 0.0
            for start in stride(from: 0, to: files, by: 500) {
                try Self.makeFiles(start..<start + 500, in: daemon)
                while reader.items.count < start + 500 { try await reader.next() }
                most = max(most, try await Self.pendingBytes(daemon))
            }
            // A socket and a reply are full before a query has anything pending. From then on it keeps what it had when it
            // was suspended, and the change set that led to that.
            let items = LiveQueryRegistry.pendingBeforeSuspension + LiveQueryRegistry.rowsOnLoop
            let bytesOfItem = LiveQueryRegistry.bytesOfPendingItem + Self.longName.utf8.count
            #expect(most > 0 && most <= Double(count * items * bytesOfItem), "\(most)")
            for caller in unread { #expect(Self.read(caller, until: files) == nil) }
            #expect(reader.violations.isEmpty)
            await reader.close()
        }
    }

    @Test(.needsRoot("other users")) func changesHeldForTheBatchTimeAreToldByFlush() async throws {
        try await Self.run { daemon in
            let held = try Self.unreadQueries(1, daemon, batch: 86_400_000)[0]
            for start in stride(from: 0, to: 900, by: 300) {
                try Self.makeFiles(start..<start + 300, in: daemon)
                // Root's, which has nothing to do with the batch of another user.
                try await daemon.flush()
            }
            #expect(!held.hasReceived)
            let flushing = try RawCaller(daemon, as: Self.hog)
            flushing.call("Query.Flush", "{}")
            #expect(flushing.next().contains("clock"))
            #expect(Self.read(held, until: 900) == nil)
        }
    }

    /// The live query is suspended when Flush comes, and is brought back when its subscriber reads.
    @Test(.needsRoot("other users")) func changesOfASuspendedLiveQueryAreToldByFlush() async throws {
        try await Self.run { daemon in
            let held = try Self.unreadQueries(1, daemon, batch: 86_400_000)[0]
            // More than are merged before it is suspended, and fewer than go out without the batch time.
            let step = LiveQueryRegistry.pendingBeforeSuspension + 100
            try #require(step < Limits.itemsHeldForBatch)
            var count = 0
            repeat {
                // Until its socket is full.
                try Self.makeFiles(count..<count + step, in: daemon)
                count += step
                _ = try await daemon.find("")
                let flushing = try RawCaller(daemon, as: Self.hog)
                flushing.call("Query.Flush", "{}")
                #expect(flushing.next().contains("clock"))
            } while try await Self.pendingBytes(daemon) == 0
            #expect(Self.read(held, until: count) == nil)
        }
    }

    /// A subscriber chooses any batch time. Few changes are merged for it before it must read.
    @Test(.needsRoot("other users")) func manyChangesDoNotWaitForTheBatchTime() async throws {
        try await Self.run { daemon in
            let held = try Self.unreadQueries(1, daemon, batch: 86_400_000)[0]
            try Self.makeFiles(0..<Limits.itemsHeldForBatch, in: daemon)
            #expect(Self.read(held, until: Limits.itemsHeldForBatch) == nil)
        }
    }

    @Test(.needsRoot("other users")) func theLogTellsWhyALiveQueryEnded() async throws {
        let log = LogRecorder(.notice)
        var limits = ServiceLimits()
        limits.pendingItems = 1_000
        try await Self.run(limits: limits, log: log) { daemon in
            let unread = try Self.unreadQueries(1, daemon)[0]
            try Self.makeFiles(0..<12_000, in: daemon)
            try await daemon.flush()
            var last = unread.next()
            while last.contains("\"updated\"") { last = unread.next() }
            #expect(last.contains("LimitExceeded") && last.contains("pendingItems"), "\(last)")
            let ended = log.all("live-query-ended")
            #expect(ended.count == 1)
            let count = ended.first?.firstRange(of: "has not taken ").map { range in
                Int(ended[0][range.upperBound...].prefix { $0.isNumber }) ?? 0
            }
            #expect(count ?? 0 > 1_000, "\(ended)")
        }
    }

    @Test(.needsRoot("other users")) func theUserWithMostPendingBytesLosesTheQueryWithMost() async throws {
        let log = LogRecorder(.notice)
        var limits = ServiceLimits()
        limits.pendingBytesPerUser = 200_000
        limits.pendingItemsBeforeSuspension = 1_000_000
        try await Self.run(limits: limits, log: log) { daemon in
            let unread = try Self.unreadQueries(4, daemon)
            let reader = try await Subscriber(
                daemon, .init(predicate: "name BEGINSWITH 'a'", attributes: ["path"]), as: Self.reader)
            try await reader.gather()
            // One that reads has few changes pending.
            for start in stride(from: 0, to: 8_000, by: 200) {
                try Self.makeFiles(start..<start + 200, in: daemon)
                while reader.items.count < start + 200 { try await reader.next() }
            }
            await reader.close()
            for caller in unread {
                var last = caller.next()
                while last.contains("\"updated\"") { last = caller.next() }
                #expect(last.contains("pendingBytesPerUser"), "\(last)")
            }
            #expect(log.all("live-query-ended").count == 4)
        }
    }

    private static let unknownOwner: UInt32 = 41_071
    private static let byOwner = "kind == 'file' AND owner != 'x'"

    @Test(.needsRoot("other users")) func flushDoesNotWaitForTheBatchTimeAfterABackgroundUpdate() async throws {
        let server = HangingDirectory(from: Self.unknownOwner)
        var limits = ServiceLimits()
        limits.pendingItemsBeforeSuspension = 1
        try await Self.run(limits: limits, accounts: server.directory) { daemon in
            let held = try Self.unreadQueries(1, daemon, predicate: Self.byOwner, batch: 86_400_000)[0]
            try Self.makeFile("tree/first", owner: Self.unknownOwner, in: daemon)
            server.waitForRequest()
            // These are applied when the query is back.
            try Self.makeFiles(0..<2_000, in: daemon)
            try await daemon.flush()
            let flushing = try RawCaller(daemon, as: Self.hog)
            flushing.call("Query.Flush", "{}")
            try await daemon.flush()
            #expect(!flushing.hasReceived)
            server.answer()
            #expect(flushing.next().contains("clock"))
            #expect(Self.read(held, until: 2_001) == nil)
        }
    }

    @Test(.needsRoot("other users")) func containersOfAQueryThatReturnsTakeTurns() async throws {
        let server = HangingDirectory(from: Self.unknownOwner)
        var limits = ServiceLimits()
        limits.pendingItemsBeforeSuspension = 1
        let trees = ["a", "b", "c"]
        try await Self.run(trees: trees, limits: limits, accounts: server.directory) { daemon in
            let unread = try Self.unreadQueries(1, daemon, predicate: Self.byOwner)[0]
            var files = 0
            while try await Self.pendingBytes(daemon) == 0 {
                try Self.makeFiles(files..<files + 500, in: daemon, tree: trees[0])
                files += 500
                try await daemon.flush()
            }
            for (number, tree) in trees.enumerated() {
                // The query has items pending in each container, and then it is suspended there.
                for _ in 0..<2 {
                    try Self.makeFiles(files..<files + 1, in: daemon, tree: tree)
                    files += 1
                    try await daemon.flush()
                }
                try Self.makeFile("\(tree)/last", owner: Self.unknownOwner + UInt32(number), in: daemon)
                files += 1
            }
            try await daemon.flush()
            #expect(server.mostRequests == 0)
            let count = files
            let told = Task.detached { Self.read(unread, until: count) }
            server.waitForRequest()
            for _ in 0..<3 { try await daemon.flush() }
            #expect(server.mostRequests == 1)
            server.answer()
            #expect(await told.value == nil)
        }
    }
}
