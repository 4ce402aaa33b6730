// Conflict versions of a real tree: live queries beside a walk under churn, over restarts, and the replies about them.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Glibc
import LiveQueries
import Metadata
import TestSupport
import Testing

@testable import GatherService

struct ConflictVersionTests {
    private static let originals = ["a.txt", "b", ".c", "p.gro"]
    private static let markers = [
        ".sync-conflict-20261107-120509-ABCDEFG", ".sync-conflict-20261125-120509-2345672",
    ]
    /// Which file each version belongs to.
    private static let originalOf: [String: String] = {
        var found: [String: String] = [:]
        for marker in markers {
            found["a\(marker).txt"] = "a.txt"
            found["b\(marker)"] = "b"
            found["\(marker).c"] = ".c"
            found["p\(marker).gro"] = "p.gro"
        }
        return found
    }()
    private static let names = originals + originalOf.keys.sorted() + ["d", "e"]

    /// An item as a walk finds it.
    private struct Entry: Hashable, CustomStringConvertible {
        var versions: Int64
        var original: String?
        var inPackage: Bool
        var description: String { "\(versions) \(original ?? "-")\(inPackage ? " inside" : "")" }
    }

    /// Everything below a directory, by the path from the top.
    private static func walk(_ top: String) -> [String: Entry] {
        var found: [String: Entry] = [:]
        /// Returns how many versions lie below.
        func visit(_ prefix: String, inPackage: Bool) -> Int64 {
            let names = PackageTests.Forest.names(in: top + "/" + prefix)
            var below: Int64 = 0
            for name in names {
                var status = stat()
                guard lstat(top + "/" + prefix + name, &status) == 0 else { continue }
                let isDirectory = status.st_mode & S_IFMT == S_IFDIR
                let isPackage = isDirectory && !inPackage && name.hasSuffix(".gro")
                var inside: Int64 = 0
                if isDirectory { inside = visit(prefix + name + "/", inPackage: inPackage || isPackage) }
                func isFile(_ name: String) -> Bool {
                    var status = stat()
                    return lstat(top + "/" + prefix + name, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
                }
                let beside = Int64(names.count { originalOf[$0] == name && isFile($0) })
                let original = isFile(name) ? originalOf[name] : nil
                found[prefix + name] = Entry(
                    versions: beside + (isPackage ? inside : 0), original: original.map { prefix + $0 },
                    inPackage: inPackage)
                below += inside + (original == nil ? 0 : 1)
            }
            return below
        }
        _ = visit("", inPackage: false)
        return found
    }

    /// One random change; it may fail, and then nothing is changed.
    private static func change(_ top: String, _ random: inout SeededGenerator) {
        // The sentinels stay.
        let all = walk(top).keys.sorted().filter { $0 != "s" && !$0.hasPrefix("s/") }
        let directories =
            [""]
            + all.filter { path in
                var status = stat()
                return lstat(top + "/" + path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
            }.map { $0 + "/" }
        let directory = top + "/" + (directories.randomElement(using: &random) ?? "")
        let path = directory + (names.randomElement(using: &random) ?? "d")
        let other = all.randomElement(using: &random).map { top + "/" + $0 }
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<8: Glibc.close(open(path, O_WRONLY | O_CREAT, 0o644))
        case 8..<10: mkdir(path, 0o755)
        case 10..<15: if let other { rename(other, path) }
        case 15..<17: if let other { unlink(other) }
        case 17: if let other { TemporaryDirectory.run("/bin/rm", "-rf", "--", other) }
        case 18: if let other { link(other, path) }
        default: if let other { exchange(other, path) }
        }
    }

    private static func exchange(_ one: String, _ other: String) {
        typealias Rename = @convention(c) (CInt, UnsafePointer<CChar>, CInt, UnsafePointer<CChar>, CUnsignedInt) -> CInt
        let exchanging: CUnsignedInt = 2  // RENAME_EXCHANGE
        _ = cFunction("renameat2", as: Rename.self)(AT_FDCWD, one, AT_FDCWD, other, exchanging)
    }

    /// The first line that a command prints.
    private static func output(_ command: String) -> String {
        guard let stream = popen(command, "r") else { return "" }
        defer { pclose(stream) }
        var line = [CChar](repeating: 0, count: 256)
        guard fgets(&line, 256, stream) != nil else { return "" }
        return String(decoding: line.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static let attributes = ["path", "conflictVersions", "conflictOf", "inPackage"]

    private static let queries: [(predicate: String, holds: @Sendable (Entry) -> Bool)] = [
        ("inPackage IN {TRUE, FALSE}", { _ in true }),
        ("hasUnresolvedConflicts == TRUE", { !$0.inPackage && $0.versions > 0 }),
        ("NOT isConflictVersion == TRUE", { !$0.inPackage && $0.original == nil }),
        ("conflictVersions > 1 AND inPackage IN {TRUE, FALSE}", { $0.versions > 1 }),
        ("conflictOf ENDSWITH '/a.txt'", { !$0.inPackage && $0.original?.split(separator: "/").last == "a.txt" }),
    ]

    private func request(_ predicate: String) -> QueryInterface.Watch.Request {
        .init(predicate: predicate, attributes: Self.attributes, batch: 600_000)
    }

    private func entries(_ items: some Sequence<Item>, below top: String) -> [String: Entry] {
        var found: [String: Entry] = [:]
        for item in items {
            found[String((item.path ?? "").dropFirst(top.count + 1))] = Entry(
                versions: item.conflictVersions ?? -1,
                original: item.conflictOf.map { String($0.dropFirst(top.count + 1)) },
                inPackage: item.inPackage ?? false)
        }
        return found
    }

    private func compare(_ subscribers: [Subscriber], _ daemon: DaemonFixture, _ what: String) async throws {
        let all = Self.walk(daemon.tree)
        for ((predicate, holds), subscriber) in zip(Self.queries, subscribers) {
            let expected = all.filter { holds($0.value) }
            let told = entries(subscriber.values.values, below: daemon.tree)
            try #require(told == expected, "\(what): '\(predicate)'")
            try #require(subscriber.violations.isEmpty, "\(what): '\(predicate)'")
            let reply = try await daemon.call(
                QueryInterface.Find.self, .init(predicate: predicate, attributes: Self.attributes))
            try #require(entries(reply.items, below: daemon.tree) == expected, "\(what): found by '\(predicate)'")
        }
    }

    /// Everything that was changed until now reaches each subscriber in one reply: a sentinel has two versions or none.
    private func catchUp(_ subscribers: [Subscriber], _ daemon: DaemonFixture, _ step: inout Int) async throws {
        step += 1
        let sentinels = ["s/a.txt"] + Self.markers.map { "s/a\($0).txt" }
        if step % 2 == 1 {
            for path in sentinels { try daemon.directory.write("", to: "tree/" + path) }
        } else {
            for path in sentinels { unlink(daemon.tree + "/" + path) }
        }
        try await daemon.flush()
        for subscriber in subscribers { while try await subscriber.next().event != .updated {} }
    }

    @Test(arguments: TestLength.part(of: [1, 2, 3] as [UInt64], oneIn: 3))
    func liveQueriesHoldWhatAWalkFinds(seed: UInt64) async throws {
        let directory = try TemporaryDirectory()
        try directory.write("", to: "tree/s/d")
        let top = directory.path + "/tree"
        var random = SeededGenerator(seed: seed)
        for _ in 0..<40 { Self.change(top, &random) }
        // A test of a predicate takes longer without the optimizer and on a busy machine, which no query ends for here.
        var limits = ServiceLimits()
        limits.costlyTests = WorkMeter.Allowance(free: .max, most: 1, capacity: 1, perSecond: 1)
        var step = 0
        var subscribers: [Subscriber] = []
        for run in 0..<3 {
            try await DaemonFixture.run(directory: directory, packages: ["gro"], limits: limits) { daemon in
                for (at, query) in Self.queries.enumerated() {
                    if run == 0 {
                        subscribers.append(try await Subscriber(daemon, request(query.predicate)))
                    } else {
                        subscribers[at] = try await subscribers[at].comeBack(daemon, request(query.predicate))
                    }
                    try await subscribers[at].gather()
                }
                try await compare(subscribers, daemon, "seed \(seed), run \(run)")
                for round in 0..<25 {
                    for _ in 0..<Int.random(in: 1...5, using: &random) { Self.change(top, &random) }
                    try await catchUp(subscribers, daemon, &step)
                    try await compare(subscribers, daemon, "seed \(seed), run \(run), round \(round)")
                }
            }
            // No daemon runs meanwhile.
            for _ in 0..<15 { Self.change(top, &random) }
        }
        for subscriber in subscribers { await subscriber.close() }
    }

    @Test func aFileAndTwoVersionsAtOnceAreOneChange() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("", to: "tree/note.txt")
        try directory.makeDirectory("other")
        try directory.makeDirectory("tree/there")
        let versions = Self.markers.map { "note\($0).txt" }
        try await DaemonFixture.run(directory: directory) { daemon in
            let watch = QueryInterface.Watch.Request(
                predicate: "hasUnresolvedConflicts == TRUE", attributes: ["path", "conflictVersions"], batch: 600_000)
            let subscriber = try await Subscriber(daemon, watch)
            try await subscriber.gather()
            #expect(subscriber.values.isEmpty)
            for name in versions { try directory.write("", to: "tree/" + name) }
            try await daemon.flush()
            var reply = try await subscriber.next()
            #expect((reply.added ?? []).compactMap(\.path) == [daemon.tree + "/note.txt"])
            #expect(reply.added?.first?.conflictVersions == 2 && (reply.changed ?? []).isEmpty)
            unlink(daemon.tree + "/" + versions[0])
            try await daemon.flush()
            reply = try await subscriber.next()
            #expect((reply.changed ?? []).map(\.conflictVersions) == [1] && (reply.added ?? []).isEmpty)
            rename(daemon.tree + "/" + versions[1], daemon.tree + "/there/" + versions[1])
            try await daemon.flush()
            reply = try await subscriber.next()
            #expect((reply.removed ?? []).map(\.path) == [daemon.tree + "/note.txt"])
            #expect(subscriber.violations.isEmpty && subscriber.values.isEmpty)
            await subscriber.close()

            let found = try await daemon.call(
                QueryInterface.Find.self,
                .init(
                    predicate: "isConflictVersion == TRUE",
                    attributes: [
                        "path", "conflictOf", "conflictDevice", "conflictDate", "hasUnresolvedConflicts",
                        "isConflictVersion",
                    ]))
            let item = try #require(found.items.first)
            #expect(found.items.count == 1 && item.conflictOf == daemon.tree + "/there/note.txt")
            #expect(item.conflictDevice == "2345672" && item.isConflictVersion == true)
            #expect(item.hasUnresolvedConflicts == false)
            let date = Self.output("date -d '2026-11-25 12:05:09' +%s")
            #expect(item.conflictDate.map { $0.nanoseconds / 1_000_000_000 } == Int64(date))
        }
    }

    /// Names that are not UTF-8 have versions like any others.
    @Test func namesThatAreNoTextHaveVersions() async throws {
        let directory = try TemporaryDirectory()
        try directory.makeDirectory("tree")
        for name in [[0xFF], [0xFF] + Array(Self.markers[0].utf8)] as [[UInt8]] {
            let path = Array((directory.path + "/tree/").utf8) + name + [0]
            path.withUnsafeBufferPointer { bytes in
                bytes.withMemoryRebound(to: CChar.self) {
                    _ = Glibc.close(open($0.baseAddress!, O_CREAT | O_WRONLY, 0o644))
                }
            }
        }
        try await DaemonFixture.run(directory: directory) { daemon in
            let request = QueryInterface.Find.Request(
                predicate: "hasUnresolvedConflicts == TRUE", attributes: ["name", "conflictVersions"])
            let found = try await daemon.call(QueryInterface.Find.self, request)
            #expect(found.items.map(\.nameBytes) == [[0xFF]] && found.items.first?.conflictVersions == 1)
        }
    }

    /// The versions inside a package count only for callers who may list it.
    @Test(.needsRoot("other users"))
    func versionsInsideAreToldToThoseWhoMayLookInside() async throws {
        let directory = try TemporaryDirectory()
        chmod(directory.path, 0o755)
        for name in ["open.gro", "closed.gro"] {
            try directory.write("", to: "tree/\(name)/deep/b\(Self.markers[0])")
            for path in ["tree", "tree/\(name)", "tree/\(name)/deep"] { chmod(directory.path + "/" + path, 0o755) }
        }
        chmod(directory.path + "/tree/closed.gro/deep", 0o700)
        let user = OtherUser(user: 41_001, group: 42_001)
        try await DaemonFixture.run(directory: directory, isSystem: true, packages: ["gro"]) { daemon in
            chmod(daemon.socket, 0o666)
            let request = QueryInterface.Find.Request(
                predicate: "hasUnresolvedConflicts == TRUE", attributes: ["name", "conflictVersions"])
            let seen = try await daemon.call(QueryInterface.Find.self, request, as: user)
            #expect(seen.items.map(\.name) == ["open.gro"] && seen.items.map(\.conflictVersions) == [1])
            let all = try await daemon.call(QueryInterface.Find.self, request)
            #expect(Set(all.items.map(\.name)) == ["open.gro", "closed.gro"])
        }
    }
}
