// Live queries that are there when a container comes are planned for it a part at a time, and miss nothing.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Glibc
import Testing

@testable import GatherService

struct PlanningTests {
    private static let predicates = (0..<30).map { number in
        ["", "name ENDSWITH '\(number)'", "kind == 'file'", "name MATCHES '.*\(number % 10)'", "size > \(number)"][
            number % 5]
    }

    private static func expected(_ daemon: DaemonFixture, _ predicate: String) async throws -> [String] {
        let reply = try await daemon.call(
            QueryInterface.Find.self, QueryInterface.Find.Request(predicate: predicate, attributes: ["path"]))
        return reply.items.compactMap(\.path).sorted()
    }

    /// Containers come and go, with files that change all the while.
    @Test(arguments: [0, 40, Limits.predicateBytesOnLoop]) func nothingIsMissedOfAContainerThatComes(
        bytesOnLoop: Int
    ) async throws {
        var limits = ServiceLimits()
        limits.predicateBytesOnLoop = bytesOnLoop
        let directory = try TemporaryDirectory()
        for number in 0..<40 { try directory.write("\(number)", to: "other/d\(number % 3)/f\(number)") }
        try await DaemonFixture.run(directory: directory, limits: limits) { daemon in
            var subscribers: [Subscriber] = []
            for predicate in Self.predicates {
                let subscriber = try await Subscriber(daemon, .init(predicate: predicate))
                try await subscriber.gather()
                subscribers.append(subscriber)
            }
            for round in 0..<4 {
                _ = try await daemon.call(
                    ContainerInterface.Add.self, .init(identifier: "other", path: directory.path + "/other"))
                for number in 0..<20 {
                    try directory.write("more", to: "other/d0/g\(round)\(number)")
                    unlink("\(directory.path)/other/d0/g\(round)\(number)")
                    try directory.write("more", to: "other/d1/f\(number)")
                }
                if round % 2 == 0 { try await daemon.flush() }
                if round == 3 { break }
                _ = try await daemon.call(ContainerInterface.Remove.self, .init(identifier: "other"))
            }
            try directory.write("end", to: "tree/end")
            try await daemon.flush()
            for (predicate, subscriber) in zip(Self.predicates, subscribers) {
                let expected = try await Self.expected(daemon, predicate)
                while subscriber.items.values.sorted() != expected { try await subscriber.next() }
                #expect(subscriber.violations.isEmpty, "\(predicate)")
                #expect(subscriber.lastCount == Int64(expected.count), "\(predicate)")
                // Later changes are told as ever, with a clock to come back with.
                let back = try await subscriber.comeBack(daemon, .init(predicate: predicate))
                try await back.gather()
                #expect(back.items.values.sorted() == expected && back.violations.isEmpty, "\(predicate)")
                await back.close()
            }
        }
    }

    /// A short predicate that takes long to plan is planned off the loop, and answered as ever.
    @Test func manyContentTypesAreAskedFor() async throws {
        try await DaemonFixture.run { daemon in
            try daemon.directory.write("x", to: "tree/a.txt")
            try daemon.directory.write("x", to: "tree/b.none")
            let none = (0..<30).map { "contentType == 'none/\($0)'" }.joined(separator: " OR ")
            #expect(try await daemon.find("(\(none)) OR name == 'b.none'") == ["b.none"])
            let subscriber = try await Subscriber(daemon, .init(predicate: "NOT (\(none))"))
            try await subscriber.gather()
            #expect(subscriber.items.count == 2)
            try daemon.directory.write("x", to: "tree/c.txt")
            try await subscriber.next()
            #expect(subscriber.items.count == 3)
            await subscriber.close()
        }
    }
}
