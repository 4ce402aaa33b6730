// Each start goes on from the state of the one before: the daemon is started once more than it takes to see the first.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Glibc
import LinuxSystem
import MetadataIndex
import Synchronization
import Testing

@testable import GatherService

struct StartAfterStartTests {
    private func whenSaved(_ daemon: DaemonFixture) async throws {
        try await daemon.flush()
        // Each question is an iteration of the loop.
        while try await daemon.call(ServiceInterface.Status.self, .init()).snapshotTime == nil { await Task.yield() }
    }

    /// Makes a file in a container, and waits until a subscriber has it; its identifier.
    private func add(_ name: String, _ daemon: DaemonFixture, _ subscriber: Subscriber) async throws -> String {
        try daemon.directory.write("", to: name)
        while true {
            if let (id, _) = subscriber.items.first(where: { $0.value.hasSuffix("/" + name) }) { return id }
            try await subscriber.next()
        }
    }

    private func damage(_ file: String, at offset: Int) throws {
        let file = try Entry.openForWriting(file, mode: 0o600, truncate: false)
        #expect(lseek(file.number, offset, SEEK_SET) == offset)
        try file.writeAll([0x5A])
    }

    @Test(arguments: ["damaged", "ignoring"])
    func `That indexes are of no use costs clocks once, and the journal never`(why: String) async throws {
        let directory = try TemporaryDirectory()
        let others = ["tree", "third"]
        for name in ["second"] + others { try directory.write("", to: name + "/x") }
        let containers = Dictionary(uniqueKeysWithValues: (["second"] + others).map { ($0, directory.path + "/" + $0) })
        var request = QueryInterface.Watch.Request(predicate: "", attributes: ["path"])
        request.scopes = [directory.path + "/second"]
        var items: [String: String] = [:]
        for start in 0..<4 {
            if start == 1, why == "damaged" {
                // A block: whose indexes they are can be read.
                for name in others {
                    let file = directory.path + "/state/saved/index-" + name
                    try damage(file, at: Entry.openForReading(file).size() * 3 / 4)
                }
            }
            let log = LogRecorder()
            try await DaemonFixture.run(
                containers: containers, directory: directory, log: log,
                adjust: {
                    guard start > 0, why == "ignoring" else { return }
                    for place in $0.containers.indices where others.contains($0.containers[place].identifier) {
                        $0.containers[place].ignore = ["ignored"]
                    }
                }
            ) { daemon in
                let back = try await Subscriber(daemon, request, holding: items)
                let isFresh = try await back.next().fresh == true
                #expect(isFresh == (start == 1), "start \(start)")
                try await back.gather()
                _ = try await add("second/file\(start)", daemon, back)
                #expect(back.violations == [])
                #expect(back.items.count == start + 2)
                try await whenSaved(daemon)
                (items, request.since) = (back.items, back.lastClock)
                await back.close()
            }
            #expect(!log.all.contains { $0.contains("journal") }, "\(log.all)")
            #expect(!directory.exists("state/saved/journal.damaged"))
        }
    }

    // As the machine's end may leave it: the name of a segment is on the disk, its header is not; or neither is.
    @Test(arguments: ["empty", "missing"])
    func `If the end of the journal is gone, later updates are known to the next start`(end: String) async throws {
        let directory = try TemporaryDirectory()
        for name in ["tree/x", "second/y"] { try directory.write("", to: name) }
        let second = ["second": directory.path + "/second"]
        let both = second.merging(["tree": directory.path + "/tree"]) { $1 }
        var request = QueryInterface.Watch.Request(predicate: "", attributes: ["path"])
        try await DaemonFixture.run(containers: second, directory: directory) { daemon in
            try await whenSaved(daemon)
            let subscriber = try await Subscriber(daemon, request)
            _ = try await add("second/later", daemon, subscriber)
            await subscriber.close()
        }
        // The journal leads on from what was saved of the one; the other is saved behind that, and begins a segment.
        try await DaemonFixture.run(containers: both, directory: directory) { try await whenSaved($0) }
        let last = try #require(
            PersistentFiles(stateDirectory: directory.path + "/state").list().segments.map(\.number).last)
        if end == "empty" {
            try directory.write("", to: "state/saved/" + PersistentFiles.journalName(last + 1))
        } else {
            #expect(unlink(directory.path + "/state/saved/" + PersistentFiles.journalName(last)) == 0)
        }
        var items: [String: String] = [:]
        try await DaemonFixture.run(containers: both, directory: directory) { daemon in
            let subscriber = try await Subscriber(daemon, request)
            try await subscriber.gather()
            _ = try await add("second/told", daemon, subscriber)
            try await daemon.flush()
            (items, request.since) = (subscriber.items, subscriber.lastClock)
            await subscriber.close()
        }
        #expect(items.count == 4)
        let log = LogRecorder()
        try await DaemonFixture.run(containers: both, directory: directory, log: log) { daemon in
            let atOnce = try await daemon.find("", sync: false)
            #expect(atOnce.count == 4)
            let back = try await Subscriber(daemon, request, holding: items)
            let isFresh = try await back.next().fresh == true
            #expect(isFresh == false)
            try await back.gather()
            #expect(back.items == items)
            await back.close()
        }
        #expect(log.all("state-set-aside") == [])
    }

    // MARK: The machine's end

    /// A disk that has of the journal what was forced to it, and nothing else.
    private final class Disk: Sendable {
        private struct State {
            var contents: [String: [UInt8]] = [:]
            var names: [String] = []
        }
        private let state = Mutex(State())

        func force(_ file: borrowing Descriptor) throws(SystemError) {
            let link = "/proc/self/fd/\(file.number)"
            var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
            let length = readlink(link, &buffer, buffer.count)
            let path = String(decoding: buffer.prefix(max(0, length)), as: UTF8.self)
            if let names = try? Directory.names(in: path) {
                state.withLock { $0.names = names.filter { $0.hasPrefix("journal-") } }
            } else {
                let there = try Entry.openForReading(path)
                var bytes = [UInt8](repeating: 0, count: try there.size())
                let count = bytes.withUnsafeMutableBytes { (try? there.read(into: $0, at: 0)) ?? 0 }
                let name = String(path.split(separator: "/").last ?? "")
                state.withLock { $0.contents[name] = Array(bytes[..<count]) }
            }
        }

        /// Adds what is there to what was there before.
        func write(to folder: String) throws {
            let (contents, names) = state.withLock { ($0.contents, $0.names) }
            for name in names where contents[name] != nil || access(folder + name, F_OK) != 0 {
                let file = try Entry.openForWriting(folder + name, mode: 0o600, truncate: true)
                try file.writeAll(contents[name] ?? [])
            }
        }
    }

    /// The machine was started again since all of this was written.
    private func startMachine(_ directory: TemporaryDirectory, _ state: String) throws {
        let files = PersistentFiles(stateDirectory: directory.path + "/" + state)
        for (name, _, _) in files.list().segments {
            let bytes = try files.read(name, limit: 1 << 20)
            var header = try bytes.withUnsafeBytes { try JournalReader($0).header }
            header.boot = .init(low: 1, high: 1)
            let file = try Entry.openForWriting(files.path(name), mode: 0o600, truncate: true)
            try file.writeAll(header.bytes + bytes[header.bytes.count...])
        }
    }

    @Test func `Items told before more is on the disk have identifiers that no later start gives`() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("", to: "tree/kept")
        try await DaemonFixture.run(directory: directory) { try await whenSaved($0) }
        let (state, left) = (directory.path + "/state", directory.path + "/left")
        var given: Set<String> = []
        for round in 0..<3 {
            try startMachine(directory, "state")
            try directory.copyState(to: "left")
            let disk = Disk()
            try await DaemonFixture.run(
                directory: directory,
                adjust: { $0.forceToDisk = { (file) throws(SystemError) in try disk.force(file) } }
            ) { daemon in
                // Nothing was told yet, and it is the last that the disk gets.
                try disk.write(to: left + "/saved/")
                let subscriber = try await Subscriber(
                    daemon, QueryInterface.Watch.Request(predicate: "", attributes: ["path"]))
                try await subscriber.gather()
                #expect(subscriber.items.count == 1)
                let id = try await add("tree/file\(round)", daemon, subscriber)
                #expect(given.insert(id).inserted, "round \(round)")
                await subscriber.close()
            }
            #expect(unlink(directory.path + "/tree/file\(round)") == 0)
            TemporaryDirectory.run("/bin/rm", "-rf", "--", state)
            #expect(rename(left, state) == 0)
        }
    }

    @Test func `A start that is killed before it has begun its journal leaves what tells of a loss`() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("", to: "tree/kept")
        let request = QueryInterface.Watch.Request(predicate: "", attributes: ["path"])
        try await DaemonFixture.run(directory: directory) { try await whenSaved($0) }
        var lost = ""
        try await DaemonFixture.run(directory: directory) { daemon in
            let subscriber = try await Subscriber(daemon, request)
            try await subscriber.gather()
            lost = try await add("tree/lost", daemon, subscriber)
            try directory.copyState(to: "killed")
            await subscriber.close()
        }
        let files = PersistentFiles(stateDirectory: directory.path + "/killed")
        try damage(files.path(try #require(files.list().segments.last?.name)), at: 8)
        #expect(unlink(directory.path + "/tree/lost") == 0)
        let tree = try ContainerConfiguration(identifier: "tree", path: directory.path + "/tree", origin: .argument)
        #expect(StateRecovery.load(files, [tree], boot: PersistentStore.currentBoot).notes.count == 1)
        try await DaemonFixture.run(directory: directory, state: "killed") { daemon in
            let subscriber = try await Subscriber(daemon, request)
            try await subscriber.gather()
            let other = try await add("tree/other", daemon, subscriber)
            #expect(other != lost)
            await subscriber.close()
        }
        #expect(directory.exists("killed/saved/journal.damaged"))
    }
}
