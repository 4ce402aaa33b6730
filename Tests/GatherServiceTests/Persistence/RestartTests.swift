// The costs of a restart: access, a journal that was cut, a disk that was full, an end in mid-crawl.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Glibc
import LinuxSystem
import MetadataIndex
import NIOCore
import TestSupport
import Testing

@testable import GatherService

struct RestartTests {
    private static let everything = QueryInterface.Watch.Request(predicate: "", attributes: ["path"])

    private struct Held {
        var items: [String: String] = [:]
        var clock: String?
        init() {}
        init(_ subscriber: Subscriber) { (items, clock) = (subscriber.items, subscriber.lastClock) }
        var request: QueryInterface.Watch.Request {
            var request = RestartTests.everything
            request.since = clock
            return request
        }
        func id(_ name: String) -> String? { items.first { $0.value.hasSuffix("/" + name) }?.key }
    }

    private func snapshotTime(_ daemon: DaemonFixture) async throws -> String? {
        try await daemon.call(ServiceInterface.Status.self, .init()).snapshotTime
    }

    private func whenSaved(_ daemon: DaemonFixture, after former: String? = nil) async throws {
        try await daemon.flush()
        while try await snapshotTime(daemon) == former { await Task.yield() }
    }

    /// The part of a path below the container's directory.
    private func below(_ path: String) -> String {
        path.split(separator: "/").drop { $0 != "tree" }.dropFirst().joined(separator: "/")
    }

    /// Makes a file, and waits until a subscriber has it.
    private func add(_ name: String, _ daemon: DaemonFixture, _ subscriber: Subscriber) async throws -> Held {
        try daemon.directory.write("", to: "tree/" + name)
        while Held(subscriber).id(name) == nil { try await subscriber.next() }
        return Held(subscriber)
    }

    /// Comes back, and says whether that was fresh. Its items must then be all that there are.
    private func comeBack(
        _ held: Held, _ daemon: DaemonFixture, as user: OtherUser? = nil, _ names: [String]
    ) async throws -> (isFresh: Bool, now: Held) {
        let back = try await Subscriber(daemon, held.request, holding: held.items, as: user)
        let isFresh = try await back.next().fresh == true
        try await back.gather()
        #expect(back.violations == [])
        #expect(back.items.values.map(below).sorted() == names)
        await back.close()
        return (isFresh, Held(back))
    }

    // MARK: Access

    @Test(
        .needsRoot("other users"),
        arguments: [
            ("nothing", false, true), ("opened again", false, true), ("above", true, false), ("own", true, false),
            ("shut", true, false),
        ])
    func `Other users go on where the way to the container is the same`(
        change: String, isFresh: Bool, isOpen: Bool
    ) async throws {
        let user = OtherUser(user: 41_001, group: 42_001)
        let directory = try TemporaryDirectory()
        let (above, tree) = (directory.path + "/above", directory.path + "/above/tree")
        for name in ["above", "above/tree"] { try directory.makeDirectory(name) }
        #expect(symlink("above/tree", directory.path + "/tree") == 0)
        for path in [directory.path, above, tree] { #expect(chmod(path, 0o755) == 0) }
        var before = Held()
        var held = Held()
        try await DaemonFixture.run(containers: ["tree": tree], directory: directory, isSystem: true) { daemon in
            #expect(chmod(daemon.socket, 0o666) == 0)
            try directory.write("", to: "tree/kept")
            let subscriber = try await Subscriber(daemon, Self.everything, as: user)
            try await subscriber.gather()
            try await whenSaved(daemon)
            before = Held(subscriber)
            if change == "opened again" {
                // After the index was saved: it is the journal that knows.
                for mode: mode_t in [0o700, 0o751, 0o755] {
                    #expect(chmod(tree, mode) == 0)
                    try await daemon.flush()
                }
                #expect(chmod(above, 0o751) == 0)
                try await daemon.flush()
            }
            held = try await add("told", daemon, subscriber)
            await subscriber.close()
        }
        try directory.write("", to: "tree/added")
        switch change {
        case "above": #expect(chmod(above, 0o750) == 0)
        case "own": #expect(chmod(tree, 0o711) == 0)
        case "shut": #expect(chmod(tree, 0o700) == 0)
        default: break
        }
        try await DaemonFixture.run(containers: ["tree": tree], directory: directory, isSystem: true) { daemon in
            #expect(chmod(daemon.socket, 0o666) == 0)
            let names = isOpen ? ["added", "kept", "told"] : []
            let first = try await comeBack(held, daemon, as: user, names)
            #expect(first.isFresh == isFresh)
            if change == "opened again" {
                let second = try await comeBack(before, daemon, as: user, names)
                #expect(second.isFresh)
            }
        }
    }

    // MARK: The journal

    @Test func `A clock that fell out of the journal is fresh`() async throws {
        let directory = try TemporaryDirectory()
        try directory.makeDirectory("tree")
        try directory.write("snapshot-interval = \"10ms\"\n", to: "gatherd.toml")
        var (early, late) = (Held(), Held())
        var limits = ServiceLimits()
        limits.journalBytes = 0
        try await DaemonFixture.run(directory: directory, limits: limits) { daemon in
            let subscriber = try await Subscriber(daemon, Self.everything)
            try await subscriber.gather()
            early = Held(subscriber)
            try await whenSaved(daemon)
            let first = try await snapshotTime(daemon)
            late = try await add("told", daemon, subscriber)
            try await whenSaved(daemon, after: first)
            // This daemon still has it in memory.
            let known = try await comeBack(early, daemon, ["told"])
            #expect(!known.isFresh)
            await subscriber.close()
        }
        try directory.write("", to: "tree/added")
        try await DaemonFixture.run(directory: directory, limits: limits) { daemon in
            let gone = try await comeBack(early, daemon, ["added", "told"])
            #expect(gone.isFresh)
            let kept = try await comeBack(late, daemon, ["added", "told"])
            #expect(kept.isFresh == false)
        }
    }

    @Test func `An index is saved anew when enough has changed, and not before`() async throws {
        let directory = try TemporaryDirectory()
        try directory.makeDirectory("tree")
        try directory.write("snapshot-interval = \"10ms\"\n", to: "gatherd.toml")
        var held = Held()
        var names: [String] = []
        try await DaemonFixture.run(directory: directory) { daemon in
            let subscriber = try await Subscriber(daemon, Self.everything)
            try await subscriber.gather()
            try await whenSaved(daemon)
            let first = try await snapshotTime(daemon)
            repeat {
                names.append("file\(1_000 + names.count)")
                held = try await add(names[names.count - 1], daemon, subscriber)
            } while try await snapshotTime(daemon) == first
            await subscriber.close()
        }
        // All of the journal is there, as it is not much.
        let folder = directory.path + "/state/saved/"
        let bytes = try Directory.names(in: folder).filter { $0.hasPrefix("journal") }
            .reduce(0) { try $0 + Entry.openForReading(folder + $1).size() }
        #expect(bytes > PersistenceLimits.leastJournaled)
        try await DaemonFixture.run(directory: directory) { daemon in
            let back = try await comeBack(held, daemon, names)
            #expect(!back.isFresh)
        }
    }

    @Test func `A journal in many pieces is one`() async throws {
        let directory = try TemporaryDirectory()
        try directory.makeDirectory("tree")
        var limits = ServiceLimits()
        limits.segmentBytes = 100
        var held: [Held] = []
        let names = (10..<30).map { "file\($0)" }
        try await DaemonFixture.run(directory: directory, limits: limits) { daemon in
            let subscriber = try await Subscriber(daemon, Self.everything)
            try await subscriber.gather()
            try await whenSaved(daemon)
            for name in names { held.append(try await add(name, daemon, subscriber)) }
            try directory.copyState(to: "killed")
            await subscriber.close()
        }
        let pieces = try Directory.names(in: directory.path + "/killed/saved").filter { $0.hasPrefix("journal") }
        #expect(pieces.count > names.count)
        try await DaemonFixture.run(directory: directory, state: "killed", limits: limits) { daemon in
            for one in held {
                let (isFresh, now) = try await comeBack(one, daemon, names)
                #expect(!isFresh)
                #expect(now.id("file10") == held[0].id("file10"))
            }
        }
    }

    @Test func `After the machine's end identifiers that were lost are not given again`() async throws {
        let directory = try TemporaryDirectory()
        try directory.makeDirectory("tree")
        var (early, late) = (Held(), Held())
        try await DaemonFixture.run(directory: directory) { daemon in
            let subscriber = try await Subscriber(daemon, Self.everything)
            try await subscriber.gather()
            try await whenSaved(daemon)
            early = try await add("kept", daemon, subscriber)
            late = try await add("lost", daemon, subscriber)
            try directory.copyState(to: "killed")
            await subscriber.close()
        }
        // Bytes that were not on the disk yet are gone, and the machine was started again.
        let folder = directory.path + "/killed/saved/"
        let names = try Directory.names(in: folder)
        let name = try #require(names.last { $0.hasPrefix("journal") })
        let bytes = try PersistentFiles(stateDirectory: directory.path + "/killed").read(name, limit: 1 << 20)
        let (header, end) = try bytes.withUnsafeBytes { bytes in
            var reader = try JournalReader(bytes)
            var (last, end) = (0, reader.offset)
            while try reader.next() != nil { (last, end) = (end, reader.offset) }
            return (reader.header, last)
        }
        var other = header
        other.boot = .init(low: ~header.boot.low, high: header.boot.high)
        let file = try Entry.openForWriting(folder + name, mode: 0o600, truncate: true)
        try file.writeAll(other.bytes + bytes[other.bytes.count..<end])

        #expect(unlink(directory.path + "/tree/lost") == 0)
        try directory.write("", to: "tree/other")
        try await DaemonFixture.run(directory: directory, state: "killed") { daemon in
            let (isFresh, now) = try await comeBack(early, daemon, ["kept", "other"])
            #expect(!isFresh)
            #expect(now.id("kept") == early.id("kept"))
            #expect(late.id("lost") != nil && now.id("other") != nil)
            #expect(now.id("other") != late.id("lost"))
            let beyond = try await comeBack(late, daemon, ["kept", "other"])
            #expect(beyond.isFresh)
        }
    }

    @Test(.needsRoot("mounts", if: TemporaryDirectory.canMount))
    func `Once there is room again, all is saved`() async throws {
        let directory = try TemporaryDirectory()
        for name in ["tree", "state", "state/saved"] { try directory.makeDirectory(name) }
        let disk = directory.path + "/state/saved"
        try #require(TemporaryDirectory.run("/bin/mount", "-t", "tmpfs", "-o", "size=4k", "none", disk) == 0)
        defer { TemporaryDirectory.run("/bin/umount", "-l", disk) }
        var limits = ServiceLimits()
        limits.saveAgainAfter = .milliseconds(5)
        var late = Held()
        let long = (0..<40).map { String(repeating: "long", count: 50) + String(10 + $0) }
        try await DaemonFixture.run(directory: directory, limits: limits) { daemon in
            let subscriber = try await Subscriber(daemon, Self.everything)
            try await subscriber.gather()
            for name in long { _ = try await add(name, daemon, subscriber) }
            let unsaved = try await snapshotTime(daemon)
            #expect(unsaved == nil)
            #expect(TemporaryDirectory.run("/bin/mount", "-o", "remount,size=16m", disk) == 0)
            try await whenSaved(daemon)
            late = try await add("told", daemon, subscriber)
            await subscriber.close()
        }
        try directory.write("", to: "tree/added")
        try await DaemonFixture.run(directory: directory, limits: limits) { daemon in
            let resumed = try await comeBack(late, daemon, ["added"] + long + ["told"])
            #expect(resumed.isFresh == false)
        }
    }

    // MARK: In mid-crawl

    @Test func `An end in mid-crawl costs one crawl`() async throws {
        let directory = try TemporaryDirectory()
        var names: [String] = []
        try directory.makeDirectory("tree")
        for number in 0..<40 {
            try directory.makeDirectory("tree/d\(number)")
            names.append("d\(number)")
            for file in 0..<40 {
                try directory.write("", to: "tree/d\(number)/f\(file)")
                names.append("d\(number)/f\(file)")
            }
        }
        names.sort()
        var held = Held()
        // Told to end, and killed: both before anything was read, or when part of it was.
        for round in 0..<6 {
            try await DaemonFixture.run(directory: directory) { daemon in
                let subscriber = try await Subscriber(daemon, held.request, holding: held.items)
                try await subscriber.next()
                for _ in 0..<round {
                    let some = try await daemon.find("", sync: false)
                    #expect(Set(some).isSubset(of: names))
                }
                try directory.copyState(to: "killed")
                if round == 5 {
                    try await subscriber.gather()
                    held = Held(subscriber)
                }
                await subscriber.close()
            }
            try await DaemonFixture.run(directory: directory, state: "killed") { daemon in
                let all = try await daemon.find("")
                #expect(all == names)
            }
        }
        try directory.write("", to: "tree/added")
        try await DaemonFixture.run(directory: directory) { daemon in
            let (_, now) = try await comeBack(held, daemon, ["added"] + names)
            #expect(now.items.count == names.count + 1)
        }
    }
}
