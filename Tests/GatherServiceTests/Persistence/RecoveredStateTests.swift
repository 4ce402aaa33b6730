// A daemon goes on where the one before it ended, however that was.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Glibc
import LinuxSystem
import Logging
import TestSupport
import Testing
import Varlink

@testable import GatherService

struct RecoveredStateTests {
    private static let everything = QueryInterface.Watch.Request(predicate: "", attributes: ["path", "size"])

    /// Waits until all that there is to save has been saved.
    private func whenSaved(_ daemon: DaemonFixture) async throws {
        try await daemon.flush()
        while try await daemon.call(ServiceInterface.Status.self, .init()).snapshotTime == nil {
            // Each question is an iteration of the loop.
            await Task.yield()
        }
    }

    private func saved(_ directory: TemporaryDirectory, _ state: String = "state") -> [String] {
        (try? Directory.names(in: directory.path + "/" + state + "/saved")) ?? []
    }

    private func fill(_ directory: TemporaryDirectory) throws {
        for name in ["kept", "written", "renamed", "removed", "dir/below", "dir/gone", "other/x"] {
            try directory.write("1", to: "tree/" + name)
        }
    }

    /// Changes the tree while no daemon runs.
    private func change(_ directory: TemporaryDirectory) throws {
        let tree = directory.path + "/tree"
        try directory.write("22", to: "tree/written")
        #expect(rename(tree + "/renamed", tree + "/other/new") == 0)
        #expect(unlink(tree + "/removed") == 0)
        #expect(unlink(tree + "/dir/gone") == 0)
        #expect(rename(tree + "/dir", tree + "/moved") == 0)
        try directory.write("", to: "tree/added")
    }

    private func expectExact(_ back: Subscriber, _ before: [String: String], _ tree: String) {
        #expect(back.violations == [])
        let kept = Dictionary(uniqueKeysWithValues: before.map { ($1, $0) })
        let now = Dictionary(uniqueKeysWithValues: back.items.map { ($1, $0) })
        #expect(
            now.keys.sorted()
                == ["added", "kept", "moved", "moved/below", "other", "other/new", "other/x", "written"].map {
                    tree + "/" + $0
                })
        for (was, became) in [
            ("kept", "kept"), ("renamed", "other/new"), ("dir", "moved"), ("dir/below", "moved/below"),
            ("other", "other"),
            ("written", "written"),
        ] {
            #expect(kept[tree + "/" + was] == now[tree + "/" + became], "\(was)")
        }
    }

    @Test func `After a clean end a subscriber hears exactly what changed meanwhile`() async throws {
        let directory = try TemporaryDirectory()
        try directory.makeDirectory("tree")
        try fill(directory)
        var held: (items: [String: String], clock: String?) = ([:], nil)
        try await DaemonFixture.run(directory: directory) { daemon in
            let subscriber = try await Subscriber(daemon, Self.everything)
            try await subscriber.gather()
            held = (subscriber.items, subscriber.lastClock)
            try await whenSaved(daemon)
            await subscriber.close()
        }
        try change(directory)
        try await DaemonFixture.run(directory: directory) { daemon in
            var request = Self.everything
            request.since = held.clock
            let back = try await Subscriber(daemon, request, holding: held.items)
            #expect(try await back.next().fresh != true)
            try await back.gather()
            expectExact(back, held.items, daemon.tree)
            await back.close()
        }
    }

    @Test func `After a kill the journal tells what was told, and a clock beyond it is fresh`() async throws {
        let directory = try TemporaryDirectory()
        try directory.makeDirectory("tree")
        try fill(directory)
        var early: (items: [String: String], clock: String?) = ([:], nil)
        var late: (items: [String: String], clock: String?) = ([:], nil)
        var beyond: String?
        try await DaemonFixture.run(directory: directory) { daemon in
            let subscriber = try await Subscriber(daemon, Self.everything)
            try await subscriber.gather()
            early = (subscriber.items, subscriber.lastClock)
            try await whenSaved(daemon)
            for number in 0..<5 {
                try directory.write("", to: "tree/new\(number)")
                try await daemon.flush()
                try await subscriber.next()
            }
            late = (subscriber.items, subscriber.lastClock)
            try directory.copyState(to: "killed")
            try directory.write("", to: "tree/unheard")
            try await daemon.flush()
            try await subscriber.next()
            beyond = subscriber.lastClock
            await subscriber.close()
        }
        for number in 0..<5 { #expect(unlink(directory.path + "/tree/new\(number)") == 0) }
        #expect(unlink(directory.path + "/tree/unheard") == 0)
        try change(directory)
        try await DaemonFixture.run(directory: directory, state: "killed") { daemon in
            for held in [early, late] {
                var request = Self.everything
                request.since = held.clock
                let back = try await Subscriber(daemon, request, holding: held.items)
                #expect(try await back.next().fresh != true)
                try await back.gather()
                expectExact(back, held.items, daemon.tree)
                await back.close()
            }
            var request = Self.everything
            request.since = beyond
            let lost = try await Subscriber(daemon, request)
            #expect(try await lost.next().fresh == true)
            await lost.close()
        }
    }

    @Test func `Clocks go on over several ends`() async throws {
        let directory = try TemporaryDirectory()
        try directory.makeDirectory("tree")
        try fill(directory)
        var held: (items: [String: String], clock: String?) = ([:], nil)
        for round in 0..<4 {
            try directory.write("", to: "tree/while-down-\(round)")
            try await DaemonFixture.run(directory: directory) { daemon in
                var request = Self.everything
                request.since = held.clock
                let back = try await Subscriber(daemon, request, holding: held.items)
                #expect(try await back.next().fresh != true)
                try await back.gather()
                #expect(back.violations == [])
                if round == 0 {
                    held = (back.items, back.lastClock)
                    try await whenSaved(daemon)
                } else {
                    // The first clock is the one that counts: it reaches back over all of them.
                    #expect(back.items.count == held.items.count + 2 * round - 1)
                }
                try directory.write("", to: "tree/while-up-\(round)")
                try await daemon.flush()
                await back.close()
            }
            if round == 0 { #expect(unlink(directory.path + "/tree/while-up-0") == 0) }
        }
    }

    @Test func `A saved container is served at once, and an unread one is not`() async throws {
        let directory = try TemporaryDirectory()
        try directory.makeDirectory("tree")
        try fill(directory)
        try await DaemonFixture.run(directory: directory) { daemon in
            _ = try await daemon.find("")
            try await whenSaved(daemon)
        }
        try await DaemonFixture.run(directory: directory) { daemon in
            let atOnce = try await daemon.find("", sync: false)
            let exact = try await daemon.find("")
            let time = try await daemon.call(ServiceInterface.Status.self, .init()).snapshotTime
            #expect(atOnce.count == 9)
            #expect(exact == atOnce)
            #expect(time != nil)
        }
    }

    @Test(arguments: ["index", "journal", "future", "cut", "foreign", "noJournal"])
    func `A damaged state costs a crawl or a clock, and nothing else`(damage: String) async throws {
        let directory = try TemporaryDirectory()
        try directory.makeDirectory("tree")
        try fill(directory)
        var held: (items: [String: String], clock: String?) = ([:], nil)
        try await DaemonFixture.run(directory: directory) { daemon in
            let subscriber = try await Subscriber(daemon, Self.everything)
            try await subscriber.gather()
            try await whenSaved(daemon)
            try directory.write("", to: "tree/later")
            try await daemon.flush()
            try await subscriber.next()
            held = (subscriber.items, subscriber.lastClock)
            await subscriber.close()
        }
        let folder = directory.path + "/state/saved/"
        let journal = try #require(saved(directory).last { $0.hasPrefix("journal") })
        let name = ["journal", "noJournal"].contains(damage) ? journal : "index-tree"
        let file = try Entry.openForWriting(folder + name, mode: 0o600, truncate: damage == "foreign")
        switch damage {
        case "cut": try file.truncate(to: 400)
        case "foreign": try file.writeAll(Array("#!/bin/sh\n".utf8))
        case "noJournal": for name in saved(directory) where name.hasPrefix("journal") { unlink(folder + name) }
        default:
            #expect(lseek(file.number, damage == "future" ? 8 : 90, SEEK_SET) > 0)
            try file.writeAll([0x5A])
        }
        let log = LogRecorder(.info)
        try await DaemonFixture.run(directory: directory, log: log) { daemon in
            var request = Self.everything
            request.since = held.clock
            let back = try await Subscriber(daemon, request, holding: held.items)
            #expect(try await back.next().fresh == true)
            try await back.gather()
            #expect(back.violations == [])
            #expect(back.items.count == 10)
            await back.close()
        }
        #expect(saved(directory).contains { $0.hasSuffix(".damaged") } == (damage != "noJournal"))
        #expect(log.all("state-set-aside").count { $0.contains("set aside") } == (damage == "noJournal" ? 0 : 1))
        // Either it is read once, or the saved tree is compared once.
        let isRead = name == "index-tree"
        #expect(log.all.count { $0.contains("container 'tree' was read") } == (isRead ? 1 : 0), "\(log.all)")
        #expect(log.all.count { $0.contains("container 'tree' was compared") } == (isRead ? 0 : 1), "\(log.all)")
        // And what is saved then is whole.
        try await DaemonFixture.run(directory: directory) { daemon in
            let found = try await daemon.find("")
            #expect(found.count == 10)
        }
    }

    @Test func `Another configuration, or none, does not use what was saved`() async throws {
        let directory = try TemporaryDirectory()
        try directory.makeDirectory("tree")
        try directory.makeDirectory("second")
        try fill(directory)
        try directory.write("", to: "second/y")
        let both = ["tree": directory.path + "/tree", "second": directory.path + "/second"]
        var clock: String?
        try await DaemonFixture.run(containers: both, directory: directory) { daemon in
            let subscriber = try await Subscriber(daemon, Self.everything)
            try await subscriber.gather()
            clock = subscriber.lastClock
            try await whenSaved(daemon)
            await subscriber.close()
        }
        #expect(saved(directory).filter { $0.hasPrefix("index") } == ["index-second", "index-tree"])
        let one = ["tree": directory.path + "/second"]
        try await DaemonFixture.run(containers: one, directory: directory) { daemon in
            var request = Self.everything
            request.since = clock
            let back = try await Subscriber(daemon, request)
            #expect(try await back.next().fresh == true)
            try await back.gather()
            #expect(back.items.count == 1)
            await back.close()
        }
        #expect(!saved(directory).contains("index-second"))
    }

    @Test(arguments: [["second"], ["second", "third"]])
    func `Containers that are configured no more cost clocks once`(others: [String]) async throws {
        let directory = try TemporaryDirectory()
        for name in ["tree"] + others { try directory.write("", to: name + "/x") }
        let one = ["tree": directory.path + "/tree"]
        var held: (items: [String: String], clock: String?) = ([:], nil)
        func run(_ containers: [String: String], isFresh: Bool) async throws {
            try await DaemonFixture.run(containers: containers, directory: directory) { daemon in
                var request = Self.everything
                request.since = held.clock
                let subscriber = try await Subscriber(daemon, request, holding: held.items)
                #expect((try await subscriber.next().fresh == true) == isFresh)
                try await subscriber.gather()
                #expect(subscriber.violations == [])
                held = (subscriber.items, subscriber.lastClock)
                try await whenSaved(daemon)
                await subscriber.close()
            }
        }
        let all = Dictionary(uniqueKeysWithValues: (["tree"] + others).map { ($0, directory.path + "/" + $0) })
        try await run(all, isFresh: false)
        try await run(one, isFresh: true)
        // The journal still speaks of what is gone.
        try await run(one, isFresh: false)
        try await run(one, isFresh: false)
        #expect(held.items.count == 1)
    }

    @Test func `A container that is away comes back with its identities, over a restart too`() async throws {
        let directory = try TemporaryDirectory()
        try directory.makeDirectory("tree")
        try fill(directory)
        let (tree, away) = (directory.path + "/tree", directory.path + "/away")
        var ids: [String: String] = [:]
        try await DaemonFixture.run(containers: ["tree": tree], directory: directory) { daemon in
            let subscriber = try await Subscriber(daemon, Self.everything)
            try await subscriber.gather()
            ids = Dictionary(uniqueKeysWithValues: subscriber.items.map { ($1, $0) })
            try await whenSaved(daemon)
            #expect(rename(tree, away) == 0)
            while !subscriber.items.isEmpty { try await subscriber.next() }
            try directory.write("", to: "away/fresh")
            #expect(unlink(away + "/removed") == 0)
            #expect(rename(away, tree) == 0)
            // As it was, perhaps, before it has been compared.
            func isCompared() -> Bool {
                let paths = subscriber.items.values
                return paths.contains(tree + "/fresh") && !paths.contains(tree + "/removed")
            }
            while !isCompared() { try await subscriber.next() }
            #expect(subscriber.items.count == ids.count)
            #expect(subscriber.violations == [])
            for (id, path) in subscriber.items where !path.hasSuffix("fresh") { #expect(ids[path] == id) }
            #expect(rename(tree, away) == 0)
            while !subscriber.items.isEmpty { try await subscriber.next() }
            try await daemon.flush()
            await subscriber.close()
        }
        // Stand-in, so that the fixture does not make the directory.
        #expect(symlink(away + "/kept", tree) == 0)
        try await DaemonFixture.run(containers: ["tree": tree], directory: directory) { daemon in
            #expect(try await daemon.find("", sync: false).isEmpty)
            let subscriber = try await Subscriber(daemon, Self.everything)
            try await subscriber.gather()
            #expect(subscriber.items.isEmpty)
            #expect(unlink(tree) == 0)
            #expect(rename(away, tree) == 0)
            while subscriber.items.count < ids.count { try await subscriber.next() }
            for (id, path) in subscriber.items where !path.hasSuffix("fresh") { #expect(ids[path] == id, "\(path)") }
            await subscriber.close()
        }
    }

    @Test(.needsRoot("mounts", if: TemporaryDirectory.canMount), arguments: [48, 4])
    func `A full disk is one thing less to go on with, and nothing else`(kilobytes: Int) async throws {
        let directory = try TemporaryDirectory()
        try directory.makeDirectory("tree")
        try directory.makeDirectory("state")
        try directory.makeDirectory("state/saved")
        let disk = directory.path + "/state/saved"
        try #require(
            TemporaryDirectory.run("/bin/mount", "-t", "tmpfs", "-o", "size=\(kilobytes)k", "none", disk) == 0)
        defer { TemporaryDirectory.run("/bin/umount", "-l", disk) }
        try fill(directory)
        var held: (items: [String: String], clock: String?) = ([:], nil)
        try await DaemonFixture.run(directory: directory) { daemon in
            let subscriber = try await Subscriber(daemon, Self.everything)
            try await subscriber.gather()
            for number in 0..<400 {
                try directory.write("", to: "tree/\(String(repeating: "long", count: 50))\(number)")
                if number % 20 == 0 { try await daemon.flush() }
            }
            try await daemon.flush()
            while subscriber.items.count < 409 { try await subscriber.next() }
            #expect(subscriber.violations == [])
            held = (subscriber.items, subscriber.lastClock)
            await subscriber.close()
        }
        try await DaemonFixture.run(directory: directory) { daemon in
            var request = Self.everything
            request.since = held.clock
            let back = try await Subscriber(daemon, request, holding: held.items)
            #expect(try await back.next().fresh == true)
            try await back.gather()
            #expect(back.items.count == 409)
            await back.close()
        }
    }
}
