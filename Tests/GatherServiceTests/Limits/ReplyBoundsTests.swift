// Bounds of one live query: bytes of a reply, and time of the event loop when it begins.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Glibc
import LiveQueries
import TestSupport
import Testing

@testable import GatherService

struct ReplyBoundsTests {
    /// More than one item takes: a path of 4 KiB of which each byte is escaped.
    private static let itemBytes = 40 * 1_024

    /// Files whose replies are short, then some with paths that take 20 KB each.
    private func makeFiles(_ directory: TemporaryDirectory) throws -> String {
        for number in 0..<3_000 { try directory.write("", to: "tree/\(number)") }
        var path = "tree"
        let name = String(repeating: "\u{1}", count: 250)
        while directory.path.utf8.count + path.utf8.count < 3_500 {
            path += "/" + name
            try directory.makeDirectory(path)
        }
        try makeDeepFiles(directory, path, "first")
        return path
    }

    private func makeDeepFiles(_ directory: TemporaryDirectory, _ path: String, _ name: String) throws {
        for number in 0..<100 { try directory.write("", to: "\(path)/\(name)\(number)") }
    }

    @Test func aReplyOfALiveQueryHasOnlySoManyBytes() async throws {
        let directory = try TemporaryDirectory()
        try directory.makeDirectory("tree")
        let deep = try makeFiles(directory)
        try await DaemonFixture.run(directory: directory) { daemon in
            let caller = try RawCaller(daemon)
            caller.call(
                "Query.Watch", "{\"predicate\":\"kind == 'file'\",\"attributes\":[\"path\"],\"batch\":86400000}",
                ",\"more\":true")
            var largest = 0
            // The identifiers of the items in all replies until one for which the condition holds.
            func items(until isLast: (_ reply: String, _ items: Set<Substring>) -> Bool) -> Set<Substring> {
                var items = Set<Substring>()
                while true {
                    let reply = caller.next()
                    if reply.isEmpty { return items }
                    largest = max(largest, reply.utf8.count)
                    for part in reply.split(separator: "\"id\":").dropFirst() {
                        items.insert(part.prefix { $0 != "," && $0 != "}" })
                    }
                    if isLast(reply, items) { return items }
                }
            }
            #expect(items { reply, _ in reply.contains("\"event\":\"gathered\"") }.count == 3_100)
            #expect(largest > Limits.replyBytes / 2 && largest < Limits.replyBytes + Self.itemBytes, "\(largest)")
            // Short ones, then long ones. On a busy machine their events come in several readings, and a batch that has
            // enough changes is told at once.
            for number in 0..<3_000 { chmod(daemon.tree + "/\(number)", 0o600) }
            try makeDeepFiles(directory, deep, "second")
            for number in 0..<100 { unlink(directory.path + "/\(deep)/first\(number)") }
            try await daemon.flush()
            #expect(items { _, items in items.count >= 3_200 }.count == 3_200)
            #expect(largest < Limits.replyBytes + Self.itemBytes, "\(largest)")
        }
    }

    @Test func firstResultsThatDoNotFitAreToldAsTheyAreThen() async throws {
        let directory = try TemporaryDirectory()
        try directory.makeDirectory("tree")
        let deep = try makeFiles(directory)
        try await DaemonFixture.run(directory: directory) { daemon in
            let subscriber = try await Subscriber(
                daemon, .init(predicate: "kind == 'file'", attributes: ["path", "mode"]))
            try await subscriber.next()
            try await subscriber.next()
            for number in stride(from: 0, to: 100, by: 3) { unlink(directory.path + "/\(deep)/first\(number)") }
            for number in stride(from: 1, to: 100, by: 3) { chmod(directory.path + "/\(deep)/first\(number)", 0o600) }
            try makeDeepFiles(directory, deep, "second")
            try await daemon.flush()
            try await subscriber.gather()
            while subscriber.items.count != 3_166 { try await subscriber.next() }
            #expect(subscriber.violations == [])
            let found = try await daemon.find("kind == 'file'")
            #expect(subscriber.items.values.map { String($0.dropFirst(daemon.tree.count + 1)) }.sorted() == found)
            await subscriber.close()
        }
    }

    private static let setxattr = cFunction(
        "setxattr",
        as: (@convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeRawPointer?, Int, CInt) -> CInt).self)

    /// A scan that is worth leaving the loop for waits for its turn, which does not come here; another is over at once.
    @Test(arguments: [("comment CONTAINS 'x'", false), ("name == 'file1'", true)])
    func longAttributesOfFewFilesAreScannedElsewhere(predicate: String, isShort: Bool) async throws {
        let directory = try TemporaryDirectory()
        let value = [UInt8](repeating: UInt8(ascii: "y"), count: 2_000)
        for number in 0..<20 {
            try directory.write("", to: "tree/file\(number)")
            let path = directory.path + "/tree/file\(number)"
            #expect(Self.setxattr(path, "user.xdg.comment", value + [UInt8(97 + number)], value.count + 1, 0) == 0)
        }
        var limits = ServiceLimits()
        (limits.scansAtOnce, limits.rowsScannedOnLoop) = (0, 60)
        try await DaemonFixture.run(directory: directory, limits: limits) { daemon in
            // The attributes are read for whoever tells them.
            let telling = try await Subscriber(daemon, .init(predicate: "name == 'file1'", attributes: ["comment"]))
            try await telling.gather()
            let caller = try RawCaller(daemon)
            caller.call("Query.Watch", "{\"predicate\":\"\(predicate)\",\"attributes\":[]}", ",\"more\":true")
            #expect(caller.next().contains("started"))
            try await daemon.flush()
            #expect(caller.hasReceived == isShort)
            await telling.close()
        }
    }

    @Test func manySubscribersThatReadGoOn() async throws {
        let directory = try TemporaryDirectory()
        try directory.makeDirectory("tree")
        try directory.makeDirectory("aside")
        for number in 0..<200 { try directory.write("", to: "aside/\(number)") }
        var limits = ServiceLimits()
        limits.pendingBytesInAll = 400 * LiveQueryRegistry.bytesOfPendingItem
        try await DaemonFixture.run(directory: directory, limits: limits) { daemon in
            var subscribers: [Subscriber] = []
            for _ in 0..<10 {
                let subscriber = try await Subscriber(daemon, .init(predicate: "", attributes: ["path"]))
                try await subscriber.gather()
                subscribers.append(subscriber)
            }
            // All of it in one iteration, or few.
            rename(directory.path + "/aside", daemon.tree + "/here")
            for subscriber in subscribers {
                while subscriber.items.count < 201 { try await subscriber.next() }
                #expect(subscriber.violations == [])
                await subscriber.close()
            }
        }
    }

    /// Answers of one user that are not taken, of an index in which everything changes between one and the next.
    @Test func blocksThatOnlyOpenAnswersKeepAreCounted() async throws {
        let directory = try TemporaryDirectory()
        for number in 0..<8_000 { try directory.write("", to: "tree/\(number)") }
        var limits = ServiceLimits()
        limits.answerBytesPerUser = 1 << 20
        try await DaemonFixture.run(directory: directory, limits: limits) { daemon in
            var callers: [RawCaller] = []
            for round in 0..<6 {
                let caller = try RawCaller(daemon)
                caller.call("Query.Find", "{\"predicate\":\"\"}", ",\"more\":true")
                #expect(caller.next().contains("continues"))
                callers.append(caller)
                for number in stride(from: 0, to: 8_000, by: 80) {
                    chmod(daemon.tree + "/\(number)", round % 2 == 0 ? 0o600 : 0o640)
                }
                try await daemon.flush()
            }
            func limit(_ caller: RawCaller) -> Bool {
                while true {
                    let reply = caller.next()
                    if !reply.contains("\"continues\":true") { return reply.contains("answerBytesPerUser") }
                }
            }
            // Two blocks each, of 300 KB.
            #expect(callers.map(limit) == [true, true, true, true, false, false])
        }
    }
}
