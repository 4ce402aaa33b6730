// Callers that ask too much, send nonsense or do not read: they are told, and the others are served exactly meanwhile.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Glibc
import LiveQueries
import NIOCore
import Testing
import Varlink

@testable import GatherService

/// A subscriber and a caller who want nothing but to be served.
private final class Bystanders {
    private let daemon: DaemonFixture
    private let subscriber: Subscriber
    private var number = 0

    init(_ daemon: DaemonFixture) async throws {
        self.daemon = daemon
        subscriber = try await Subscriber(daemon, .init(predicate: "name LIKE 'Good_*'"))
        try await subscriber.gather()
    }

    /// Makes a change: the subscriber hears of it and of nothing else, and an answer has it.
    func areServed() async throws {
        number += 1
        try daemon.directory.write("x", to: "tree/Good_\(number)")
        while subscriber.items.count < number { try await subscriber.next() }
        let names = (1...number).map { "Good_\($0)" }.sorted()
        #expect(subscriber.items.values.map { String($0.dropFirst(daemon.tree.count + 1)) }.sorted() == names)
        #expect(subscriber.violations.isEmpty)
        #expect(try await daemon.find("name LIKE 'Good_*'") == names)
    }

    func close() async { await subscriber.close() }
}

struct HostileCallerTests {
    /// Goes back and forth over a long name until it is stopped.
    private static let catastrophic = "name MATCHES '(([a-z])+.)+[A-Z]([a-z])+'"
    private static let longName = String(repeating: "a", count: 200)

    private static func run(
        limits: ServiceLimits = ServiceLimits(), prepare: (TemporaryDirectory) throws -> Void = { _ in },
        _ body: (DaemonFixture, _ areServed: () async throws -> Void) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        try directory.makeDirectory("tree")
        try prepare(directory)
        try await DaemonFixture.run(directory: directory, limits: limits) { daemon in
            let bystanders = try await Bystanders(daemon)
            try await bystanders.areServed()
            try await body(daemon) { try await bystanders.areServed() }
            try await bystanders.areServed()
            await bystanders.close()
        }
    }

    // MARK: Predicates

    @Test("A regular expression that goes back and forth fails the question", arguments: ["Query.Find", "Query.Count"])
    func catastrophicQuestions(method: String) async throws {
        try await Self.run(prepare: { try $0.write("", to: "tree/" + Self.longName) }) { daemon, areServed in
            let callers = try (0..<20).map { _ in try RawCaller(daemon) }
            for caller in callers { caller.call(method, "{\"predicate\":\"\(Self.catastrophic)\"}") }
            try await areServed()
            for caller in callers { #expect(caller.error() == "EvaluationFailed") }
        }
    }

    @Test func aCatastrophicLiveQueryEnds() async throws {
        var limits = ServiceLimits()
        limits.costlyTests = WorkMeter.Allowance(free: 5_000, most: 1_000_000, capacity: 1_000_000, perSecond: 1_000)
        try await Self.run(limits: limits, prepare: { try $0.write("", to: "tree/" + Self.longName) }) {
            daemon, areServed in
            let hostile = try await Subscriber(daemon, .init(predicate: Self.catastrophic))
            // What the predicate has no answer for does not match.
            try await hostile.gather()
            #expect(hostile.items.isEmpty)
            try await areServed()
            let files = 200
            for number in 0..<files {
                try daemon.directory.write("", to: "tree/\(Self.longName)\(number)")
            }
            await #expect {
                while true { try await hostile.next() }
            } throws: { error in
                "\(error)".contains("EvaluationFailed")
            }
        }
    }

    @Test func aScanThatTakesTooLongEnds() async throws {
        var limits = ServiceLimits()
        limits.scanTime = .milliseconds(1)
        try await Self.run(
            limits: limits,
            prepare: { for number in 0..<400 { try $0.write("", to: "tree/\(Self.longName)\(number)") } }
        ) { daemon, areServed in
            for _ in 0..<3 {
                let caller = try RawCaller(daemon)
                caller.call("Query.Watch", "{\"predicate\":\"\(Self.catastrophic)\"}", ",\"more\":true")
                #expect(caller.next().contains("started"))
                try await areServed()
                #expect(caller.error() == "EvaluationFailed")
            }
        }
    }

    @Test func aCallerWhoLeavesEndsTheScan() async throws {
        try await Self.run(
            prepare: { for number in 0..<400 { try $0.write("", to: "tree/\(Self.longName)\(number)") } }
        ) { daemon, areServed in
            for _ in 0..<100 {
                let caller = try RawCaller(daemon)
                caller.call("Query.Watch", "{\"predicate\":\"\(Self.catastrophic)\"}", ",\"more\":true")
                #expect(caller.next().contains("started"))
            }
            try await areServed()
            // It comes after all of those whose callers are gone.
            #expect(try await daemon.find("name MATCHES 'Good_1'") == ["Good_1"])
        }
    }

    @Test func whatNestsWithoutEndIsRefused() async throws {
        try await Self.run { daemon, areServed in
            for open in ["(", "NOT ", "{", "abs("] {
                let text = String(repeating: open, count: 100_000)
                let caller = try RawCaller(daemon)
                caller.call("Query.Count", "{\"predicate\":\"\(text)\"}")
                try await areServed()
                #expect(caller.error() == "InvalidPredicate")
            }
            let caller = try RawCaller(daemon)
            caller.call("Query.Count", String(repeating: "[", count: 100_000))
            #expect(caller.error() == "InvalidParameter")
            #expect(caller.isClosed)
        }
    }

    @Test func aPredicateOfManyPartsIsAnswered() async throws {
        try await Self.run { daemon, areServed in
            func names(_ count: Int) -> String { (0..<count).map { "'Good_\($0)'" }.joined(separator: ",") }
            #expect(try await daemon.find("name IN {\(names(9_900))}") == ["Good_1"])
            let subscriber = try await Subscriber(daemon, .init(predicate: "name IN {\(names(9_900))}"))
            try await subscriber.gather()
            #expect(subscriber.items.count == 1)
            try await areServed()
            while subscriber.items.count < 2 { try await subscriber.next() }
            await subscriber.close()
            for method in ["Query.Find", "Query.Count", "Query.Explain"] {
                let caller = try RawCaller(daemon)
                caller.call(method, "{\"predicate\":\"name IN {\(names(10_001))}\"}")
                #expect(caller.error() == "InvalidPredicate")
                caller.call(method, "{\"predicate\":\"name IN {\(names(9_000))}\"}")
                #expect(!caller.next().contains("error"))
            }
        }
    }

    // MARK: Messages

    @Test func aRequestThatIsTooLongIsRefused() async throws {
        try await Self.run { daemon, areServed in
            let caller = try RawCaller(daemon)
            let mebibyte = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
            var sent = 0
            while sent < 100, caller.send(mebibyte) { sent += 1 }
            #expect(sent < 100)
            try await areServed()
            #expect(caller.error() == "LimitExceeded")
            #expect(caller.isClosed)
        }
    }

    @Test func aRequestMayComeByteByByte() async throws {
        try await Self.run { daemon, areServed in
            let call = Array(
                "{\"method\":\"io.gatherd.Query.Count\",\"parameters\":{\"predicate\":\"name == 'Good_1'\"}}\0".utf8)
            let caller = try RawCaller(daemon)
            for (place, byte) in call.enumerated() {
                guard caller.send([byte]) else { break }
                if place % 40 == 0 { try await areServed() }
            }
            let answer = caller.next()
            #expect(answer.contains("\"count\":1"), "\(answer)")
        }
    }

    @Test(
        "What is no call ends its connection",
        arguments: [
            "", "x", "{}", "[]", "{\"method\":1}", "{\"method\":\"io.gatherd.Query.Count\",\"parameters\":[]}",
            "{\"method\":\"a\",\"more\":true,\"oneway\":true}", "{\"method\":\"a\",\"upgrade\":true}",
            "{\"method\":\"io.gatherd.Query.Count\",\"parameters\":{\"predicate\":\"\u{1}\"}}",
        ])
    func nonsense(message: String) async throws {
        try await Self.run { daemon, areServed in
            let caller = try RawCaller(daemon)
            caller.send(Array(message.utf8) + [UInt8](repeating: 0, count: 100_000))
            try await areServed()
            // A call that wants no answer gets none.
            if !message.contains("oneway") { #expect(caller.error() == "InvalidParameter") }
            #expect(caller.isClosed)
        }
    }

    @Test func bytesThatAreNoTextEndTheirConnection() async throws {
        try await Self.run { daemon, _ in
            for bytes: [UInt8] in [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80]] {
                let caller = try RawCaller(daemon)
                let start = "{\"method\":\"io.gatherd.Query.Count\",\"parameters\":{\"predicate\":\"name == '"
                caller.send(Array(start.utf8) + bytes + Array("'\"}}\0".utf8))
                #expect(caller.error() == "InvalidParameter")
                #expect(caller.isClosed)
            }
        }
    }

    @Test(
        "What cannot be done is said, and the connection goes on",
        arguments: [
            ("Query.Nothing", "{}", "MethodNotFound"), ("Nothing.Find", "{}", "InterfaceNotFound"),
            ("Query.Watch", "{\"predicate\":\"\"}", "ExpectedMore"),
            ("Query.Find", "{\"predicate\":\"\",\"limit\":9223372036854775808}", "InvalidParameter"),
            ("Query.Find", "{\"predicate\":\"\",\"limit\":1e999}", "InvalidParameter"),
            ("Query.Find", "{\"predicate\":\"\",\"limit\":-1}", "InvalidParameter"),
            ("Query.Find", "{\"predicate\":\"size == 1e999\"}", "InvalidPredicate"),
            ("Query.Find", "{\"predicate\":\"\",\"timeout\":9223372036854775807}", "LimitExceeded"),
            ("Query.Find", "{\"predicate\":\"\",\"other\":1}", "InvalidParameter"),
            ("Query.Find", "{}", "InvalidParameter"),
        ])
    func refusals(method: String, parameters: String, error: String) async throws {
        try await Self.run { daemon, _ in
            let caller = try RawCaller(daemon)
            caller.call(method, parameters)
            #expect(caller.error() == error)
            // Of a key that comes twice the last counts.
            caller.call("Query.Count", "{\"predicate\":\"name == 'x'\",\"predicate\":\"name == 'Good_1'\"}")
            #expect(caller.next().contains("\"count\":1"))
        }
    }

    @Test func listsAreBounded() async throws {
        try await Self.run { daemon, areServed in
            let caller = try RawCaller(daemon)
            let scopes = (0..<10_000).map { _ in "\"tree\"" }.joined(separator: ",")
            for method in ["Query.Find", "Query.Count"] {
                caller.call(method, "{\"predicate\":\"\",\"scopes\":[\(scopes)]}")
                #expect(caller.error() == "LimitExceeded")
            }
            let deep = "\"\(daemon.tree)" + String(repeating: "/a", count: Limits.scopeBytes / 2) + "\""
            for method in ["Query.Find", "Query.Count", "Query.Watch"] {
                caller.call(method, "{\"predicate\":\"\",\"scopes\":[\(deep)]}", ",\"more\":true")
                #expect(caller.error() == "LimitExceeded")
            }
            let keys = (0...Limits.sortKeys).map { _ in "{\"attribute\":\"name\",\"ascending\":true}" }.joined(
                separator: ",")
            caller.call("Query.Find", "{\"predicate\":\"\",\"sort\":[\(keys)]}")
            #expect(caller.error() == "LimitExceeded")
            let attributes = (0..<50_000).map { _ in "\"name\"" }.joined(separator: ",")
            caller.call("Query.Find", "{\"predicate\":\"name == 'Good_1'\",\"attributes\":[\(attributes)]}")
            #expect(caller.next().contains("Good_1"))
        }
    }

    @Test func aReplyIsBounded() async throws {
        // Each item has a path of three thousand bytes.
        let deep = "tree" + String(repeating: "/" + Self.longName, count: 15)
        let files = 3_000
        try await Self.run(prepare: { directory in
            for number in 0..<files { try directory.write("", to: "\(deep)/x\(number)") }
        }) { daemon, areServed in
            let caller = try RawCaller(daemon)
            caller.call("Query.Find", "{\"predicate\":\"name LIKE 'x*'\"}")
            try await areServed()
            let refusal = caller.next()
            #expect(refusal.contains("LimitExceeded"))
            #expect(refusal.contains("\"limit\":\"replyBytes\",\"value\":\(ProtocolLimits.findReplyBytes)"))
            // As much as fits comes whole, and all of it piece by piece.
            caller.call("Query.Find", "{\"predicate\":\"name LIKE 'x*'\",\"limit\":2000}")
            #expect(caller.next().split(separator: "\"id\":").count - 1 == 2_000)
            caller.call("Query.Find", "{\"predicate\":\"name LIKE 'x*'\"}", ",\"more\":true")
            var items = 0
            while true {
                let reply = caller.next()
                items += reply.split(separator: "\"id\":").count - 1
                guard reply.contains("\"continues\":true") else { break }
            }
            #expect(items == files)
        }
    }

    @Test func whatIsSortedAndCountedIsBounded() async throws {
        var limits = ServiceLimits()
        limits.sortKeyBytes = 5_000
        limits.distinctValues = 50
        limits.distinctValueBytes = 9_000
        try await Self.run(
            limits: limits,
            prepare: { for number in 100..<160 { try $0.write("", to: "tree/\(Self.longName)\(number)") } }
        ) { daemon, areServed in
            let caller = try RawCaller(daemon)
            let sort = "\"sort\":[{\"attribute\":\"name\",\"ascending\":true}]"
            for (method, predicate, rest, limit, value) in [
                ("Find", "name LIKE 'aaa*'", sort, "sortKeyBytes", limits.sortKeyBytes),
                ("Values", "name LIKE 'aaa*'", "\"attribute\":\"name\"", "distinctValues", limits.distinctValues),
                (
                    "Values", "name MATCHES 'a+1[0-4].'", "\"attribute\":\"name\"",
                    "distinctValueBytes", limits.distinctValueBytes
                ),
            ] {
                caller.call("Query.\(method)", "{\"predicate\":\"\(predicate)\",\(rest)}")
                try await areServed()
                let reply = caller.next()
                #expect(reply.contains("LimitExceeded"))
                #expect(reply.contains("\"limit\":\"\(limit)\",\"value\":\(value)"), "\(method): \(reply)")
            }
            caller.call("Query.Find", "{\"predicate\":\"name LIKE 'Good_*'\",\(sort)}")
            #expect(caller.next().contains("Good_1"))
            caller.call("Query.Values", "{\"predicate\":\"name MATCHES 'a+12.'\",\"attribute\":\"name\"}")
            #expect(caller.next().split(separator: "\"count\":1").count - 1 == 10)
        }
    }

    // MARK: Connections

    @Test func callersWhoVanishLeaveNothingBehind() async throws {
        try await Self.run(prepare: {
            for number in 0..<3_000 { try $0.write("", to: "tree/\(Self.longName)\(number)") }
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
        try await Self.run(limits: limits) { daemon, areServed in
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
        try await Self.run(limits: limits) { daemon, areServed in
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

    /// As with answers: who waits because of others is told how many there are in all.
    @Test func scansAreBounded() async throws {
        // Nobody's turn comes, as where others have taken all.
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

    /// What a question is told beside two callers who do not take their answers. When they are gone their places are free.
    private func replyWhileTwoAnswersWait(_ limits: ServiceLimits) async throws -> String {
        var limits = limits
        limits.turnTime = .milliseconds(20)
        let directory = try TemporaryDirectory()
        try directory.makeDirectory("tree")
        for number in 0..<3_000 { try directory.write("", to: "tree/\(Self.longName)\(number)") }
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
        try await Self.run(limits: limits) { daemon, areServed in
            let request = QueryInterface.Watch.Request(predicate: "name LIKE 'a*'")
            var subscriber = try await Subscriber(daemon, request)
            try await subscriber.gather()
            let files = 12_000
            for number in 0..<files {
                try daemon.directory.write("", to: "tree/\(Self.longName)\(number)")
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
        try await Self.run(limits: limits) { daemon, areServed in
            let stopped = try RawCaller(daemon)
            stopped.call("Query.Watch", "{\"predicate\":\"name LIKE 'a*'\"}", ",\"more\":true")
            #expect(stopped.next().contains("started"))
            #expect(stopped.next().contains("gathered"))
            for number in 0..<8_000 { try daemon.directory.write("", to: "tree/\(Self.longName)\(number)") }
            try await areServed()
            var last = stopped.next()
            while !last.isEmpty, !last.contains("error") { last = stopped.next() }
            #expect(last.contains("pendingBytesInAll"))
        }
    }

    @Test func callsWithoutAnswersAreBounded() async throws {
        try await Self.run { daemon, areServed in
            let caller = try RawCaller(daemon)
            let call = Array("{\"method\":\"io.gatherd.Query.Attributes\"}\0".utf8)
            let calls = 5_000
            // What is sent here waits in the kernel once the daemon holds enough answers: the sender stands still.
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

/// A thread, for what blocks.
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
