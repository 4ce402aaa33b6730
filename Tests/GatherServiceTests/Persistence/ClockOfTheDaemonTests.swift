// A clock belongs to the daemon: any question goes on from it, and is told the exact difference or that it is not known.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Glibc
import TestSupport
import Testing

@testable import GatherService

struct ClockOfTheDaemonTests {
    private static let setxattr = cFunction(
        "setxattr",
        as: (@convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeRawPointer?, Int, CInt) -> CInt).self)

    /// The paths below the tree that a question finds, by the identifiers of the items.
    private func held(_ daemon: DaemonFixture, _ request: QueryInterface.Watch.Request) async throws -> [String: String]
    {
        let reply = try await daemon.call(
            QueryInterface.Find.self,
            QueryInterface.Find.Request(predicate: request.predicate, scopes: request.scopes, attributes: ["path"]))
        return Dictionary(uniqueKeysWithValues: reply.items.map { ($0.id, $0.path ?? "") })
    }

    private func clock(_ daemon: DaemonFixture, _ predicate: String = "FALSEPREDICATE") async throws -> String {
        try await daemon.call(QueryInterface.Count.self, QueryInterface.Count.Request(predicate: predicate)).clock
    }

    @Test func everyPredicateScopeAndAttributeListGoesOnFromOneClock() async throws {
        try await DaemonFixture.run { daemon in
            for name in ["sub", "other"] { mkdir(daemon.tree + "/" + name, 0o755) }
            for number in 0..<20 {
                try daemon.directory.write(String(repeating: "x", count: number), to: "tree/sub/f\(number).txt")
                try daemon.directory.write("", to: "tree/other/g\(number).jpg")
            }
            let requests: [QueryInterface.Watch.Request] = [
                .init(predicate: ""), .init(predicate: "name LIKE 'f*'"),
                .init(predicate: "size > 10", attributes: ["path"]),
                .init(predicate: "kind == 'file'", scopes: [daemon.tree + "/sub"], attributes: ["path", "size"]),
                .init(predicate: "contentType == 'image/jpeg'", attributes: ["path", "contentType"]),
                .init(predicate: "owner != 'nobody'", attributes: ["path", "owner"]),
                .init(predicate: "device != 0", attributes: ["path", "device"]),
                .init(predicate: "modified > $time.now(-3600)", attributes: ["path"]),
                .init(predicate: "path CONTAINS '/sub/'", attributes: ["path", "depth"]),
            ]
            var before: [[String: String]] = []
            for request in requests { before.append(try await held(daemon, request)) }
            // The clock of a question that has nothing to do with them.
            let since = try await clock(daemon)

            #expect(unlink(daemon.tree + "/sub/f3.txt") == 0)
            #expect(rename(daemon.tree + "/sub/f4.txt", daemon.tree + "/other/f4.jpg") == 0)
            #expect(rename(daemon.tree + "/other/g5.jpg", daemon.tree + "/sub/f5.new") == 0)
            try daemon.directory.write("now it is longer than ten", to: "tree/sub/f6.txt")
            try daemon.directory.write("new", to: "tree/sub/fnew.txt")
            #expect(utimensat(AT_FDCWD, daemon.tree + "/sub/f7.txt", [timespec(), timespec()], 0) == 0)

            for (request, before) in zip(requests, before) {
                let now = try await held(daemon, request)
                var again = request
                again.since = since
                let subscriber = try await Subscriber(daemon, again, holding: before)
                let started = try await subscriber.next()
                #expect(started.fresh == nil, "\(request.predicate)")
                try await subscriber.gather()
                #expect(subscriber.violations.isEmpty, "\(request.predicate)")
                #expect(subscriber.items == now, "\(request.predicate)")
                await subscriber.close()
            }
        }
    }

    @Test func aClockOfALiveQueryServesOthers() async throws {
        try await DaemonFixture.run { daemon in
            for number in 0..<5 { try daemon.directory.write("", to: "tree/f\(number)") }
            let first = try await Subscriber(daemon, .init(predicate: "name == 'f0'"))
            try await first.gather()
            let since = try #require(first.lastClock)
            await first.close()
            let other = QueryInterface.Watch.Request(predicate: "name != 'f0'", attributes: ["path"], since: since)
            let before = try await held(daemon, other)
            #expect(unlink(daemon.tree + "/f1") == 0)
            _ = try await clock(daemon)
            let second = try await Subscriber(daemon, other, holding: before)
            #expect(try await second.next().fresh == nil)
            try await second.gather()
            #expect(second.violations.isEmpty && second.items.count == 3)
            await second.close()
        }
    }

    /// Attributes that were not read yet at the clock cannot be compared; those that were, can.
    @Test func extendedAttributesGoOnFromClocksSinceTheyAreRead() async throws {
        try await DaemonFixture.run { daemon in
            for number in 0..<3 { try daemon.directory.write("", to: "tree/f\(number)") }
            func tag(_ name: String, _ tag: String) {
                let path = daemon.tree + "/" + name
                #expect(Self.setxattr(path, "user.xdg.tags", Array(tag.utf8), tag.utf8.count, 0) == 0)
            }
            tag("f0", "red")
            let request = QueryInterface.Watch.Request(predicate: "ANY tags == 'red'", attributes: ["path"])
            func comeBack(since: String, holding before: [String: String], isFresh: Bool) async throws {
                var again = request
                again.since = since
                let now = try await held(daemon, request)
                let subscriber = try await Subscriber(daemon, again, holding: before)
                #expect(try await subscriber.next().fresh == (isFresh ? true : nil))
                try await subscriber.gather()
                #expect(subscriber.violations.isEmpty && subscriber.items == now)
                await subscriber.close()
            }
            let early = try await clock(daemon)
            tag("f1", "red")
            try await comeBack(since: early, holding: [:], isFresh: true)
            let before = try await held(daemon, request)
            let later = try await clock(daemon)
            tag("f2", "red")
            try await comeBack(since: later, holding: before, isFresh: false)
        }
    }

    /// An answer that follows the time of day goes on from the moment of the clock.
    @Test func theTimeOfDayGoesOnFromTheMomentOfTheClock() async throws {
        try await DaemonFixture.run { daemon in
            for number in 0..<3 { try daemon.directory.write("", to: "tree/f\(number)") }
            let since = try #require(QueryClock(text: try await clock(daemon)))
            let moment = try #require(since.moment)
            let old = timespec(tv_sec: Int(moment / 1_000_000_000) - 3_000, tv_nsec: 0)
            #expect(utimensat(AT_FDCWD, daemon.tree + "/f1", [old, old], 0) == 0)
            let later = try #require(QueryClock(text: try await clock(daemon)))
            // As if the clock had been given two hours ago: f1 matched nothing then, and does now or did in between.
            var earlier = later
            earlier.moment = (later.moment ?? 0) - 7_200_000_000_000
            let request = QueryInterface.Watch.Request(
                predicate: "modified > $time.now(-3600) AND modified < $time.now(3600)", attributes: ["path"],
                since: earlier.text)
            let subscriber = try await Subscriber(daemon, request)
            #expect(try await subscriber.next().fresh == nil)
            try await subscriber.gather()
            let now = try await held(daemon, request)
            #expect(subscriber.violations.isEmpty)
            #expect(subscriber.items == now)
            await subscriber.close()
        }
    }

    @Test(arguments: [
        "1-2-3", "1-2-3-4", "1-2-3-4-5-6-7-8", "ffffffffffffffff-0-0-8000000000000000-ffffffff-0-0-1",
    ])
    func clocksReadBack(_ text: String) { #expect(QueryClock(text: text)?.text == text) }

    @Test(arguments: [
        "", "clock", "1-2", "1-2-3-4-5", "1-2-3-4-5-6-7", "1-2-3-4-5-6-7-8-9", "1-2-3-4-100000000-6-7-8", "1-2-3-x",
        "1-2-3-4-5-6-7-", "of-another-life",
    ])
    func otherTextIsNoClock(_ text: String) { #expect(QueryClock(text: text) == nil) }
}
