// Users take turns for all work off the event loop, slow readers are bounded, and no user waits for another's directory
// server.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Glibc
import NIOCore
import TestSupport
import Testing
import Varlink

@testable import GatherService

struct FairnessTests {
    private static let one = OtherUser(user: 41_031, group: 42_031)
    private static let other = OtherUser(user: 41_032, group: 42_031)
    private static let longName = String(repeating: "a", count: 200)

    /// A system's daemon with so many files.
    private static func run(
        files: Int = 0, limits: ServiceLimits = ServiceLimits(), accounts: AccountDirectory = .system,
        _ body: (DaemonFixture) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        chmod(directory.path, 0o755)
        try directory.makeDirectory("tree")
        chmod(directory.path + "/tree", 0o755)
        for number in 0..<files { try directory.write("", to: "tree/\(longName)\(number)") }
        try await DaemonFixture.run(directory: directory, isSystem: true, limits: limits, accounts: accounts) {
            daemon in
            chmod(daemon.socket, 0o666)
            try await body(daemon)
        }
    }

    // MARK: Turns

    /// Long for each row, and not so long that it would count as costly.
    private static let slow = "path CONTAINS 'z1' OR path CONTAINS 'z2' OR path CONTAINS 'z3'"

    /// One user's live queries, more than may scan at once.
    private static func hogs(_ daemon: DaemonFixture) throws -> [RawCaller] {
        let hogs = try (0..<40).map { _ in try RawCaller(daemon, as: one) }
        for hog in hogs { hog.call("Query.Watch", "{\"predicate\":\"\(slow)\"}", ",\"more\":true") }
        // Each is told so in the iteration in which it begins to wait for its scan.
        for hog in hogs { #expect(hog.next().contains("started")) }
        return hogs
    }

    @Test(.needsRoot("other users")) func gatheringsOfOneUserDoNotHoldUpAnother() async throws {
        var limits = ServiceLimits()
        limits.rowsScannedOnLoop = 0
        try await Self.run(files: 3_000, limits: limits) { daemon in
            let hogs = try Self.hogs(daemon)
            let caller = try RawCaller(daemon, as: Self.other)
            caller.call("Query.Count", "{\"predicate\":\"\(Self.slow)\"}")
            #expect(caller.next().contains("\"count\":0"))
            #expect(hogs.count(where: \.hasReceived) < 20)
            for hog in hogs { #expect(hog.next().contains("gathered")) }
        }
    }

    @Test(.needsRoot("other users")) func censusesOfOneUserDoNotHoldUpAnother() async throws {
        var limits = ServiceLimits()
        limits.rowsScannedOnLoop = 0
        try await Self.run(files: 2_000, limits: limits) { daemon in
            let hogs = try Self.hogs(daemon)
            let caller = try RawCaller(daemon, as: Self.other)
            caller.call("Service.Status", "{}")
            #expect(caller.next().contains("\"items\":2000"))
            #expect(hogs.count(where: \.hasReceived) < 20)
            // Those who ask at the same time are all told, one after the other.
            let askers = try (0..<20).map { try RawCaller(daemon, as: $0 % 2 == 0 ? Self.one : Self.other) }
            for asker in askers { asker.call("Container.List", "{}") }
            for asker in askers { #expect(asker.next().contains("\"items\":2000")) }
        }
    }

    // MARK: Slow readers

    private static let sorted =
        "{\"predicate\":\"kind == 'file'\",\"sort\":[{\"attribute\":\"name\",\"ascending\":true}]}"

    /// Reads all replies: how many items they had, and the limit that the last one names.
    private static func drain(_ caller: RawCaller) -> (items: Int, limit: String?) {
        var items = 0
        while true {
            let reply = caller.next()
            items += reply.split(separator: "\"id\":").count - 1
            if reply.contains("\"continues\":true") { continue }
            guard reply.contains("\"error\"") else { return (items, nil) }
            let limit = reply.split(separator: "\"limit\":\"").last?.prefix { $0 != "\"" }
            return (items, limit.map(String.init) ?? reply)
        }
    }

    @Test func anUntakenAnswerEnds() async throws {
        var limits = ServiceLimits()
        limits.answersPerUser = 1
        limits.answerTime = .milliseconds(50)
        try await Self.run(files: 4_000, limits: limits) { daemon in
            let stalled = try RawCaller(daemon)
            stalled.call("Query.Find", Self.sorted, ",\"more\":true")
            let next = try RawCaller(daemon)
            next.call("Query.Count", "{\"predicate\":\"\"}")
            // Its turn comes when the other's answer has been let go.
            #expect(next.next().contains("\"count\":4000"))
            let told = Self.drain(stalled)
            #expect(told.limit == "answerTime")
            #expect(told.items > 0 && told.items < 4_000)
            // The connection goes on, and a caller that reads gets all of it.
            stalled.call("Query.Count", "{\"predicate\":\"\"}")
            #expect(stalled.next().contains("\"count\":4000"))
        }
    }

    @Test func answerBytesOfOneUserAreBounded() async throws {
        var limits = ServiceLimits()
        limits.answerBytesPerUser = 100_000
        try await Self.run(files: 4_000, limits: limits) { daemon in
            let callers = try (0..<3).map { _ in try RawCaller(daemon) }
            var count = 0
            for caller in callers {
                caller.call("Query.Find", Self.sorted, ",\"more\":true")
                // The first reply tells that it has begun.
                let first = caller.next()
                count = first.split(separator: "\"id\":").count - 1
                #expect(count > 0)
            }
            // Each keeps 64,000 bytes, so that the one before ends when the next begins.
            #expect(Self.drain(callers[0]).limit == "answerBytesPerUser")
            #expect(Self.drain(callers[1]).limit == "answerBytesPerUser")
            let last = Self.drain(callers[2])
            #expect(last.limit == nil && last.items + count == 4_000)
        }
    }

    @Test(.needsRoot("other users")) func answerBytesOfAllUsersAreBounded() async throws {
        var limits = ServiceLimits()
        limits.answerBytesInAll = 150_000
        try await Self.run(files: 4_000, limits: limits) { daemon in
            // Each keeps 64,000 bytes: with the third it is the user with two of them that loses the older.
            let users = [Self.one, Self.other, Self.one]
            let callers = try users.map { try RawCaller(daemon, as: $0) }
            var counts: [Int] = []
            for caller in callers {
                caller.call("Query.Find", Self.sorted, ",\"more\":true")
                counts.append(caller.next().split(separator: "\"id\":").count - 1)
            }
            #expect(Self.drain(callers[0]).limit == "answerBytesInAll")
            for place in 1...2 {
                let told = Self.drain(callers[place])
                #expect(told.limit == nil && told.items + counts[place] == 4_000)
            }
        }
    }

    // MARK: Numbers

    @Test(
        "Numbers as far out as they go",
        arguments: [
            ("Query.Find", "\"limit\":9223372036854775807", "\"items\":[{"),
            ("Query.Find", "\"limit\":0", "\"items\":[]"),
            ("Query.Find", "\"limit\":-9223372036854775808", "InvalidParameter"),
            ("Query.Find", "\"timeout\":-1", "LimitExceeded"), ("Query.Find", "\"timeout\":0", "\"items\":[{"),
            ("Query.Find", "\"timeout\":-9223372036854775808", "LimitExceeded"),
            ("Query.Find", "\"timeout\":86400001", "LimitExceeded"),
            ("Query.Find", "\"timeout\":86400000", "\"items\":[{"),
            ("Query.Count", "\"timeout\":9223372036854775807", "LimitExceeded"),
            ("Query.Watch", "\"batch\":9223372036854775807", "LimitExceeded"),
            ("Query.Watch", "\"batch\":-1", "LimitExceeded"), ("Query.Watch", "\"batch\":86400000", "started"),
            ("Query.Watch", "\"heartbeat\":9223372036854775807", "LimitExceeded"),
            ("Query.Watch", "\"heartbeat\":-9223372036854775808", "LimitExceeded"),
            ("Query.Watch", "\"heartbeat\":0", "started"), ("Query.Watch", "\"heartbeat\":86400000", "started"),
            ("Query.Watch", "\"heartbeat\":1e3", "InvalidParameter"),
            ("Query.Watch", "\"batch\":0.5", "InvalidParameter"),
        ])
    func extremes(method: String, parameter: String, answer: String) async throws {
        try await Self.run(files: 1) { daemon in
            let caller = try RawCaller(daemon)
            let more = method == "Query.Watch" ? ",\"more\":true" : ""
            caller.call(method, "{\"predicate\":\"kind == 'file'\",\(parameter)}", more)
            let reply = caller.next()
            #expect(reply.contains(answer), "\(method) \(parameter): \(reply)")
            #expect(try await daemon.find("name == 'x'").isEmpty)
        }
    }

    // MARK: Names of accounts

    @Test(.needsRoot("other users")) func aDirectoryServerThatHangsHoldsUpThoseWhoAskForNames() async throws {
        let server = HangingDirectory(from: 41_021)
        try await Self.run(accounts: server.directory) { daemon in
            try daemon.directory.write("", to: "tree/first")
            let bystander = try await Subscriber(daemon, .init(predicate: ""))
            let byOwner = try await Subscriber(daemon, .init(predicate: "owner == 'late'", attributes: ["path"]))
            let telling = try await Subscriber(daemon, .init(predicate: "", attributes: ["path", "owner", "group"]))
            for subscriber in [bystander, byOwner, telling] { try await subscriber.gather() }
            #expect(byOwner.items.isEmpty && telling.items.count == 1)
            chown(daemon.tree + "/first", 41_021, 41_022)
            try await bystander.next()
            let callers = try (0..<4).map { _ in try RawCaller(daemon) }
            let file = "\"predicate\":\"name == 'first'\""
            callers[0].call("Query.Find", "{\(file),\"attributes\":[\"owner\"]}")
            callers[1].call("Query.Count", "{\"predicate\":\"group BEGINSWITH 'la'\"}")
            callers[2].call(
                "Query.Find", "{\(file),\"sort\":[{\"attribute\":\"owner\",\"ascending\":true}]}", ",\"more\":true")
            callers[3].call("Query.Watch", "{\"predicate\":\"owner != 'root'\"}", ",\"more\":true")
            #expect(callers[3].next().contains("started"))
            // The others are served, again and again.
            for number in 0..<20 {
                try daemon.directory.write("", to: "tree/file\(number)")
                #expect(try await daemon.find("name == 'file\(number)'") == ["file\(number)"])
                while bystander.items.count < number + 2 { try await bystander.next() }
                #expect(try await daemon.call(ServiceInterface.Status.self, .init()).items == Int64(number + 2))
            }
            for caller in callers { #expect(!caller.hasReceived) }
            #expect(byOwner.items.isEmpty)
            server.answer()
            #expect(callers[0].next().contains("\"owner\":\"late\""))
            #expect(callers[1].next().contains("\"count\":1"))
            #expect(callers[2].next().contains("first"))
            #expect(callers[3].next().contains("first"))
            while byOwner.items.isEmpty { try await byOwner.next() }
            #expect(byOwner.items.values.map { $0 } == [daemon.tree + "/first"])
            func isTold() -> Bool { telling.values.values.contains { $0.owner == "late" && $0.group == "late" } }
            while telling.items.count < 21 || !isTold() { try await telling.next() }
            #expect(telling.values.values.count { $0.owner == "late" && $0.group == "late" } == 1)
            for subscriber in [bystander, byOwner, telling] {
                #expect(subscriber.violations.isEmpty)
                await subscriber.close()
            }
        }
    }

    // MARK: The parts of the daemon that callers see

    @Test(.needsRoot("other users")) func statusTellsNothingOfOthers() async throws {
        try await Self.run(files: 3) { daemon in
            let subscribers = try await [nil, Self.one, Self.other].asyncMap {
                try await Subscriber(daemon, .init(predicate: ""), as: $0)
            }
            for subscriber in subscribers { try await subscriber.gather() }
            func status(_ user: OtherUser?) async throws -> ServiceInterface.Status.Reply {
                try await daemon.call(ServiceInterface.Status.self, .init(), as: user)
            }
            let before = try await status(Self.one)
            #expect(before.liveQueries == 1 && before.connections == 2)
            #expect(before.eventsRead == 0 && before.overflows == 0 && before.snapshotTime == nil)
            try daemon.directory.write("x", to: "tree/more")
            // A status waits for nothing.
            try await daemon.flush()
            let after = try await status(nil)
            #expect(after.liveQueries == 3 && after.connections >= 4 && after.eventsRead > 0)
            var seen = try await status(Self.one)
            #expect(seen.items == 4)
            (seen.items, seen.residentBytes) = (before.items, before.residentBytes)
            #expect(seen == before)
            for subscriber in subscribers { await subscriber.close() }
        }
    }

    @Test(.needsRoot("other users")) func aContainerThatIsNotListedIsNotNamed() async throws {
        let directory = try TemporaryDirectory()
        chmod(directory.path, 0o755)
        try directory.makeDirectory("tree")
        try directory.makeDirectory("tree/below")
        // Nothing is watched, so everything is polled, and answers may be wrong.
        try directory.write("watch-share = 0.0000001\npoll-interval = \"1h\"\n", to: "gatherd.toml")
        try directory.write("", to: "tree/below/file")
        chmod(directory.path + "/tree", 0o711)
        chmod(directory.path + "/tree/below", 0o755)
        try await DaemonFixture.run(directory: directory, isSystem: true) { daemon in
            chmod(daemon.socket, 0o666)
            let find = QueryInterface.Find.Request(predicate: "name == 'file'", attributes: ["name"])
            #expect(try await daemon.call(QueryInterface.Find.self, find).inexact == ["tree"])
            let reply = try await daemon.call(QueryInterface.Find.self, find, as: Self.one)
            #expect(reply.items.map(\.name) == ["file"])
            #expect(reply.inexact == nil)
            let watcher = try RawCaller(daemon, as: Self.one)
            watcher.call("Query.Watch", "{\"predicate\":\"\",\"attributes\":[\"name\"]}", ",\"more\":true")
            var last = watcher.next()
            while !last.contains("gathered"), !last.isEmpty { last = watcher.next() }
            #expect(!last.contains("tree"), "\(last)")
        }
    }
}

extension Array {
    fileprivate func asyncMap<T>(_ transform: (Element) async throws -> T) async throws -> [T] {
        var result: [T] = []
        for element in self { result.append(try await transform(element)) }
        return result
    }
}
