// Who sees what, against the kernel's own answers: random trees with random modes, owners and access control lists, and what
// other users of the machine can really list and stat of them.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Glibc
import Metadata
import TestSupport
import Testing
import Varlink

@testable import GatherService

@Suite(.serialized, .enabled(if: OtherUser.canBecome), .timeLimit(.minutes(20))) struct AccessTests {
    private static let users = [
        OtherUser(user: 41_001, group: 42_001), OtherUser(user: 41_002, group: 42_002, groups: [42_001, 42_003]),
        OtherUser(user: 41_003, group: 42_003, groups: [42_004, 42_005]), OtherUser(user: 41_001, group: 42_004),
    ]

    /// The same each time for a change that is to be tested, others where there is time.
    private static let seeds: [UInt64] =
        getenv("GATHER_TEST_LONG") == nil ? Array(1...6) : (0..<60).map { _ in .random(in: 1...UInt64.max) }

    /// What is asked, and what it says of an item whose tags are as the asking user can read them.
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
                }
            }
            // Or nothing was tested.
            #expect(shown > 0 && withheld > 0, "seed \(seed)")
            #expect(leaks == 0 && hidden == 0, "seed \(seed): \(leaks) leaks, \(hidden) hidden, \(compared) compared")
            for (_, _, subscriber) in subscribers { await subscriber.close() }
        }
    }

    private static func text(_ item: Item, _ tree: String) -> String {
        let path = String((item.path ?? "").dropFirst(tree.count + 1))
        return Seen(
            path: path, mode: UInt32(item.mode ?? 0), isFile: false, tags: item.tags ?? [],
            comment: item.extended?["xdg.comment"], target: item.target
        ).description
    }

    @Test func whatIsClosedIsAnsweredAsWhatIsNotThere() async throws {
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

    /// What is known from before is being compared when the daemon is ready: who asks waits for that, and is never told that
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

    @Test func aUsersOwnDaemonTellsNobodyApart() async throws {
        let directory = try TemporaryDirectory()
        chmod(directory.path, 0o755)
        chmod(directory.path + "/run", 0o755)
        try directory.write("x", to: "tree/closed/file")
        chmod(directory.path + "/tree/closed", 0o700)
        try await DaemonFixture.run(directory: directory) { daemon in
            chmod(directory.path + "/run", 0o755)
            chmod(daemon.socket, 0o666)
            let found = try await daemon.call(QueryInterface.Find.self, .init(predicate: ""), as: Self.users[0])
            #expect(found.items.count == 2)
        }
    }
}

/// A tree that is changed at random, by root.
private struct Forest {
    let tree: String
    /// The directories above it, and its own.
    let above: [String]

    private static let owners: [UInt32] = [0, 41_001, 41_002, 41_003]
    private static let groups: [UInt32] = [0, 42_001, 42_002, 42_003, 42_004]
    private static let setxattr = cFunction(
        "setxattr",
        as: (@convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeRawPointer?, Int, CInt) -> CInt).self)
    private static let getxattr = cFunction(
        "lgetxattr",
        as: (@convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeMutableRawPointer?, Int) -> Int).self)
    private static let removexattr = cFunction(
        "removexattr", as: (@convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>) -> CInt).self)

    init(tree: String, above: [String]) {
        self.tree = tree
        self.above = above
    }

    private func place(_ random: inout SeededGenerator) -> String {
        directory(&random, least: 0) + "/f\(Int.random(in: 0...19, using: &random))"
    }

    private func directory(_ random: inout SeededGenerator, least: Int = 1) -> String {
        let depth = Int.random(in: least...4, using: &random)
        return ([tree] + (0..<depth).map { _ in "d\(Int.random(in: 0...2, using: &random))" }).joined(separator: "/")
    }

    /// One change somewhere; one that cannot be made is no change.
    mutating func change(_ random: inout SeededGenerator, aboveToo: Bool) {
        var target = Bool.random(using: &random) ? place(&random) : directory(&random)
        if aboveToo, Int.random(in: 0..<12, using: &random) == 0 {
            target = above.randomElement(using: &random) ?? tree
        }
        switch Int.random(in: 0..<17, using: &random) {
        case 0...2:
            if Int.random(in: 0..<6, using: &random) == 0 {
                symlink("no/where", place(&random))
            } else {
                let file = Glibc.open(place(&random), O_CREAT | O_WRONLY, 0o644)
                if file >= 0 { close(file) }
            }
        case 3, 4: mkdir(directory(&random), 0o755)
        case 5, 6: chmod(target, mode(&random))
        case 7:
            let owner = Forest.owners.randomElement(using: &random) ?? 0
            chown(target, owner, Forest.groups.randomElement(using: &random) ?? 0)
        case 8, 9: setList(target, &random)
        case 10: _ = Forest.removexattr(target, "system.posix_acl_access")
        case 11: rename(directory(&random), directory(&random))
        case 12: rename(place(&random), place(&random))
        case 13: unlink(place(&random))
        case 14: link(place(&random), place(&random))
        case 15:
            if Int.random(in: 0..<4, using: &random) == 0 {
                TemporaryDirectory.run("/bin/rm", "-rf", directory(&random))
            }
        default:
            let tags = [",", "red", "red,blue", "blue"].randomElement(using: &random) ?? ""
            let value = Array(tags.utf8)
            let name = Bool.random(using: &random) ? "user.xdg.tags" : "user.xdg.comment"
            _ = value.withUnsafeBytes { Forest.setxattr(target, name, $0.baseAddress, $0.count, 0) }
        }
    }

    /// Opens the way to the tree, and some directories in it, or all would be closed after a while.
    func open(_ random: inout SeededGenerator) {
        for path in above + (0..<6).map({ _ in directory(&random) }) {
            _ = Forest.removexattr(path, "system.posix_acl_access")
            chmod(path, 0o755)
        }
    }

    private func mode(_ random: inout SeededGenerator) -> mode_t {
        // Mostly open, or all would be closed at the third level.
        let usual: [mode_t] = [0o755, 0o750, 0o711, 0o700, 0o055, 0o770, 0o005, 0o775, 0o744]
        return Int.random(in: 0..<3, using: &random) == 0
            ? mode_t.random(in: 0...0o777, using: &random) : usual.randomElement(using: &random) ?? 0o755
    }

    /// Gives a file a list, put down here as the kernel's header has it, without anything of Gather.
    private func setList(_ target: String, _ random: inout SeededGenerator) {
        var bytes: [UInt8] = [2, 0, 0, 0]
        func add(_ tag: UInt8, _ number: UInt32) {
            // Often nothing, since the kernel treats an empty mask apart, and often enough to be seen.
            let usual: [UInt8] = [0, 5, 5, 7, .random(in: 0...7, using: &random)]
            let permissions = usual.randomElement(using: &random) ?? 0
            bytes += [tag, 0, permissions, 0]
            bytes += (0..<4).map { UInt8(truncatingIfNeeded: number >> UInt32(8 * $0)) }
        }
        add(1, .max)
        for user in Forest.owners.dropFirst() where Bool.random(using: &random) { add(2, user) }
        add(4, .max)
        for group in Forest.groups.dropFirst() where Int.random(in: 0..<3, using: &random) == 0 { add(8, group) }
        add(16, .max)
        add(32, .max)
        _ = bytes.withUnsafeBytes {
            Forest.setxattr(target, "system.posix_acl_access", $0.baseAddress, $0.count, 0)
        }
    }

    /// All directories, as root sees them.
    private func directories(below directory: String) -> [String] {
        [directory]
            + Forest.names(in: directory).map { directory + "/" + $0 }.filter { isDirectory($0) }
            .flatMap { directories(below: $0) }
    }

    /// How many entries there are, as root sees them.
    var count: Int { directories(below: tree).reduce(0) { $0 + Forest.names(in: $1).count } }

    private func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    private static func names(in directory: String) -> [String] {
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let record = readdir(stream) {
            let name = withUnsafeBytes(of: record.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// What a user can list and stat, found out as that user. Directories are tried by name, since one may be entered
    /// that cannot be listed from above.
    func walk(as user: OtherUser) -> [AccessTests.Seen] {
        let directories = directories(below: tree)
        let prefix = tree.count + 1
        return user.run {
            directories.flatMap { directory in
                Forest.names(in: directory).compactMap { name in
                    let path = directory + "/" + name
                    var status = stat()
                    guard lstat(path, &status) == 0 else { return nil }
                    func text(_ read: (UnsafeMutableRawBufferPointer) -> Int) -> String? {
                        var value = [UInt8](repeating: 0, count: 256)
                        let count = value.withUnsafeMutableBytes { read($0) }
                        return count < 0 ? nil : String(decoding: value.prefix(count), as: UTF8.self)
                    }
                    func attribute(_ name: String) -> String? {
                        text { Forest.getxattr(path, name, $0.baseAddress, $0.count) }
                    }
                    let tags = attribute("user.xdg.tags")?.split(separator: ",") ?? []
                    let isLink = status.st_mode & S_IFMT == S_IFLNK
                    let target = text {
                        isLink ? readlink(path, $0.baseAddress!.assumingMemoryBound(to: CChar.self), $0.count) : -1
                    }
                    return AccessTests.Seen(
                        path: String(path.dropFirst(prefix)), mode: status.st_mode & 0o7777,
                        isFile: status.st_mode & S_IFMT == S_IFREG, tags: tags.map(String.init),
                        comment: attribute("user.xdg.comment"), target: target)
                }
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
