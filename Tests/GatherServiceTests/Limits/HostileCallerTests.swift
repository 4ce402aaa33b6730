// Callers that ask too much, send nonsense or do not read: they are told, and the others are served exactly meanwhile.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Glibc
import LiveQueries
import NIOCore
import Testing
import Varlink

@testable import GatherService

struct HostileCallerTests {
    /// Goes back and forth over a long name until it is stopped.
    private static let catastrophic = "name MATCHES '(([a-z])+.)+[A-Z]([a-z])+'"

    // MARK: Predicates

    @Test("A regular expression that goes back and forth fails the question", arguments: ["Query.Find", "Query.Count"])
    func catastrophicQuestions(method: String) async throws {
        try await Bystanders.run(prepare: { try $0.write("", to: "tree/" + Bystanders.longName) }) {
            daemon, areServed in
            let callers = try (0..<20).map { _ in try RawCaller(daemon) }
            for caller in callers { caller.call(method, "{\"predicate\":\"\(Self.catastrophic)\"}") }
            try await areServed()
            for caller in callers { #expect(caller.error() == "EvaluationFailed") }
        }
    }

    @Test func aCatastrophicLiveQueryEnds() async throws {
        var limits = ServiceLimits()
        limits.costlyTests = WorkMeter.Allowance(free: 5_000, most: 1_000_000, capacity: 1_000_000, perSecond: 1_000)
        try await Bystanders.run(limits: limits, prepare: { try $0.write("", to: "tree/" + Bystanders.longName) }) {
            daemon, areServed in
            let hostile = try await Subscriber(daemon, .init(predicate: Self.catastrophic))
            // An item that the predicate has no answer for does not match.
            try await hostile.gather()
            #expect(hostile.items.isEmpty)
            try await areServed()
            let files = 200
            for number in 0..<files {
                try daemon.directory.write("", to: "tree/\(Bystanders.longName)\(number)")
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
        try await Bystanders.run(
            limits: limits,
            prepare: { for number in 0..<400 { try $0.write("", to: "tree/\(Bystanders.longName)\(number)") } }
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
        try await Bystanders.run(
            prepare: { for number in 0..<400 { try $0.write("", to: "tree/\(Bystanders.longName)\(number)") } }
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

    @Test func endlessNestingIsRefused() async throws {
        try await Bystanders.run { daemon, areServed in
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
        try await Bystanders.run { daemon, areServed in
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
        try await Bystanders.run { daemon, areServed in
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
        try await Bystanders.run { daemon, areServed in
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
        "A message that is no call ends its connection",
        arguments: [
            "", "x", "{}", "[]", "{\"method\":1}", "{\"method\":\"io.gatherd.Query.Count\",\"parameters\":[]}",
            "{\"method\":\"a\",\"more\":true,\"oneway\":true}", "{\"method\":\"a\",\"upgrade\":true}",
            "{\"method\":\"io.gatherd.Query.Count\",\"parameters\":{\"predicate\":\"\u{1}\"}}",
        ])
    func nonsense(message: String) async throws {
        try await Bystanders.run { daemon, areServed in
            let caller = try RawCaller(daemon)
            caller.send(Array(message.utf8) + [UInt8](repeating: 0, count: 100_000))
            try await areServed()
            // A call that wants no answer gets none.
            if !message.contains("oneway") { #expect(caller.error() == "InvalidParameter") }
            #expect(caller.isClosed)
        }
    }

    @Test func bytesThatAreNoTextEndTheirConnection() async throws {
        try await Bystanders.run { daemon, _ in
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
        "A call that cannot be done gets an error, and the connection goes on",
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
        try await Bystanders.run { daemon, _ in
            let caller = try RawCaller(daemon)
            caller.call(method, parameters)
            #expect(caller.error() == error)
            // If a key comes twice, the last one counts.
            caller.call("Query.Count", "{\"predicate\":\"name == 'x'\",\"predicate\":\"name == 'Good_1'\"}")
            #expect(caller.next().contains("\"count\":1"))
        }
    }

    @Test func listsAreBounded() async throws {
        try await Bystanders.run { daemon, areServed in
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
        let deep = "tree" + String(repeating: "/" + Bystanders.longName, count: 15)
        let files = 3_000
        try await Bystanders.run(prepare: { directory in
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

    @Test func sortKeysAndDistinctValuesAreBounded() async throws {
        var limits = ServiceLimits()
        limits.sortKeyBytes = 5_000
        limits.distinctValues = 50
        limits.distinctValueBytes = 9_000
        try await Bystanders.run(
            limits: limits,
            prepare: { for number in 100..<160 { try $0.write("", to: "tree/\(Bystanders.longName)\(number)") } }
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
}
