// Packages of a real tree: the updates about them against a walk, over restarts and reloads, for each user.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Glibc
import Metadata
import TestSupport
import Testing

@testable import GatherService

struct PackageTests {
    /// An item as a walk of the tree finds it.
    struct Entry: Hashable, CustomStringConvertible {
        var kind: FileKind
        var size: Int64
        var modified: Int64
        var inPackage: Bool
        var description: String { "\(kind) \(size) \(modified)\(inPackage ? " inside" : "")" }
    }

    /// A tree on disk, and the extension that makes packages.
    struct Forest {
        let top: String
        var packageExtension = "gro"

        static func names(in directory: String) -> [String] {
            guard let stream = opendir(directory) else { return [] }
            defer { closedir(stream) }
            var names: [String] = []
            while let entry = readdir(stream) {
                let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                    String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
                }
                if name != ".", name != ".." { names.append(name) }
            }
            return names.sorted()
        }

        func isPackage(_ name: String) -> Bool {
            name.lowercased().hasSuffix("." + packageExtension) && name.utf8.count > packageExtension.utf8.count + 1
        }

        /// Everything, by the path below the top.
        func walk() -> [String: Entry] {
            var found: [String: Entry] = [:]
            walk(top, "", inPackage: false, &found)
            return found
        }

        /// Collects the entries below a directory; returns the sum of the files and the newest.
        @discardableResult
        private func walk(
            _ directory: String, _ prefix: String, inPackage: Bool, _ found: inout [String: Entry]
        ) -> (size: Int64, modified: Int64) {
            var (size, modified): (Int64, Int64) = (0, .min)
            for name in Self.names(in: directory) {
                let path = directory + "/" + name
                var status = stat()
                guard lstat(path, &status) == 0 else { continue }
                let time = Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
                var entry = Entry(kind: .file, size: Int64(status.st_size), modified: time, inPackage: inPackage)
                var below: (size: Int64, modified: Int64) = (0, .min)
                switch status.st_mode & S_IFMT {
                case S_IFDIR:
                    // Inside a package there are plain directories only.
                    let isPackage = !inPackage && isPackage(name)
                    entry.kind = isPackage ? .package : .directory
                    below = walk(path, prefix + name + "/", inPackage: inPackage || isPackage, &found)
                    if isPackage { (entry.size, entry.modified) = (below.size, max(time, below.modified)) }
                case S_IFLNK: entry.kind = .symlink
                default: below.size = entry.size
                }
                found[prefix + name] = entry
                size += below.size
                modified = max(modified, time, below.modified)
            }
            return (size, modified)
        }

        /// One random change; it may fail, and then nothing is changed.
        func change(_ random: inout SeededGenerator) {
            let all = walk()
            let directories = [""] + all.filter { $0.value.kind.isDirectory }.map(\.key).sorted()
            let below = { (directory: String, name: String) in
                top + "/" + (directory.isEmpty ? "" : directory + "/") + name
            }
            let names = ["a", "b", "c", "d", "x.gro", "y.GRO", "z.Gro", "w.kit", ".gro", "gro"]
            let directory = directories.randomElement(using: &random) ?? ""
            let name = names.randomElement(using: &random) ?? "a"
            let other = all.keys.sorted().randomElement(using: &random)
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<5: write(below(directory, name), &random)
            case 5..<9: mkdir(below(directory, name), 0o755)
            case 9: symlink("nowhere", below(directory, name))
            case 10..<15: if let other { rename(top + "/" + other, below(directory, name)) }
            case 15: if let other { unlink(top + "/" + other) }
            case 16: if let other { TemporaryDirectory.run("/bin/rm", "-rf", "--", top + "/" + other) }
            case 17: if let other { link(top + "/" + other, below(directory, name)) }
            default:
                guard let other else { return }
                // Also back, so that the newest in a package is another.
                let time = timespec(tv_sec: .random(in: 1...2_000_000_000, using: &random), tv_nsec: 5)
                utimensat(AT_FDCWD, top + "/" + other, [time, time], AT_SYMLINK_NOFOLLOW)
            }
        }

        private func write(_ path: String, _ random: inout SeededGenerator) {
            let file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o644)
            guard file >= 0 else { return }
            _ = Glibc.write(file, "0123456789", Int.random(in: 0...10, using: &random))
            Glibc.close(file)
        }
    }

    private static let attributes = ["path", "kind", "size", "modified", "inPackage"]

    private static let queries: [(predicate: String, holds: @Sendable (Entry) -> Bool)] = [
        ("", { !$0.inPackage }),
        ("kind == 'package' AND size >= 10", { !$0.inPackage && $0.kind == .package && $0.size >= 10 }),
        ("inPackage == TRUE", { $0.inPackage }),
        ("inPackage IN {TRUE, FALSE} AND size > 4", { $0.size > 4 }),
    ]

    private func held(_ subscriber: Subscriber, below top: String) -> [String: Entry] {
        var entries: [String: Entry] = [:]
        for item in subscriber.values.values {
            entries[String((item.path ?? "").dropFirst(top.count + 1))] = entry(item)
        }
        return entries
    }

    private func entry(_ item: Item) -> Entry {
        var kind = FileKind.file
        for known in FileKind.allCases where item.value(of: .kind) == .string(known.name.description) { kind = known }
        return Entry(
            kind: kind, size: item.size ?? -1, modified: item.modified?.nanoseconds ?? -1,
            inPackage: item.inPackage ?? false)
    }

    private func compare(
        _ subscribers: [Subscriber], _ forest: Forest, _ daemon: DaemonFixture, _ what: String
    ) async throws {
        let all = forest.walk()
        for ((predicate, holds), subscriber) in zip(Self.queries, subscribers) {
            let expected = all.filter { holds($0.value) }
            let told = held(subscriber, below: forest.top)
            try #require(told == expected, "\(what): '\(predicate)'")
            try #require(subscriber.violations.isEmpty, "\(what): '\(predicate)'")
            let reply = try await daemon.call(
                QueryInterface.Find.self, .init(predicate: predicate, attributes: Self.attributes))
            let found = reply.items.map { (String(($0.path ?? "").dropFirst(forest.top.count + 1)), entry($0)) }
            try #require(Dictionary(uniqueKeysWithValues: found) == expected, "\(what): found by '\(predicate)'")
        }
    }

    /// Everything that was changed until now reaches a subscriber in one reply: something always has.
    private func catchUp(_ subscribers: [Subscriber], _ daemon: DaemonFixture, _ step: inout Int) async throws {
        step += 1
        try daemon.directory.write(String(repeating: "s", count: 20 + step % 50), to: "tree/sentinel")
        try daemon.directory.write(String(repeating: "s", count: 20 + step % 50), to: "tree/sentinel.gro/inside")
        try await daemon.flush()
        for subscriber in subscribers { while try await subscriber.next().event != .updated {} }
    }

    private func request(_ predicate: String) -> QueryInterface.Watch.Request {
        .init(predicate: predicate, attributes: Self.attributes, batch: 600_000)
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func updatesAreWhatAWalkFinds(seed: UInt64) async throws {
        let directory = try TemporaryDirectory()
        try directory.makeDirectory("tree")
        let forest = Forest(top: directory.path + "/tree")
        var random = SeededGenerator(seed: seed)
        for _ in 0..<40 { forest.change(&random) }
        var step = 0
        var subscribers: [Subscriber] = []
        try await DaemonFixture.run(directory: directory, packages: ["gro"]) { daemon in
            for query in Self.queries {
                let subscriber = try await Subscriber(daemon, request(query.predicate))
                try await subscriber.gather()
                subscribers.append(subscriber)
            }
            for round in 0..<60 {
                for _ in 0..<Int.random(in: 1...4, using: &random) { forest.change(&random) }
                try await catchUp(subscribers, daemon, &step)
                try await compare(subscribers, forest, daemon, "seed \(seed), round \(round)")
            }
        }
        for _ in 0..<20 { forest.change(&random) }
        try await DaemonFixture.run(directory: directory, packages: ["gro"]) { daemon in
            var back: [Subscriber] = []
            for (query, subscriber) in zip(Self.queries, subscribers) {
                back.append(try await subscriber.comeBack(daemon, request(query.predicate)))
                try await back[back.count - 1].gather()
            }
            try await compare(back, forest, daemon, "seed \(seed), after a restart")
            for round in 0..<20 {
                forest.change(&random)
                try await catchUp(back, daemon, &step)
                try await compare(back, forest, daemon, "seed \(seed), round \(round) after a restart")
            }
            for subscriber in back { await subscriber.close() }
        }
    }

    /// A reload that names other packages changes items where they are, whether live queries are planned anew at once or off
    /// the loop.
    @Test(arguments: [Limits.predicateBytesOnLoop, 0]) func aReloadLooksAgainAtDirectories(bytesOnLoop: Int)
        async throws
    {
        var limits = ServiceLimits()
        limits.predicateBytesOnLoop = bytesOnLoop
        let directory = try TemporaryDirectory()
        try directory.write("", to: "gatherd.toml")
        try directory.write("123", to: "tree/a.gro/x")
        try directory.write("4567", to: "tree/b.kit/y/z")
        func configure(_ packages: String) throws {
            try directory.write(
                "path = \"\(directory.path)/tree\"\npackages = [\(packages)]\n", to: "containers.d/tree.toml")
        }
        try configure("")
        var forest = Forest(top: directory.path + "/tree", packageExtension: "none")
        try await DaemonFixture.run(containers: [:], directory: directory, limits: limits) { daemon in
            var subscribers: [Subscriber] = []
            for query in Self.queries {
                subscribers.append(try await Subscriber(daemon, request(query.predicate)))
                try await subscribers[subscribers.count - 1].gather()
            }
            let ids = Set(subscribers[0].items.keys)
            var step = 0
            for (list, name) in [("\"gro\"", "gro"), ("\"kit\"", "kit"), ("\"GRO\"", "gro")] {
                try configure(list)
                forest.packageExtension = name
                _ = try await daemon.call(ServiceInterface.Reload.self, .init())
                try await catchUp(subscribers, daemon, &step)
                try await compare(subscribers, forest, daemon, "packages = [\(list)]")
                let kept = subscribers[0].values.filter { $0.value.path?.contains("sentinel") == false }
                #expect(ids.isSuperset(of: kept.keys), "items keep their identities")
            }
            // None at all: the container is read anew.
            try configure("")
            forest.packageExtension = "none"
            _ = try await daemon.call(ServiceInterface.Reload.self, .init())
            for (query, subscriber) in zip(Self.queries, subscribers) {
                await subscriber.close()
                let expected = forest.walk().filter { query.holds($0.value) }
                #expect(try await daemon.find(query.predicate) == expected.keys.sorted())
            }
        }
    }

    /// Which directories are packages follows from the configuration of now, whatever was saved when: identities and clocks
    /// go on over a restart that other extensions came before, or came with.
    @Test func aRestartLooksAgainAtDirectories() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("", to: "gatherd.toml")
        try directory.write("123", to: "tree/a.gro/x")
        try directory.write("4567", to: "tree/b.kit/y/z")
        func configure(_ name: String) throws {
            let list = name.isEmpty ? "" : "\"\(name)\""
            try directory.write(
                "path = \"\(directory.path)/tree\"\npackages = [\(list)]\n", to: "containers.d/tree.toml")
        }
        var forest = Forest(top: directory.path + "/tree")
        var held: [Subscriber] = []
        var ids: [String: String] = [:]
        // The suffixes configured before each start, and reloaded in each run.
        let runs = [("gro", "gro"), ("gro", "kit"), ("kit", "gro"), ("kit", "gro"), ("kit", "kit")]
        for (number, (first, second)) in runs.enumerated() {
            try configure(first)
            forest.packageExtension = first
            try await DaemonFixture.run(containers: [:], directory: directory) { daemon in
                if number == 0 {
                    for query in Self.queries { held.append(try await Subscriber(daemon, request(query.predicate))) }
                    for subscriber in held { try await subscriber.gather() }
                    while try await daemon.call(ServiceInterface.Status.self, .init()).snapshotTime == nil {
                        await Task.yield()
                    }
                } else {
                    for (at, query) in Self.queries.enumerated() {
                        held[at] = try await held[at].comeBack(daemon, request(query.predicate))
                        #expect(try await held[at].next().fresh != true, "run \(number): the clock goes on")
                        try await held[at].gather()
                    }
                }
                try await compare(held, forest, daemon, "run \(number)")
                let all = try await daemon.call(
                    QueryInterface.Find.self, .init(predicate: "inPackage IN {YES, NO}", attributes: ["path", "id"]))
                let found = Dictionary(uniqueKeysWithValues: all.items.map { ($0.path ?? "", $0.id) })
                if number == 0 { ids = found }
                #expect(found == ids, "run \(number): items keep their identities")
                guard second != first else { return }
                try configure(second)
                _ = try await daemon.call(ServiceInterface.Reload.self, .init())
                try await daemon.flush()
            }
        }
        // Packages for a while, and none at the next start.
        try configure("")
        forest.packageExtension = "none"
        for (first, second) in [("", "gro"), ("", "")] {
            try configure(first)
            try await DaemonFixture.run(containers: [:], directory: directory) { daemon in
                for query in Self.queries {
                    let expected = forest.walk().filter { query.holds($0.value) }
                    #expect(try await daemon.find(query.predicate) == expected.keys.sorted())
                }
                try configure(second)
                _ = try await daemon.call(ServiceInterface.Reload.self, .init())
                try await daemon.flush()
            }
        }
        for subscriber in held { await subscriber.close() }
    }

    @Test func `Packages that were there for a while cost clocks once`() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("", to: "gatherd.toml")
        try directory.write("123", to: "tree/a.gro/x")
        func configure(_ list: String) throws {
            try directory.write(
                "path = \"\(directory.path)/tree\"\npackages = [\(list)]\n", to: "containers.d/tree.toml")
        }
        let everything = QueryInterface.Watch.Request(predicate: "", attributes: ["path"])
        var held: (items: [String: String], clock: String?) = ([:], nil)
        for isFresh in [false, true, false, false] {
            try configure("")
            try await DaemonFixture.run(containers: [:], directory: directory) { daemon in
                var request = everything
                request.since = held.clock
                let back = try await Subscriber(daemon, request, holding: held.items)
                #expect((try await back.next().fresh == true) == isFresh)
                try await back.gather()
                #expect(back.items.count == 2)
                while try await daemon.call(ServiceInterface.Status.self, .init()).snapshotTime == nil {
                    await Task.yield()
                }
                held = (back.items, back.lastClock)
                await back.close()
                guard held.items.count == 2, !isFresh, !directory.exists("had-packages") else { return }
                try directory.write("", to: "had-packages")
                try configure("\"gro\"")
                _ = try await daemon.call(ServiceInterface.Reload.self, .init())
                try await daemon.flush()
                #expect(try await daemon.find("") == ["a.gro"])
            }
        }
    }

    /// A caller that names a place inside a package gets the items there.
    @Test func aQueryInsideAPackageFindsItsItems() async throws {
        let directory = try TemporaryDirectory()
        for path in ["p.gro/f", "p.gro/sub/deep/g", "p.gro/sub/q.gro/h", "d/r.gro/i", "d/j"] {
            try directory.write("1", to: "tree/" + path)
        }
        try await DaemonFixture.run(directory: directory, packages: ["gro"]) { daemon in
            func below(_ directory: String, _ predicate: String = "") async throws -> [String] {
                try await daemon.find(predicate, scopes: [daemon.tree + "/" + directory])
            }
            #expect(try await daemon.find("") == ["d", "d/j", "d/r.gro", "p.gro"])
            #expect(try await below("d") == ["d/j", "d/r.gro"])
            let inSub = ["p.gro/sub/deep", "p.gro/sub/deep/g", "p.gro/sub/q.gro", "p.gro/sub/q.gro/h"]
            #expect(try await below("p.gro") == ["p.gro/f", "p.gro/sub"] + inSub)
            #expect(try await below("p.gro/sub") == inSub)
            #expect(try await below("p.gro/sub", "kind == 'directory'") == [inSub[0], inSub[2]])
            #expect(
                try await daemon.find("", scopes: ["tree", daemon.tree + "/p.gro/sub/deep"])
                    == ["d", "d/j", "d/r.gro", "p.gro", inSub[1]])
            #expect(try await daemon.find("path BEGINSWITH '\(daemon.tree)/p.gro/sub/'") == inSub)
            #expect(try await daemon.find("path == '\(daemon.tree)/p.gro/f' OR name == 'i'") == ["p.gro/f"])
            #expect(try await daemon.find("path BEGINSWITH '\(daemon.tree)/p'") == ["p.gro"])
            #expect(try await daemon.find("NOT path BEGINSWITH '\(daemon.tree)/p.gro/'").count == 4)
            let all = try await daemon.call(
                QueryInterface.Find.self, .init(predicate: "inPackage IN {YES, NO}", attributes: ["id", "path"]))
            func id(_ path: String) -> String { all.items.first { $0.path == daemon.tree + "/" + path }?.id ?? "" }
            #expect(try await daemon.find("id == '\(id("p.gro/f"))' AND size == 1") == ["p.gro/f"])
            #expect(try await daemon.find("parent == '\(id("p.gro/sub/q.gro"))'") == ["p.gro/sub/q.gro/h"])

            let subscriber = try await Subscriber(
                daemon, .init(predicate: "name == 'k'", scopes: [daemon.tree + "/p.gro/sub"], attributes: ["path"]))
            try await subscriber.gather()
            try directory.write("", to: "tree/p.gro/sub/deep/k")
            try await daemon.flush()
            while subscriber.items.isEmpty { try await subscriber.next() }
            rename(daemon.tree + "/p.gro/sub/deep/k", daemon.tree + "/p.gro/k")
            try await daemon.flush()
            while !subscriber.items.isEmpty { try await subscriber.next() }
            #expect(subscriber.violations.isEmpty)
            await subscriber.close()

            let explained = try await daemon.call(QueryInterface.Explain.self, .init(predicate: "size == 1"))
            #expect(explained.plan.contains("not inside a package"))
            let named = try await daemon.call(QueryInterface.Explain.self, .init(predicate: "inPackage == NO"))
            #expect(!named.plan.contains("not not") && !named.plan.contains("looked into"))
        }
    }

    /// The totals tell of all that lies within, so only a caller who could list all of it gets them.
    @Test(.needsRoot("other users"))
    func callersWhoMayNotLookInsideSeeTheDirectory() async throws {
        let directory = try TemporaryDirectory()
        chmod(directory.path, 0o755)
        for name in ["open.gro", "closed.gro"] {
            try directory.write("12345", to: "tree/\(name)/deep/file")
            for path in ["tree", "tree/\(name)", "tree/\(name)/deep"] { chmod(directory.path + "/" + path, 0o755) }
        }
        let secret = directory.path + "/tree/closed.gro/deep"
        chmod(secret, 0o700)
        func own(_ name: String) -> Int64 {
            var status = stat()
            lstat(directory.path + "/tree/" + name, &status)
            return Int64(status.st_size)
        }
        let user = OtherUser(user: 41_001, group: 42_001)
        try await DaemonFixture.run(directory: directory, isSystem: true, packages: ["gro"]) { daemon in
            chmod(daemon.socket, 0o666)
            func sizes(_ predicate: String) async throws -> [String: Int64] {
                let reply = try await daemon.call(
                    QueryInterface.Find.self, .init(predicate: predicate, attributes: ["name", "size"]), as: user)
                return Dictionary(uniqueKeysWithValues: reply.items.map { ($0.name ?? "", $0.size ?? -1) })
            }
            func values() async throws -> [Int64?] {
                let reply = try await daemon.call(
                    QueryInterface.Values.self, .init(predicate: "", attribute: "size"), as: user)
                return reply.values.map(\.integer)
            }
            #expect(try await sizes("") == ["open.gro": 5, "closed.gro": own("closed.gro")])
            #expect(try await sizes("size == 5") == ["open.gro": 5])
            #expect(try await sizes("size + 0 == 5") == ["open.gro": 5])
            #expect(Set(try await values()) == [5, own("closed.gro")])

            // Changes inside are told to callers who may know them.
            let watch = QueryInterface.Watch.Request(predicate: "", attributes: ["path", "size"], batch: 600_000)
            let subscriber = try await Subscriber(daemon, watch, as: user)
            let all = try await Subscriber(daemon, watch)
            try await subscriber.gather()
            try await all.gather()
            func told() async throws -> [String] {
                try daemon.directory.write("", to: "tree/sentinel")
                chmod(daemon.tree + "/sentinel", 0o644)
                _ = try await daemon.call(QueryInterface.Flush.self, .init(), as: user)
                try await daemon.flush()
                let reply = try await subscriber.next()
                try await all.next()
                unlink(daemon.tree + "/sentinel")
                _ = try await daemon.call(QueryInterface.Flush.self, .init(), as: user)
                try await daemon.flush()
                try await subscriber.next()
                try await all.next()
                return (reply.changed ?? []).compactMap(\.path).map { String($0.dropFirst(daemon.tree.count + 1)) }
            }
            func size(_ name: String, _ subscriber: Subscriber) -> Int64? {
                subscriber.values.values.first { $0.path?.hasSuffix("/" + name) == true }?.size
            }
            try directory.write("1234567", to: "tree/closed.gro/deep/file")
            #expect(try await told() == [])
            #expect(size("closed.gro", subscriber) == own("closed.gro") && size("closed.gro", all) == 7)
            try directory.write("123456", to: "tree/open.gro/deep/file")
            #expect(try await told() == ["open.gro"])
            chmod(secret, 0o755)
            #expect(try await told() == ["closed.gro"])
            #expect(size("closed.gro", subscriber) == 7)
            chmod(secret, 0o711)
            #expect(try await told() == ["closed.gro"])
            #expect(size("closed.gro", subscriber) == own("closed.gro"))
            #expect(subscriber.violations.isEmpty && all.violations.isEmpty)
            await subscriber.close()
            await all.close()
        }
    }
}
