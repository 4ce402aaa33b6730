// Find, Count and Watch over a real socket and a real tree.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Glibc
import Testing
import Varlink

@testable import GatherService

struct QueryTests {
    @Test func findReflectsWhatWasDoneBefore() async throws {
        try await DaemonFixture.run { daemon in
            #expect(try await daemon.find("").isEmpty)
            for number in 0..<200 {
                try daemon.directory.write("x", to: "tree/d\(number % 7)/Item_\(number)")
                let found = try await daemon.find("name == 'Item_\(number)'")
                #expect(found == ["d\(number % 7)/Item_\(number)"])
            }
            let count = try await daemon.call(
                QueryInterface.Count.self, QueryInterface.Count.Request(predicate: "name LIKE 'Item_*'"))
            #expect(count.count == 200)
            #expect(count.inexact == nil)
        }
    }

    @Test func scopes() async throws {
        try await DaemonFixture.run { daemon in
            for name in ["Documents/a", "Documents/b/c", "other/d", "e"] {
                try daemon.directory.write("", to: "tree/" + name)
            }
            let files = "kind == 'file'"
            #expect(try await daemon.find(files, scopes: ["tree"]) == ["Documents/a", "Documents/b/c", "e", "other/d"])
            #expect(try await daemon.find(files, scopes: ["tree/Documents"]) == ["Documents/a", "Documents/b/c"])
            #expect(try await daemon.find(files, scopes: ["tree/Data"]) == ["e", "other/d"])
            #expect(try await daemon.find(files, scopes: [daemon.tree + "/Documents/b"]) == ["Documents/b/c"])
            #expect(try await daemon.find(files, scopes: [daemon.tree + "/other/", "tree/Documents"]).count == 3)
            for scope in ["none", "tree/x", "/nonexistent", ""] {
                await #expect(throws: VarlinkClientError.self) { try await daemon.find("", scopes: [scope]) }
            }
        }
    }

    /// One of two containers has no watches left: it alone is named, if it is asked.
    @Test func onlyWhatIsPolledIsInexact() async throws {
        let directory = try TemporaryDirectory()
        let limit = try #require(fopen("/proc/sys/fs/inotify/max_user_watches", "r"))
        var text = [CChar](repeating: 0, count: 32)
        #expect(fgets(&text, 32, limit) != nil)
        fclose(limit)
        let watches = try #require(Int(String(decoding: text.prefix { $0 >= 48 }.map { UInt8($0) }, as: UTF8.self)))
        // Thirty watches, as a share with fifteen digits.
        let digits = String(30 * 1_000_000_000_000_000 / watches)
        let zeros = String(repeating: "0", count: 15 - digits.count)
        try directory.write("watch-share = 0.\(zeros)\(digits)\npoll-interval = \"1h\"\n", to: "gatherd.toml")
        try directory.write("", to: "tree/file")
        for number in 0..<200 { try directory.write("", to: "big/d\(number)/file") }
        try await DaemonFixture.run(directory: directory) { daemon in
            func files(_ scopes: [String]?, sync: Bool?) async throws -> (count: Int64, inexact: [[String]?]) {
                let predicate = "kind == 'file'"
                let found = try await daemon.call(
                    QueryInterface.Find.self, .init(predicate: predicate, scopes: scopes, sync: sync))
                let count = try await daemon.call(
                    QueryInterface.Count.self, .init(predicate: predicate, scopes: scopes, sync: sync))
                let values = try await daemon.call(
                    QueryInterface.Values.self,
                    .init(predicate: predicate, attribute: "kind", scopes: scopes, sync: sync))
                let subscriber = try await Subscriber(daemon, .init(predicate: predicate, scopes: scopes))
                var reply = try await subscriber.next()
                while reply.event != .gathered { reply = try await subscriber.next() }
                await subscriber.close()
                #expect(Int(count.count) == found.items.count && values.values.map(\.count) == [count.count])
                #expect(reply.count == count.count)
                return (count.count, [found.inexact, count.inexact, values.inexact, reply.inexact])
            }
            // It has its watches before the other comes.
            let first = try await files(nil, sync: nil)
            #expect(first.count == 1 && first.inexact == .init(repeating: nil, count: 4))
            let add = ContainerInterface.Add.Request(identifier: "big", path: directory.path + "/big")
            _ = try await daemon.call(ContainerInterface.Add.self, add)
            for sync in [nil, false] {
                let both = try await files(nil, sync: sync)
                #expect(both.count == 201 && both.inexact == .init(repeating: ["big"], count: 4))
                let big = try await files(["tree", directory.path + "/big/d7"], sync: sync)
                #expect(big.count == 2 && big.inexact == .init(repeating: ["big"], count: 4))
                let tree = try await files(["tree"], sync: sync)
                #expect(tree.count == 1 && tree.inexact == .init(repeating: nil, count: 4))
            }
            let containers = try await daemon.call(ContainerInterface.List.self, .init()).containers
            #expect(containers.map(\.state) == [.degraded, .live] && containers[0].polled > 0)
        }
    }

    @Test func watchTellsOfEveryChange() async throws {
        try await DaemonFixture.run { daemon in
            try daemon.directory.write("1", to: "tree/Item_1")
            let subscriber = try await Subscriber(daemon, .init(predicate: "name LIKE 'Item_*'"))
            try await subscriber.gather()
            #expect(subscriber.items.values.map { $0 } == [daemon.tree + "/Item_1"])
            #expect(subscriber.lastCount == 1)

            try daemon.directory.write("2", to: "tree/Item_2")
            while subscriber.items.count < 2 { try await subscriber.next() }
            #expect(rename(daemon.tree + "/Item_1", daemon.tree + "/Item_one") == 0)
            while !subscriber.items.values.contains(daemon.tree + "/Item_one") { try await subscriber.next() }
            #expect(subscriber.items.count == 2)
            #expect(rename(daemon.tree + "/Item_2", daemon.tree + "/other") == 0)
            while subscriber.items.count > 1 { try await subscriber.next() }
            #expect(unlink(daemon.tree + "/Item_one") == 0)
            while subscriber.items.count > 0 { try await subscriber.next() }
            #expect(subscriber.lastCount == 0)
            #expect(subscriber.violations.isEmpty)
            await subscriber.close()
        }
    }

    @Test func aClockResumesWithTheDifference() async throws {
        try await DaemonFixture.run { daemon in
            for name in ["Item_a", "Item_b", "Item_c", "z"] { try daemon.directory.write("", to: "tree/" + name) }
            let request = QueryInterface.Watch.Request(predicate: "name LIKE 'Item_*'")
            let first = try await Subscriber(daemon, request)
            try await first.gather()
            let clock = try #require(first.lastClock)
            let held = first.items
            #expect(held.count == 3)
            await first.close()

            #expect(unlink(daemon.tree + "/Item_a") == 0)
            #expect(rename(daemon.tree + "/Item_b", daemon.tree + "/Item_bb") == 0)
            #expect(rename(daemon.tree + "/z", daemon.tree + "/Item_z") == 0)
            try daemon.directory.write("", to: "tree/Item_new")
            try daemon.directory.write("", to: "tree/Item_gone")
            #expect(unlink(daemon.tree + "/Item_gone") == 0)

            var again = request
            again.since = clock
            let second = try await Subscriber(daemon, again, holding: held)
            let started = try await second.next()
            #expect(started.event == .started)
            #expect(started.fresh == nil)
            try await second.gather()
            let names = second.items.values.map { $0.dropFirst(daemon.tree.count + 1) }.sorted()
            #expect(names == ["Item_bb", "Item_c", "Item_new", "Item_z"])
            #expect(second.violations.isEmpty)
            #expect(second.lastCount == 4)
            await second.close()

            // With a clock that was never given everything is gathered anew.
            for since in ["1-2-3", "nonsense"] {
                let third = try await Subscriber(daemon, .init(predicate: request.predicate, since: since))
                #expect(try await third.next().fresh == true)
                try await third.gather()
                #expect(third.items.count == 4)
                await third.close()
            }
        }
    }

    @Test func errorsSayWhatIsWrong() async throws {
        try await DaemonFixture.run { daemon in
            func error(_ request: QueryInterface.Find.Request) async -> String {
                do {
                    _ = try await daemon.call(QueryInterface.Find.self, request)
                    return "none"
                } catch {
                    return "\(error)"
                }
            }
            #expect(await error(.init(predicate: "nmae == 'x'")).contains("InvalidPredicate"))
            #expect(await error(.init(predicate: "name ==")).contains("InvalidPredicate"))
            #expect(await error(.init(predicate: "", attributes: ["nmae"])).contains("UnknownAttribute"))
            #expect(
                await error(.init(predicate: "", sort: [SortKeyMessage(attribute: "x", ascending: true)])).contains(
                    "UnknownAttribute"))
            #expect(await error(.init(predicate: "", limit: -1)).contains("InvalidParameter"))
            #expect(await error(.init(predicate: "", timeout: -1)).contains("LimitExceeded"))
        }
    }

    @Test func bigAnswersComeInReplies() async throws {
        try await DaemonFixture.run { daemon in
            for number in 0..<5000 { try daemon.directory.write("", to: "tree/d\(number % 10)/f\(number)") }
            let client = try await daemon.client()
            var items = 0
            var replies = 0
            for try await bytes in client.callMore(
                QueryInterface.Find.name,
                JSONBytes(QueryInterface.Find.Request(predicate: "kind == 'file'", attributes: ["path"])))
            {
                let reply = try bytes.decode(QueryInterface.Find.Reply.self)
                items += reply.items.count
                replies += 1
            }
            await client.close()
            #expect(items == 5000)
            #expect(replies > 1)
            let subscriber = try await Subscriber(daemon, .init(predicate: "kind == 'file'"))
            try await subscriber.gather()
            #expect(subscriber.items.count == 5000)
            await subscriber.close()
        }
    }

    @Test func containersComeAndGo() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("", to: "more/Item_x")
        try await DaemonFixture.run(directory: directory) { daemon in
            try daemon.directory.write("", to: "tree/Item_y")
            let subscriber = try await Subscriber(daemon, .init(predicate: "name LIKE 'Item_*'"))
            try await subscriber.gather()
            #expect(subscriber.items.count == 1)
            let added = try await daemon.call(
                ContainerInterface.Add.self, .init(identifier: "more", path: directory.path + "/more"))
            #expect(added.container.origin == "runtime")
            while subscriber.items.count < 2 { try await subscriber.next() }
            await #expect(throws: (any Error).self) {
                _ = try await daemon.call(
                    ContainerInterface.Add.self, .init(identifier: "inner", path: directory.path + "/more/x"))
            }
            await #expect(throws: (any Error).self) {
                _ = try await daemon.call(ContainerInterface.Remove.self, .init(identifier: "tree"))
            }
            _ = try await daemon.call(ContainerInterface.Remove.self, .init(identifier: "more"))
            while subscriber.items.count > 1 { try await subscriber.next() }
            #expect(subscriber.violations.isEmpty)
            await subscriber.close()
            _ = try await daemon.call(
                ContainerInterface.Add.self, .init(identifier: "more", path: directory.path + "/more"))
        }
        // A container that was added at run time is there after a restart.
        try await DaemonFixture.run(directory: directory) { daemon in
            let list = try await daemon.call(ContainerInterface.List.self, .init())
            #expect(list.containers.map(\.identifier) == ["more", "tree"])
        }
    }
}
