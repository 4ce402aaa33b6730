// One owner with more access lists than their share: other owners are not affected, and it is said.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Glibc
import LinuxSystem
import Metadata
import NIOCore
import TestSupport
import Testing

@testable import GatherService

/// The table of lists is that of the process, so each owner here has files in no other test.
@Suite(.serialized, .needsRoot("other users")) struct AccessListShareTests {
    private static let reader = OtherUser(user: 41_201, group: 42_201)
    private static let greedy: uid_t = 41_202
    private static let modest: uid_t = 41_203
    private static let restless: uid_t = 41_204

    /// Bytes of a list that the reader may read by, unlike any with another number.
    private static func list(_ number: UInt32, entries: UInt32) -> [UInt8] {
        AccessList(
            entries: [.init(.owner, [.read, .write, .search]), .init(.user, [.read, .search], number: reader.user)]
                + (0..<entries).map { .init(.user, .read, number: 1_000_000 + number * entries + $0) }
                + [.init(.owningGroup, []), .init(.mask, [.read, .search]), .init(.other, [])]
        ).bytes
    }

    private static func makeDirectory(_ path: String, owner: uid_t, list: [UInt8]) throws {
        try #require(mkdir(path, 0o750) == 0 && mkdir(path + "/inside", 0o755) == 0)
        try #require(chown(path, owner, owner) == 0)
        try set(list, of: path)
    }

    private static func set(_ list: [UInt8], of path: String) throws {
        let slash = try #require(path.lastIndex(of: "/"))
        let parent = try Directory.open(String(path[..<slash]), access: .path)
        try list.withUnsafeBytes {
            try ExtendedAttributes.set(
                AccessLists.attribute, of: String(path[slash...].dropFirst()), in: parent.number, to: $0)
        }
    }

    /// So many lists of so many entries are more bytes than an owner may have, and each fits into a block of a file system.
    private static let entries: UInt32 = 480
    private static let directories = 300

    @Test func `One owner past their share hides no other user's items, and it is said until then`() async throws {
        try #require(Self.directories * Self.list(0, entries: Self.entries).count > AccessLists.bytesOfOwner)
        let directory = try TemporaryDirectory()
        chmod(directory.path, 0o755)
        let trees = ["greedy": directory.path + "/greedy", "modest": directory.path + "/modest"]
        for path in trees.values { mkdir(path, 0o755) }
        for number in 0..<Self.directories {
            try Self.makeDirectory(
                directory.path + "/greedy/d\(number)", owner: Self.greedy,
                list: Self.list(UInt32(number), entries: Self.entries))
        }
        let log = LogRecorder()
        var limits = ServiceLimits()
        limits.accessListsLookedForAfter = .milliseconds(1)
        try await DaemonFixture.run(
            containers: trees, directory: directory, isSystem: true, limits: limits, log: log
        ) { daemon in
            chmod(daemon.socket, 0o666)
            func count(_ scope: String) async throws -> QueryInterface.Count.Reply {
                try await daemon.call(
                    QueryInterface.Count.self, .init(predicate: "name == 'inside'", scopes: [scope]), as: Self.reader)
            }
            func reasons(as user: OtherUser?) async throws -> [String: String] {
                let list = try await daemon.call(ContainerInterface.List.self, .init(), as: user)
                return Dictionary(
                    list.containers.compactMap { one in one.reason.map { (one.identifier, $0) } },
                    uniquingKeysWith: { first, _ in first })
            }
            func warnings() -> [String] { log.all.filter { $0.contains("access control lists") } }

            let greedy = try await count("greedy")
            #expect(greedy.count > 0 && greedy.count < Self.directories)
            #expect(greedy.inexact == ["greedy"])
            #expect(try await reasons(as: nil).keys.sorted() == ["greedy"])
            #expect(try await reasons(as: Self.reader).keys.sorted() == ["greedy"])
            #expect(warnings().count == 1 && warnings()[0].contains("user \(Self.greedy) "))
            // A caller who sees everything is told everything.
            let all = try await daemon.call(
                QueryInterface.Count.self, .init(predicate: "name == 'inside'", scopes: ["greedy"]))
            #expect(all.count == Self.directories && all.inexact == nil)

            // Another owner's list counts, and one that is known already does for whoever has it.
            try Self.makeDirectory(
                directory.path + "/modest/fresh", owner: Self.modest,
                list: Self.list(UInt32(Self.directories), entries: 1))
            try Self.makeDirectory(
                directory.path + "/modest/known", owner: Self.greedy,
                list: Self.list(UInt32(Self.directories), entries: 1))
            let modest = try await count("modest")
            #expect(modest.count == 2 && modest.inexact == nil)

            // More of the same is no news.
            try Self.makeDirectory(
                directory.path + "/greedy/more", owner: Self.greedy,
                list: Self.list(UInt32(Self.directories) + 1, entries: Self.entries))
            #expect(try await count("greedy").inexact == ["greedy"])
            #expect(warnings().count == 1)

            // Fewer of them are all kept, without a restart: those too that had been refused.
            let without = 50
            let greedyTree = try Directory.open(directory.path + "/greedy", access: .path)
            for number in 0..<without {
                try ExtendedAttributes.remove(AccessLists.attribute, of: "d\(number)", in: greedyTree.number)
            }
            while try await count("greedy").inexact != nil {}
            #expect(try await count("greedy").count == Self.directories + 1 - without)
            #expect(try await reasons(as: nil).isEmpty)

            TemporaryDirectory.run("/bin/sh", "-c", "rm -r '\(directory.path)'/greedy/*")
            #expect(try await count("greedy").count == 0)

            try Self.makeDirectory(
                directory.path + "/modest/again", owner: Self.greedy,
                list: Self.list(UInt32(Self.directories) + 2, entries: Self.entries))
            // Lists of removed directories take no room any more.
            while try await count("modest").inexact != nil {}
            #expect(try await count("modest").count == 2 + 1)
            #expect(warnings().count <= 2)
        }
    }

    /// The journal has more lists than an owner may have, and the directories have few at the end.
    @Test func `An owner who set lists in a loop is seen through the last ones after a restart`() async throws {
        let directory = try TemporaryDirectory()
        chmod(directory.path, 0o755)
        let tree = directory.path + "/tree"
        mkdir(tree, 0o755)
        let rounds = AccessLists.countOfOwner / Self.directories + 2
        func list(_ number: Int, _ round: Int) -> [UInt8] {
            Self.list(UInt32(round * Self.directories + number), entries: 1)
        }
        for number in 0..<Self.directories {
            try Self.makeDirectory("\(tree)/d\(number)", owner: Self.restless, list: list(number, 0))
        }
        var limits = ServiceLimits()
        limits.accessListsSweptAfter = .milliseconds(1)
        limits.accessListsLookedForAfter = .milliseconds(1)
        var request = QueryInterface.Watch.Request(predicate: "name == 'inside'", attributes: ["path"])
        var held: [String: String] = [:]
        func isExact(_ daemon: DaemonFixture) async throws -> Bool {
            try await daemon.call(QueryInterface.Count.self, .init(predicate: ""), as: Self.reader).inexact == nil
        }
        try await DaemonFixture.run(
            containers: ["tree": tree], directory: directory, isSystem: true, limits: limits
        ) { daemon in
            chmod(daemon.socket, 0o666)
            for round in 1...rounds {
                for number in 0..<Self.directories { try Self.set(list(number, round), of: "\(tree)/d\(number)") }
                _ = try await daemon.call(QueryInterface.Flush.self, .init())
            }
            while try await !isExact(daemon) {}
            let subscriber = try await Subscriber(daemon, request, as: Self.reader)
            try await subscriber.gather()
            (held, request.since) = (subscriber.items, subscriber.lastClock)
            await subscriber.close()
        }
        #expect(held.count == Self.directories)
        // The next process has none of them.
        let last = list(Self.directories - 1, rounds)
        let known = AccessLists.intern(last, owner: Self.restless)
        while AccessLists.bytes(of: known) == last {
            AccessLists.beginSweep()
            await Task.yield()
        }
        try await DaemonFixture.run(
            containers: ["tree": tree], directory: directory, isSystem: true, limits: limits
        ) { daemon in
            chmod(daemon.socket, 0o666)
            #expect(try await isExact(daemon))
            let back = try await Subscriber(daemon, request, holding: held, as: Self.reader)
            #expect(try await back.next().fresh == nil)
            try await back.gather()
            #expect(back.items == held && back.violations.isEmpty)
            await back.close()
        }
    }
}
