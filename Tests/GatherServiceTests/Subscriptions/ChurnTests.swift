// Random churn on a real tree beside live queries: the items of each subscriber in the end equal a fresh walk.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Glibc
import Metadata
import TestSupport
import Testing
import Varlink

@testable import GatherService

@Suite(.serialized) struct ChurnTests {
    /// An entry as a walk finds it.
    struct Entry: Equatable, CustomStringConvertible {
        var path: String
        var isDirectory: Bool
        var isFile: Bool
        var size: Int64
        var modified: Int64
        var description: String { "\(path) \(size) \(modified)" }
    }

    /// The queries and, written out by hand, what they ask.
    private static let queries: [(predicate: String, holds: @Sendable (Entry) -> Bool)] = [
        ("", { _ in true }),
        ("name LIKE 'Item_*'", { name($0).hasPrefix("Item_") }),
        ("size > 3 AND kind == 'file'", { $0.size > 3 && $0.isFile }),
        ("kind == 'directory'", { $0.isDirectory }),
        ("path CONTAINS '/d1/'", { "/\($0.path)".contains("/d1/") }),
        ("name ENDSWITH '7' OR depth > 3", { name($0).hasSuffix("7") || $0.path.split(separator: "/").count > 3 }),
    ]

    private static func name(_ entry: Entry) -> Substring { entry.path.split(separator: "/").last ?? "" }

    private static let seeds = TestLength.seeds(4, long: 40)

    @Test(arguments: seeds) func everySubscriberEqualsAWalk(seed: UInt64) async throws {
        try await DaemonFixture.run { daemon in
            var random = SeededGenerator(seed: seed)
            var subscribers: [Subscriber] = []
            func request(_ predicate: String) -> QueryInterface.Watch.Request {
                QueryInterface.Watch.Request(
                    predicate: predicate, attributes: ["path", "size", "modified"], heartbeat: 50)
            }
            for query in Self.queries {
                let request = request(query.predicate)
                let subscriber = try await Subscriber(daemon, request)
                try await subscriber.gather()
                subscribers.append(subscriber)
            }
            for round in 0..<8 {
                for _ in 0..<Int.random(in: 1...60, using: &random) { Self.change(daemon.tree, &random) }
                // Some were away meanwhile, and some are away while more happens.
                for place in subscribers.indices where Int.random(in: 0..<3, using: &random) == 0 {
                    await subscribers[place].close()
                    for _ in 0..<Int.random(in: 0...20, using: &random) { Self.change(daemon.tree, &random) }
                    subscribers[place] = try await subscribers[place].comeBack(
                        daemon, request(Self.queries[place].predicate))
                }
                let flushed = try await daemon.call(QueryInterface.Flush.self, .init()).clock
                let sequence = try #require(QueryClock(text: flushed)?.sequence)
                let walk = Self.walk(daemon.tree)
                for (query, subscriber) in zip(Self.queries, subscribers) {
                    while (subscriber.lastClock.flatMap { QueryClock(text: $0)?.sequence } ?? 0) < sequence {
                        try await subscriber.next()
                    }
                    let expected = walk.filter(query.holds).map { "\($0)" }.sorted()
                    let held = subscriber.values.values.map { item in
                        let path = (item.path ?? "").dropFirst(daemon.tree.count + 1)
                        return "\(path) \(item.size ?? -1) \(item.modified?.nanoseconds ?? -1)"
                    }.sorted()
                    #expect(held == expected, "seed \(seed), round \(round), \(query.predicate)")
                    #expect(subscriber.violations.isEmpty, "seed \(seed), round \(round), \(query.predicate)")
                    let found = try await daemon.find(query.predicate)
                    #expect(found == walk.filter(query.holds).map(\.path).sorted(), "seed \(seed), round \(round)")
                }
            }
            for subscriber in subscribers { await subscriber.close() }
        }
    }

    /// One change somewhere in the tree; one that cannot be made is no change.
    private static func change(_ tree: String, _ random: inout SeededGenerator) {
        func place() -> String {
            let depth = Int.random(in: 0...3, using: &random)
            let directories = (0..<depth).map { _ in "d\(Int.random(in: 0...2, using: &random))" }
            let stem = Bool.random(using: &random) ? "Item_" : "f"
            return ([tree] + directories + ["\(stem)\(Int.random(in: 0...9, using: &random))"]).joined(separator: "/")
        }
        func directory() -> String {
            let depth = Int.random(in: 1...3, using: &random)
            return ([tree] + (0..<depth).map { _ in "d\(Int.random(in: 0...2, using: &random))" }).joined(
                separator: "/")
        }
        switch Int.random(in: 0..<14, using: &random) {
        case 0...3:
            let file = open(place(), O_CREAT | O_WRONLY | O_APPEND, 0o644)
            guard file >= 0 else { return }
            _ = write(file, "abcd", Int.random(in: 0...4, using: &random))
            close(file)
        case 4: truncate(place(), 1)
        case 5: unlink(place())
        case 6, 7: mkdir(directory(), 0o755)
        case 8: rename(place(), place())
        case 9: rename(directory(), directory())
        case 10: link(place(), place())
        case 11: symlink("nowhere", place())
        case 12: TemporaryDirectory.run("/bin/rm", "-rf", directory())
        default: chmod(place(), 0o600)
        }
    }

    /// The tree as `readdir` and `lstat` show it, without anything of Gather.
    private static func walk(_ tree: String, _ below: String = "") -> [Entry] {
        guard let stream = opendir(below.isEmpty ? tree : tree + "/" + below) else { return [] }
        defer { closedir(stream) }
        var entries: [Entry] = []
        while let record = readdir(stream) {
            let name = withUnsafeBytes(of: record.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name == "." || name == ".." { continue }
            let path = below.isEmpty ? name : below + "/" + name
            var status = stat()
            guard lstat(tree + "/" + path, &status) == 0 else { continue }
            let kind = status.st_mode & S_IFMT
            entries.append(
                Entry(
                    path: path, isDirectory: kind == S_IFDIR, isFile: kind == S_IFREG, size: Int64(status.st_size),
                    modified: Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)))
            if kind == S_IFDIR { entries += walk(tree, path) }
        }
        return entries
    }
}
