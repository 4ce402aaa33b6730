// Access against the kernel's own answers: random trees with random modes, owners and access control lists, and the items that
// other users of the machine can really list and stat.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Glibc
import Metadata
import TestSupport
import Testing
import Varlink

@testable import GatherService

@Suite(.serialized, .needsRoot("other users")) struct AccessTests {
    private static let users = [
        OtherUser(user: 41_001, group: 42_001), OtherUser(user: 41_002, group: 42_002, groups: [42_001, 42_003]),
        OtherUser(user: 41_003, group: 42_003, groups: [42_004, 42_005]), OtherUser(user: 41_001, group: 42_004),
    ]

    private static let seeds = TestLength.seeds(1, long: 60)

    /// A predicate, and whether it holds for an item whose tags are as the asking user can read them.
    private static let queries: [(predicate: String, holds: @Sendable (Seen) -> Bool)] = [
        ("", { _ in true }),
        ("ANY tags == 'red'", { $0.tags.contains("red") }),
        ("NONE tags == 'red' AND kind == 'file'", { !$0.tags.contains("red") && $0.isFile }),
        ("name LIKE 'f1*' OR tags != nil", { $0.name.hasPrefix("f1") || !$0.tags.isEmpty }),
        // So long that it is planned on another thread, before it is known what its asker may see.
        ("kind == 'file' AND NOT name IN {\((0..<500).map { "'other\($0)'" }.joined(separator: ","))}", { $0.isFile }),
        ("comment == 'red' OR target == 'no/where'", { $0.comment == "red" || $0.target == "no/where" }),
    ]

    /// An entry as the kernel shows it to a user.
    struct Seen: Hashable, CustomStringConvertible {
        var path: String
        var mode: UInt32
        var isFile: Bool
        var tags: [String]
        var comment: String?
        var target: String?
        var name: Substring { path.split(separator: "/").last ?? "" }
        var description: String { "\(path) \(String(mode, radix: 8)) \(tags) \(comment ?? "-") \(target ?? "-")" }
    }

    @Test(arguments: seeds) func theKernelsAnswer(seed: UInt64) async throws {
        let directory = try TemporaryDirectory()
        chmod(directory.path, 0o755)
        let top = directory.path + "/above/below"
        let tree = top + "/tree"
        for path in [directory.path + "/above", top, tree] { mkdir(path, 0o755) }
        var random = SeededGenerator(seed: seed)
        var forest = Forest(tree: tree, above: [directory.path + "/above", top, tree])
        for _ in 0..<150 { forest.change(&random, aboveToo: false) }
        try await DaemonFixture.run(containers: ["tree": tree], directory: directory, isSystem: true) { daemon in
            chmod(daemon.socket, 0o666)
            var leaks = 0
            var hidden = 0
            var compared = 0
            var (shown, withheld) = (0, 0)
            var subscribers: [(user: OtherUser, query: Int, subscriber: Subscriber)] = []
            func request(_ query: Int) -> QueryInterface.Watch.Request {
                QueryInterface.Watch.Request(
                    predicate: Self.queries[query].predicate,
                    attributes: ["path", "mode", "tags", "target", "xattr.xdg.comment"], heartbeat: 50)
            }
            for user in Self.users {
                for query in Self.queries.indices where query < 3 || query == 5 {
                    let subscriber = try await Subscriber(daemon, request(query), as: user)
                    try await subscriber.gather()
                    subscribers.append((user, query, subscriber))
                }
            }
            func compare(_ got: [String], _ expected: [String], _ what: String) {
                compared += 1
                let leaked = Set(got).subtracting(expected)
                let missing = Set(expected).subtracting(got)
                leaks += leaked.count
                hidden += missing.count
                #expect(leaked.isEmpty && missing.isEmpty && got.count == expected.count, "seed \(seed): \(what)")
            }
            for round in 0..<10 {
                if Bool.random(using: &random) { forest.open(&random) }
                for _ in 0..<Int.random(in: 0...40, using: &random) { forest.change(&random, aboveToo: true) }
                for place in subscribers.indices where Int.random(in: 0..<6, using: &random) == 0 {
                    let (user, query, subscriber) = subscribers[place]
                    await subscriber.close()
                    for _ in 0..<Int.random(in: 0...10, using: &random) { forest.change(&random, aboveToo: true) }
                    subscribers[place].subscriber = try await subscriber.comeBack(daemon, request(query), as: user)
                }
                let flushes = try await Self.users.asyncMap {
                    try await daemon.call(QueryInterface.Flush.self, .init(), as: $0).clock
                }
                for (place, user) in Self.users.enumerated() {
                    let seen = forest.walk(as: user)
                    shown += seen.count
                    withheld += forest.count - seen.count
                    let sequence = try #require(QueryClock(text: flushes[place])?.sequence)
                    for (query, asked) in Self.queries.enumerated() {
                        let what = "round \(round), \(user), \(asked.predicate)"
                        let expected = seen.filter(asked.holds)
                        let reply = try await daemon.call(
                            QueryInterface.Find.self,
                            .init(
                                predicate: asked.predicate,
                                attributes: ["path", "mode", "tags", "target", "xattr.xdg.comment"]), as: user)
                        compare(
                            reply.items.map { Self.text($0, tree) }.sorted(),
                            expected.map(\.description).sorted(), "find, \(what)")
                        let count = try await daemon.call(
                            QueryInterface.Count.self, .init(predicate: asked.predicate), as: user)
                        #expect(Int(count.count) == expected.count, "seed \(seed): count, \(what)")
                        let told = Self.told.randomElement(using: &random) ?? Self.told[0]
                        let values = try await daemon.call(
                            QueryInterface.Values.self,
                            .init(predicate: asked.predicate, attribute: told.attribute), as: user)
                        compare(
                            values.values.map { "\($0.text ?? $0.integer.map { "\($0)" } ?? "-"): \($0.count)" }
                                .sorted(),
                            Self.tally(expected.flatMap(told.values)), "values of \(told.attribute), \(what)")
                        let explained = try await daemon.call(
                            QueryInterface.Explain.self, .init(predicate: asked.predicate, analyze: true), as: user)
                        let rows = explained.steps?.map { Int($0.rows) } ?? []
                        #expect(
                            rows.first == seen.count && rows.last == expected.count, "seed \(seed): explain, \(what)")
                        #expect(rows == rows.sorted(by: >), "seed \(seed): explain, \(what)")
                        for (_, _, subscriber) in subscribers.filter({ $0.user == user && $0.query == query }) {
                            while (subscriber.lastClock.flatMap { QueryClock(text: $0)?.sequence } ?? 0) < sequence {
                                try await subscriber.next()
                            }
                            compare(
                                subscriber.values.values.map { Self.text($0, tree) }.sorted(),
                                expected.map(\.description).sorted(), "watch, \(what)")
                            #expect(subscriber.violations.isEmpty, "seed \(seed): \(what)")
                        }
                    }
                    let status = try await daemon.call(ServiceInterface.Status.self, .init(), as: user)
                    #expect(Int(status.items) == seen.count, "seed \(seed): status, round \(round), \(user)")
                    let isListed = user.run { access(tree, R_OK) == 0 }
                    let list = try await daemon.call(ContainerInterface.List.self, .init(), as: user)
                    #expect(list.containers.count == (isListed ? 1 : 0), "seed \(seed): list, round \(round), \(user)")
                    #expect(status.containers == (isListed ? 1 : 0))
                    if isListed { #expect(Int(list.containers[0].items) == seen.count) }
                    // Whether a directory is there makes no difference but for what is seen of it.
                    let nowhere = await Self.answers(about: tree + "/nowhere", daemon, user)
                    for _ in 0..<2 {
                        let scope = forest.directory(&random)
                        let below = seen.count { (tree + "/" + $0.path).hasPrefix(scope + "/") }
                        let answers = await Self.answers(about: scope, daemon, user)
                        #expect(
                            answers == nowhere.map { $0 == "0" ? "\(below)" : $0 },
                            "seed \(seed): round \(round), \(user), \(scope)")
                    }
                }
            }
            // Or nothing was tested.
            #expect(shown > 0 && withheld > 0, "seed \(seed)")
            #expect(leaks == 0 && hidden == 0, "seed \(seed): \(leaks) leaks, \(hidden) hidden, \(compared) compared")
            for (_, _, subscriber) in subscribers { await subscriber.close() }
        }
    }

    /// Attributes that are counted, and their values of an item.
    private static let told: [(attribute: String, values: @Sendable (Seen) -> [String])] = [
        ("name", { [String($0.name)] }), ("mode", { ["\($0.mode)"] }), ("target", { [$0.target ?? "-"] }),
        ("comment", { [$0.comment ?? "-"] }), ("tags", { $0.tags.isEmpty ? ["-"] : $0.tags }),
    ]

    private static func tally(_ values: [String]) -> [String] {
        Dictionary(values.map { ($0, 1) }, uniquingKeysWith: +).map { "\($0): \($1)" }.sorted()
    }

    /// How many items three methods find in a directory, or how each fails, without its name.
    private static func answers(about scope: String, _ daemon: DaemonFixture, _ user: OtherUser) async -> [String] {
        func answer(_ count: () async throws -> Int64) async -> String {
            do { return "\(try await count())" } catch { return "\(error)".replacing(scope, with: "SCOPE") }
        }
        return [
            await answer {
                try await daemon.call(QueryInterface.Count.self, .init(predicate: "", scopes: [scope]), as: user).count
            },
            await answer {
                let request = QueryInterface.Values.Request(predicate: "", attribute: "hidden", scopes: [scope])
                return try await daemon.call(QueryInterface.Values.self, request, as: user).values
                    .reduce(0) { $0 + $1.count }
            },
            await answer {
                let request = QueryInterface.Explain.Request(predicate: "", scopes: [scope], analyze: true)
                return try await daemon.call(QueryInterface.Explain.self, request, as: user).steps?.last?.rows ?? -1
            },
        ]
    }

    private static func text(_ item: Item, _ tree: String) -> String {
        let path = String((item.path ?? "").dropFirst(tree.count + 1))
        return Seen(
            path: path, mode: UInt32(item.mode ?? 0), isFile: false, tags: item.tags ?? [],
            comment: item.extended?["xdg.comment"], target: item.target
        ).description
    }

    @Test func closedDirectoriesAreAnsweredAsMissingOnes() async throws {
        let directory = try TemporaryDirectory()
        chmod(directory.path, 0o755)
        mkdir(directory.path + "/tree", 0o755)
        mkdir(directory.path + "/secret", 0o700)
        try directory.write("x", to: "secret/file")
        try directory.write("x", to: "tree/closed/file")
        chmod(directory.path + "/tree/closed", 0o700)
        let containers = ["tree": directory.path + "/tree", "secret": directory.path + "/secret"]
        try await DaemonFixture.run(containers: containers, directory: directory, isSystem: true) { daemon in
            chmod(daemon.socket, 0o666)
            let user = Self.users[0]
            func failure(_ scope: String) async throws -> String? {
                let client = try await daemon.client(as: user)
                defer { Task { await client.close() } }
                do {
                    let request = QueryInterface.Find.Request(predicate: "", scopes: [scope])
                    _ = try await client.call(QueryInterface.Find.name, JSONBytes(request))
                    return nil
                } catch {
                    return "\(error)".replacing(scope, with: "SCOPE")
                }
            }
            let missing = try await failure("missing")
            #expect(missing != nil)
            #expect(try await failure("secret") == missing)
            #expect(try await failure("secret/Documents") == missing)
            let outside = try await failure("/nowhere")
            #expect(outside != nil)
            #expect(try await failure(directory.path + "/secret") == outside)
            #expect(try await failure(directory.path + "/secret/file") == outside)
            #expect(try await failure(directory.path + "/tree/closed") == failure(directory.path + "/tree/none"))
            func get(_ identifier: String) async -> String {
                do {
                    return
                        "\(try await daemon.call(ContainerInterface.Get.self, .init(identifier: identifier), as: user))"
                } catch {
                    return "\(error)".replacing(identifier, with: "ID")
                }
            }
            #expect(await get("secret") == get("missing"))
            let list = try await daemon.call(ContainerInterface.List.self, .init(), as: user)
            #expect(list.containers.map(\.identifier) == ["tree"])
            #expect(list.containers.map(\.items) == [1])
            let all = try await daemon.call(ContainerInterface.List.self, .init())
            #expect(all.containers.map(\.items) == [1, 2])
            let found = try await daemon.call(
                QueryInterface.Find.self, .init(predicate: "", attributes: ["name"]), as: user)
            #expect(found.items.compactMap(\.name) == ["closed"])
        }
    }

    @Test func aClockOfOtherGroupsIsFresh() async throws {
        let directory = try TemporaryDirectory()
        chmod(directory.path, 0o755)
        mkdir(directory.path + "/tree", 0o755)
        try directory.write("x", to: "tree/file")
        let tree = directory.path + "/tree"
        try await DaemonFixture.run(containers: ["tree": tree], directory: directory, isSystem: true) { daemon in
            chmod(daemon.socket, 0o666)
            let request = QueryInterface.Watch.Request(predicate: "", attributes: ["path"])
            var user = Self.users[0]
            var subscriber = try await Subscriber(daemon, request, as: user)
            try await subscriber.gather()
            subscriber = try await subscriber.comeBack(daemon, request, as: user)
            #expect(try await subscriber.next().fresh == nil)
            user.groups = [42_009]
            subscriber = try await subscriber.comeBack(daemon, request, as: user)
            #expect(try await subscriber.next().fresh == true)
            await subscriber.close()
        }
    }

    /// When the daemon is ready, it still compares the saved tree. A caller waits for that, and is never told that
    /// there is nothing.
    @Test func afterARestartACallerIsAnsweredInFull() async throws {
        let directory = try TemporaryDirectory()
        chmod(directory.path, 0o755)
        mkdir(directory.path + "/tree", 0o755)
        for number in 0..<500 { mkdir(directory.path + "/tree/d\(number)", 0o755) }
        try directory.write("x", to: "tree/d1/file")
        let tree = directory.path + "/tree"
        for run in 0..<3 {
            try await DaemonFixture.run(containers: ["tree": tree], directory: directory, isSystem: true) { daemon in
                chmod(daemon.socket, 0o666)
                let user = Self.users[0]
                let found = try await daemon.call(
                    QueryInterface.Find.self, .init(predicate: "name == 'file'", attributes: ["name"]), as: user)
                #expect(found.items.compactMap(\.name) == ["file"], "run \(run)")
                let scoped = try await daemon.call(
                    QueryInterface.Count.self, .init(predicate: "", scopes: ["tree"]), as: user)
                #expect(scoped.count == 501 && scoped.inexact == nil)
                // The next run finds what this one has saved.
                while try await daemon.call(ServiceInterface.Status.self, .init()).snapshotTime == nil {}
            }
        }
    }

}

extension Sequence {
    fileprivate func asyncMap<T>(_ body: (Element) async throws -> T) async rethrows -> [T] {
        var result: [T] = []
        for element in self { result.append(try await body(element)) }
        return result
    }
}
