// As many containers as there may be, and one more.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Glibc
import Testing

@testable import GatherService

struct ManyContainersTests {
    /// A directory with so many below `tree`, each with one file.
    private static func directories(_ count: Int) throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory()
        for number in 0..<count { try directory.write("x", to: "tree/d\(number)/only\(number)") }
        return directory
    }

    private static func configuration(_ numbers: Range<Int>, in directory: TemporaryDirectory) -> [String: String] {
        Dictionary(uniqueKeysWithValues: numbers.map { ("c\($0)", "\(directory.path)/tree/d\($0)") })
    }

    private static func add(_ number: Int, _ daemon: DaemonFixture) async throws {
        _ = try await daemon.call(
            ContainerInterface.Add.self, .init(identifier: "c\(number)", path: "\(daemon.tree)/d\(number)"))
    }

    private static func expect(_ daemon: DaemonFixture, finds numbers: Range<Int>) async throws {
        let found = try await daemon.find("name BEGINSWITH 'only'")
        #expect(found == numbers.map { "d\($0)/only\($0)" }.sorted())
    }

    @Test func `One container too many is refused, and the others are served`() async throws {
        let most = Limits.containers
        let directory = try Self.directories(most + 1)
        try await DaemonFixture.run(
            containers: Self.configuration(0..<most - 1, in: directory), directory: directory,
            // A thousand files that are brought to the disk are no part of this.
            adjust: { $0.stateDirectory = nil }
        ) { daemon in
            try await Self.expect(daemon, finds: 0..<most - 1)
            try await Self.add(most - 1, daemon)
            let caller = try RawCaller(daemon)
            caller.call("Container.Add", "{\"identifier\":\"more\",\"path\":\"\(daemon.tree)/d\(most)\"}")
            let refusal = caller.next()
            #expect(
                refusal.contains("LimitExceeded") && refusal.contains("\"limit\":\"containers\",\"value\":\(most)"),
                "\(refusal)")
            try await Self.expect(daemon, finds: 0..<most)
            let subscriber = try await Subscriber(daemon, .init(predicate: "name == 'new'"))
            try await subscriber.gather()
            try directory.write("x", to: "tree/d\(most - 1)/new")
            try await subscriber.next()
            #expect(subscriber.items.count == 1)
            await subscriber.close()
            // With one fewer there is room for another.
            _ = try await daemon.call(ContainerInterface.Remove.self, .init(identifier: "c\(most - 1)"))
            try await Self.add(most, daemon)
            #expect(try await daemon.find("name == 'only\(most)'") == ["d\(most)/only\(most)"])
        }
    }

    /// Containers added at run time give way to configured ones, past the limit too.
    @Test func `Those added at run time that are too many now are left out`() async throws {
        var limits = ServiceLimits()
        limits.containers = 8
        let directory = try Self.directories(11)
        try await DaemonFixture.run(containers: [:], directory: directory, limits: limits) { daemon in
            for number in 7..<11 { try await Self.add(number, daemon) }
        }
        let log = LogRecorder()
        try await DaemonFixture.run(
            containers: Self.configuration(0..<7, in: directory), directory: directory, limits: limits, log: log
        ) { daemon in
            let found = try await daemon.find("name BEGINSWITH 'only'")
            #expect(found.count == 8, "\(found)")
        }
        #expect(log.all.count { $0.contains("gives way") } == 3, "\(log.all)")
        // They are not forgotten.
        try await DaemonFixture.run(containers: [:], directory: directory, limits: limits) { daemon in
            try await Self.expect(daemon, finds: 7..<11)
        }
    }
}
