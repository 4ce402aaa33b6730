// Live queries beyond the plain case: batches, heartbeats, slow readers, flushes, tags, moved directories.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Glibc
import LinuxSystem
import Testing
import Varlink

@testable import GatherService

struct SubscriptionTests {
    @Test func aBatchIsOneReply() async throws {
        try await DaemonFixture.run { daemon in
            // Far longer than the test: only the flush ends the batch.
            let subscriber = try await Subscriber(daemon, .init(predicate: "name LIKE 'Item_*'", batch: 600_000))
            try await subscriber.gather()
            for number in 0..<20 { try daemon.directory.write("", to: "tree/Item_\(number)") }
            #expect(rename(daemon.tree + "/Item_3", daemon.tree + "/Item_three") == 0)
            #expect(unlink(daemon.tree + "/Item_4") == 0)
            try await daemon.flush()
            let reply = try await subscriber.next()
            #expect(reply.event == .updated)
            #expect(reply.added?.count == 19)
            #expect(reply.changed == nil)
            #expect(reply.removed == nil)
            #expect(reply.count == 19)
            #expect(reply.clock != nil)
            await subscriber.close()
        }
    }

    @Test func aBatchEndsInTime() async throws {
        try await DaemonFixture.run { daemon in
            let subscriber = try await Subscriber(daemon, .init(predicate: "", batch: 10))
            try await subscriber.gather()
            try daemon.directory.write("", to: "tree/a")
            try await subscriber.next()
            #expect(subscriber.items.count == 1)
            await subscriber.close()
        }
    }

    /// However many files are written without end, what changed is told when its time is over, counted from the first change
    /// and not from the last. The heartbeat of another live query is the watch: when one has known of a change, at most one
    /// more comes before that is told, both by timers of one loop.
    @Test func aBatchEndsInTimeBesideConstantWrites() async throws {
        try await DaemonFixture.run { daemon in
            let files = 50
            for number in 0..<files { try daemon.directory.write("", to: "tree/Item_\(number)") }
            let batched = try await Subscriber(daemon, .init(predicate: "name LIKE 'Item_*'", batch: 100))
            let watch = try await Subscriber(daemon, .init(predicate: "name == 'none'", heartbeat: 100))
            try await batched.gather()
            try await watch.gather()
            let writer = Task {
                var number = 0
                while !Task.isCancelled {
                    for file in 0..<files { try daemon.directory.write("\(number)", to: "tree/Item_\(file)") }
                    number += 1
                    await Task.yield()
                }
            }
            func sequence(_ reply: QueryInterface.Watch.Reply) throws -> UInt64 {
                try #require(reply.clock.flatMap { QueryClock(text: $0)?.sequence })
            }
            var told: [UInt64] = []
            while told.count < 20 { told.append(try sequence(try await batched.next())) }
            writer.cancel()
            try await writer.value
            var beats: [UInt64] = []
            while beats.last ?? 0 < told[19] {
                // A change is told some time after it was made, and the last may be told before a beat.
                try daemon.directory.write("last", to: "tree/last")
                beats.append(try sequence(try await watch.next()))
            }
            for (former, next) in zip(told, told.dropFirst()) {
                #expect(beats.count { $0 > former && $0 < next } <= 2, "from \(former) to \(next): \(beats)")
            }
            #expect(batched.violations.isEmpty)
            await batched.close()
            await watch.close()
        }
    }

    @Test func heartbeats() async throws {
        try await DaemonFixture.run { daemon in
            let subscriber = try await Subscriber(daemon, .init(predicate: "", heartbeat: 5))
            try await subscriber.gather()
            for _ in 0..<3 {
                let reply = try await subscriber.next()
                #expect(reply.event == .alive)
            }
            #expect(subscriber.lastClock != nil)
            await subscriber.close()
        }
    }

    @Test func aSlowReaderIsMergedFor() async throws {
        try await DaemonFixture.run { daemon in
            let subscriber = try await Subscriber(daemon, .init(predicate: "kind == 'file'"))
            try await subscriber.gather()
            // Far more than the socket, the client's and the server's buffers take.
            let rounds = 40
            let files = 400
            let padding = String(repeating: "n", count: 200)
            for round in 0..<rounds {
                for file in 0..<files {
                    try daemon.directory.write(String(round), to: "tree/\(padding)\(file)")
                }
                try await daemon.flush()
            }
            let gone = padding + "0"
            #expect(unlink(daemon.tree + "/" + gone) == 0)
            try daemon.directory.write("", to: "tree/last")
            try await daemon.flush()
            var told = 0
            while !subscriber.items.values.contains(daemon.tree + "/last") || subscriber.items.count > files {
                let reply = try await subscriber.next()
                told += (reply.added?.count ?? 0) + (reply.changed?.count ?? 0) + (reply.removed?.count ?? 0)
            }
            #expect(subscriber.items.count == files)
            #expect(!subscriber.items.values.contains(daemon.tree + "/" + gone))
            #expect(subscriber.violations.isEmpty)
            #expect(told < rounds * files, "what was not taken was merged")
            await subscriber.close()
        }
    }

    @Test func aMovedDirectoryTellsThoseWhoAskedForPaths() async throws {
        try await DaemonFixture.run { daemon in
            for number in 0..<10 { try daemon.directory.write("", to: "tree/a/b/f\(number)") }
            let paths = try await Subscriber(daemon, .init(predicate: "kind == 'file'", attributes: ["path"]))
            let names = try await Subscriber(daemon, .init(predicate: "kind == 'file'", attributes: ["name"]))
            try await paths.gather()
            try await names.gather()
            #expect(rename(daemon.tree + "/a", daemon.tree + "/c") == 0)
            let reply = try await paths.next()
            #expect(reply.changed?.count == 10)
            for item in reply.changed ?? [] {
                let name = try #require(item.path).dropFirst(daemon.tree.count + 5)
                #expect(item.path == daemon.tree + "/c/b/" + name)
                #expect(item.previousPath == daemon.tree + "/a/b/" + name)
            }
            // The other hears nothing of it: its next update is another one.
            try daemon.directory.write("", to: "tree/z")
            let next = try await names.next()
            #expect(next.changed == nil)
            #expect(next.added?.count == 1)
            await paths.close()
            await names.close()
        }
    }

    @Test func tagsAreReadWhenAskedForAndKeptLive() async throws {
        try await DaemonFixture.run { daemon in
            func tag(_ name: String, _ tags: String) throws {
                let directory = try Directory.open(daemon.tree, access: .path)
                let number = directory.number
                try Array(tags.utf8).withUnsafeBytes {
                    try ExtendedAttributes.set("user.xdg.tags", of: name, in: number, to: $0)
                }
            }
            try daemon.directory.write("", to: "tree/a")
            try daemon.directory.write("", to: "tree/b")
            try tag("a", "dairy, cold")
            let cold = try await daemon.find("ANY tags == 'cold'")
            #expect(cold == ["a"])
            let subscriber = try await Subscriber(
                daemon, .init(predicate: "ANY tags == 'dairy'", attributes: ["path", "tags"]))
            try await subscriber.gather()
            #expect(subscriber.items.count == 1)
            try tag("b", "dairy")
            while subscriber.items.count < 2 { try await subscriber.next() }
            try tag("a", "")
            while subscriber.items.count > 1 { try await subscriber.next() }
            #expect(subscriber.items.values.map { $0 } == [daemon.tree + "/b"])
            #expect(subscriber.violations.isEmpty)
            await subscriber.close()
        }
    }

    @Test func aContainerThatIsAwayAndComesBack() async throws {
        try await DaemonFixture.run { daemon in
            try daemon.directory.write("", to: "tree/a")
            let subscriber = try await Subscriber(daemon, .init(predicate: "kind == 'file'"))
            try await subscriber.gather()
            #expect(rename(daemon.tree, daemon.directory.path + "/away") == 0)
            while !subscriber.items.isEmpty { try await subscriber.next() }
            let away = try await daemon.call(ContainerInterface.Get.self, .init(identifier: "tree")).container
            #expect(away.state == .unavailable)
            #expect(away.reason != nil)
            #expect(rename(daemon.directory.path + "/away", daemon.tree) == 0)
            while subscriber.items.isEmpty { try await subscriber.next() }
            #expect(try await daemon.find("kind == 'file'") == ["a"])
            #expect(subscriber.violations.isEmpty)
            await subscriber.close()
        }
    }

    @Test func monitorTellsOfStates() async throws {
        try await DaemonFixture.run { daemon in
            let client = try await daemon.client()
            var replies = client.callMore(ContainerInterface.Monitor.name).makeAsyncIterator()
            func next() async throws -> [ContainerDescription] {
                let bytes = try #require(try await replies.next())
                return try bytes.decode(ContainerInterface.Monitor.Reply.self).containers
            }
            while try await next().first?.state != .live {}
            #expect(rename(daemon.tree, daemon.directory.path + "/away") == 0)
            while try await next().first?.state != .unavailable {}
            #expect(rename(daemon.directory.path + "/away", daemon.tree) == 0)
            while try await next().first?.state != .live {}
            await client.close()
        }
    }

    @Test func rescanFindsNothingToMend() async throws {
        try await DaemonFixture.run { daemon in
            for number in 0..<50 { try daemon.directory.write("", to: "tree/d\(number % 5)/\(number)") }
            #expect(try await daemon.find("kind == 'file'").count == 50)
            let counts = try await daemon.call(ContainerInterface.Rescan.self, .init(identifier: "tree"))
            #expect(counts == .init(added: 0, changed: 0, removed: 0))
        }
    }

    @Test func aContainerBeforeOthersIsRemoved() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("", to: "a/one")
        try directory.write("", to: "z/two")
        try await DaemonFixture.run(directory: directory) { daemon in
            for name in ["a", "z"] {
                _ = try await daemon.call(
                    ContainerInterface.Add.self, .init(identifier: name, path: directory.path + "/" + name))
            }
            let subscriber = try await Subscriber(
                daemon, .init(predicate: "kind == 'file'", attributes: ["path", "container"]))
            try await subscriber.gather()
            #expect(subscriber.items.count == 2)
            _ = try await daemon.call(ContainerInterface.Remove.self, .init(identifier: "a"))
            while subscriber.items.count > 1 { try await subscriber.next() }
            try directory.write("", to: "z/three")
            try daemon.directory.write("", to: "tree/four")
            while subscriber.items.count < 3 { try await subscriber.next() }
            let expected = [daemon.tree + "/four", directory.path + "/z/three", directory.path + "/z/two"]
            #expect(subscriber.items.values.sorted() == expected.sorted())
            #expect(subscriber.violations.isEmpty)
            await subscriber.close()
        }
    }

    @Test func aScopedQueryGoesOnWhenItsContainerComesBack() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("x", to: "more/one")
        try await DaemonFixture.run(directory: directory) { daemon in
            let more = ContainerInterface.Add.Request(identifier: "more", path: directory.path + "/more")
            _ = try await daemon.call(ContainerInterface.Add.self, more)
            let request = QueryInterface.Watch.Request(predicate: "kind == 'file'", scopes: ["more"])
            let subscriber = try await Subscriber(daemon, request)
            try await subscriber.gather()
            let clock = try #require(subscriber.lastClock)
            let held = subscriber.items
            _ = try await daemon.call(ContainerInterface.Remove.self, .init(identifier: "more"))
            while !subscriber.items.isEmpty { try await subscriber.next() }
            _ = try await daemon.call(ContainerInterface.Add.self, more)
            while subscriber.items.isEmpty { try await subscriber.next() }
            #expect(subscriber.violations.isEmpty)
            await subscriber.close()

            // A clock from before the removal is of no use: the items have other identities now.
            var again = request
            again.since = clock
            let second = try await Subscriber(daemon, again, holding: held)
            let started = try await second.next()
            #expect(started.fresh == true)
            await second.close()
        }
    }

    @Test func tagsOfAContainerThatIsAddedLater() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("", to: "more/one")
        let folder = try Directory.open(directory.path + "/more", access: .path)
        let number = folder.number
        try Array("dairy".utf8).withUnsafeBytes {
            try ExtendedAttributes.set("user.xdg.tags", of: "one", in: number, to: $0)
        }
        try await DaemonFixture.run(directory: directory) { daemon in
            let subscriber = try await Subscriber(daemon, .init(predicate: "ANY tags == 'dairy'"))
            try await subscriber.gather()
            #expect(subscriber.items.isEmpty)
            _ = try await daemon.call(
                ContainerInterface.Add.self, .init(identifier: "more", path: directory.path + "/more"))
            while subscriber.items.isEmpty { try await subscriber.next() }
            await subscriber.close()
        }
    }

    @Test func timePasses() async throws {
        try await DaemonFixture.run { daemon in
            // Long enough for a busy machine to tell of the file before its time is over.
            let subscriber = try await Subscriber(daemon, .init(predicate: "modified > $time.now(-4)"))
            try await subscriber.gather()
            try daemon.directory.write("", to: "tree/a")
            while subscriber.items.isEmpty { try await subscriber.next() }
            while !subscriber.items.isEmpty { try await subscriber.next() }
            #expect(subscriber.lastCount == 0)
            await subscriber.close()
        }
    }

    /// A subscriber that was away while a minute went by is told what left meanwhile, and nothing else.
    @Test func timePassesForOneWhoIsAway() async throws {
        try await DaemonFixture.run { daemon in
            let request = QueryInterface.Watch.Request(predicate: "modified > $time.now(-4)")
            let away = try await Subscriber(daemon, request)
            let other = try await Subscriber(daemon, request)
            try await away.gather()
            try await other.gather()
            try daemon.directory.write("", to: "tree/a")
            while away.items.isEmpty { try await away.next() }
            // Somebody else waits until the time is over.
            while other.items.isEmpty { try await other.next() }
            while !other.items.isEmpty { try await other.next() }
            await other.close()
            #expect(away.lastClock != nil)
            let back = try await away.comeBack(daemon, request)
            let started = try await back.next()
            #expect(started.event == .started && started.fresh != true)
            let difference = try await back.next()
            #expect(difference.removed?.count == 1 && difference.added == nil && difference.changed == nil)
            try await back.gather()
            #expect(back.items.isEmpty && back.lastCount == 0 && back.violations.isEmpty)
            await back.close()
        }
    }

    /// More items than are worked out on the event loop move, change and go, all at once.
    @Test func aMoveOfManyIsToldInOrder() async throws {
        let directory = try TemporaryDirectory()
        for number in 0..<3_000 { try directory.write("", to: "tree/a/d/f\(number)") }
        try await DaemonFixture.run(directory: directory) { daemon in
            let subscriber = try await Subscriber(daemon, .init(predicate: "kind == 'file'", attributes: ["path"]))
            let narrow = try await Subscriber(daemon, .init(predicate: "name == 'f7'", attributes: ["path", "size"]))
            try await subscriber.gather()
            try await narrow.gather()
            var from = daemon.tree + "/a"
            for round in 0..<5 {
                let to = daemon.tree + "/b\(round)"
                #expect(rename(from, to) == 0)
                #expect(unlink(to + "/d/f\(round + 100)") == 0)
                try daemon.directory.write("\(round)", to: "tree/b\(round)/d/f7")
                from = to
            }
            try await daemon.flush()
            let expected = Set((0..<3_000).filter { !(100..<105).contains($0) }.map { from + "/d/f\($0)" })
            while Set(subscriber.items.values) != expected { try await subscriber.next() }
            while Array(narrow.items.values) != [from + "/d/f7"] { try await narrow.next() }
            #expect(rename(from + "/d", directory.path + "/gone") == 0)
            while !subscriber.items.isEmpty { try await subscriber.next() }
            while !narrow.items.isEmpty { try await narrow.next() }
            #expect(subscriber.violations.isEmpty && narrow.violations.isEmpty)
            #expect(subscriber.lastCount == 0 && narrow.lastCount == 0)
            await subscriber.close()
            await narrow.close()
        }
    }

    @Test func callsSentAheadAreAnsweredInOrder() async throws {
        try await DaemonFixture.run { daemon in
            let client = try await daemon.client()
            for round in 0..<20 {
                try daemon.directory.write("", to: "tree/d\(round)/e/f")
                async let flush = client.call(QueryInterface.Flush.self, .init())
                async let find = client.call(
                    QueryInterface.Find.self, .init(predicate: "name == 'f'", attributes: ["path"]))
                async let rescan = client.call(ContainerInterface.Rescan.self, .init(identifier: "tree"))
                async let count = client.call(QueryInterface.Count.self, .init(predicate: "name == 'f'"))
                _ = try await (flush, rescan)
                let found = try await find.items.count
                let counted = try await count.count
                #expect(found == round + 1)
                #expect(counted == Int64(round + 1))
            }
            await client.close()
        }
    }
}
