// Saved containers that are not used: a subscriber that holds their items has to hear that they are gone.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Glibc
import LinuxSystem
import Metadata
import MetadataIndex
import Testing

@testable import GatherService

struct ForgottenStateTests {
    private static let everything = QueryInterface.Watch.Request(predicate: "", attributes: ["path"])

    private struct Held {
        var items: [String: String] = [:]
        var clock: String?
    }

    /// Runs a daemon on these containers: a subscriber back with `held` has the items of `find` afterwards. The journal goes no
    /// further back than it must, unless it `isLong`, so it does not speak of what was told before an index was saved.
    @discardableResult
    private func run(
        _ containers: [String: String], _ directory: TemporaryDirectory, holding held: inout Held,
        isLong: Bool = false, _ body: (DaemonFixture) async throws -> Void = { _ in }
    ) async throws -> Bool {
        var isFresh = false
        var limits = ServiceLimits()
        if !isLong { limits.journalBytes = 0 }
        try await DaemonFixture.run(containers: containers, directory: directory, limits: limits) { daemon in
            var request = Self.everything
            request.since = held.clock
            let subscriber = try await Subscriber(daemon, request, holding: held.items)
            isFresh = try await subscriber.next().fresh == true
            try await subscriber.gather()
            #expect(subscriber.violations == [])
            let found = try await daemon.call(
                QueryInterface.Find.self, .init(predicate: "", attributes: ["path"], sync: false))
            #expect(subscriber.items.values.sorted() == found.items.compactMap(\.path).sorted())
            held = Held(items: subscriber.items, clock: subscriber.lastClock)
            await subscriber.close()
            try await body(daemon)
        }
        return isFresh
    }

    private func whenSaved(_ daemon: DaemonFixture) async throws {
        try await daemon.flush()
        while try await daemon.call(ServiceInterface.Status.self, .init()).snapshotTime == nil { await Task.yield() }
    }

    private func indexes(_ directory: TemporaryDirectory) -> [String] {
        ((try? Directory.names(in: directory.path + "/state/saved")) ?? []).filter { $0.hasPrefix("index") }
    }

    @Test func `A container of another configuration that is away costs the clocks`() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("", to: "tree/x")
        var held = Held()
        try await run(["tree": directory.path + "/tree"], directory, holding: &held) { try await whenSaved($0) }
        #expect(held.items.count == 1)
        let isFresh = try await run(["tree": directory.path + "/away"], directory, holding: &held)
        #expect(isFresh)
        #expect(held.items.isEmpty)
        // And the one after it goes on.
        let isFreshAgain = try await run(["tree": directory.path + "/away"], directory, holding: &held)
        #expect(!isFreshAgain)
    }

    /// A start that fails, for want of descriptors perhaps, has told no subscriber its findings.
    @Test(arguments: ["gone", "otherwise", "damaged"])
    func `A useless index stays until the journal says so`(why: String) async throws {
        let directory = try TemporaryDirectory()
        for name in ["tree/x", "second/y"] { try directory.write("", to: name) }
        let both = ["tree": directory.path + "/tree", "second": directory.path + "/second"]
        var held = Held()
        try await run(both, directory, holding: &held) { try await whenSaved($0) }
        let files = PersistentFiles(stateDirectory: directory.path + "/state")
        if why == "damaged" { #expect(truncate(files.path("index-second"), 100) == 0) }
        var containers = [
            try ContainerConfiguration(identifier: "tree", path: directory.path + "/tree", origin: .argument)
        ]
        if why != "gone" {
            containers.append(
                try ContainerConfiguration(
                    identifier: "second", path: directory.path + (why == "otherwise" ? "/away" : "/second"),
                    origin: .argument))
        }
        for _ in 0..<3 {
            let state = StateRecovery.load(files, containers, boot: PersistentStore.currentBoot)
            #expect(state.hasVanished)
            #expect(state.useless.map(\.name) == ["index-second"])
            #expect(indexes(directory) == ["index-second", "index-tree"])
        }
        var configured: [String: String] = [:]
        for container in containers { configured[container.identifier] = container.path }
        let isFresh = try await run(configured, directory, holding: &held)
        #expect(isFresh)
        let isFreshAgain = try await run(configured, directory, holding: &held)
        #expect(!isFreshAgain)
    }

    /// Power was lost when the removal was on the disk, and before the index had gone.
    @Test func `An index that outlived its container is not that of another one`() async throws {
        let directory = try TemporaryDirectory()
        for name in ["tree/x", "second/y"] { try directory.write("", to: name) }
        let (one, second) = (["tree": directory.path + "/tree"], ["second": directory.path + "/second"])
        let both = one.merging(second) { $1 }
        var held = Held()
        try await run(both, directory, holding: &held, isLong: true) { try await whenSaved($0) }
        let index = directory.path + "/state/saved/index-second"
        #expect(TemporaryDirectory.run("/bin/cp", "-a", index, directory.path + "/index") == 0)
        try await run(one, directory, holding: &held, isLong: true)
        #expect(indexes(directory) == ["index-tree"])
        #expect(TemporaryDirectory.run("/bin/cp", "-a", directory.path + "/index", index) == 0)
        // It came later than the clock that is held: its items are added, or the whole answer told anew.
        try await run(both, directory, holding: &held, isLong: true) { try await $0.flush() }
        try await run(both, directory, holding: &held, isLong: true)
        #expect(held.items.count == 2)
    }

    /// Each change is written there: were that a change again, there would be no end of it.
    @Test func `Where the state lies in a container it is not entered`() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("", to: "tree/x")
        var held = Held()
        for _ in 0..<2 {
            try await run(["all": directory.path], directory, holding: &held) { daemon in
                try directory.write("1", to: "tree/x")
                try await whenSaved(daemon)
                let found = try await daemon.call(
                    QueryInterface.Find.self,
                    .init(
                        predicate: "kind != 'socket' AND NOT name IN {'run', 'io.gatherd.lock'}", attributes: ["path"]))
                #expect(
                    found.items.compactMap(\.path).sorted()
                        == ["state", "state/lock", "state/saved", "tree", "tree/x"].map { directory.path + "/" + $0 })
            }
        }
    }

    @Test func `An identifier may end as the names of other files do`() async throws {
        let directory = try TemporaryDirectory()
        let identifiers = ["photos", "photos.new", "photos.damaged"]
        var containers: [String: String] = [:]
        for identifier in identifiers {
            try directory.write("", to: identifier + "/x")
            containers[identifier] = directory.path + "/" + identifier
        }
        var held = Held()
        try await run(containers, directory, holding: &held) { try await whenSaved($0) }
        #expect(held.items.count == 3)
        #expect(indexes(directory).count == 3)
        for _ in 0..<2 {
            let isFresh = try await run(containers, directory, holding: &held)
            #expect(!isFresh)
        }
        #expect(Set(identifiers.map(PersistentFiles.indexName)).count == 3)
    }

    /// Counters that go on from there would overflow.
    @Test func `Numbers that cannot be are damage`() throws {
        let configuration = try ContainerConfiguration(identifier: "tree", path: "/tree", origin: .argument)
        func description(_ sequence: UInt64, _ segment: UInt64) -> SnapshotDescription? {
            SnapshotDescription(
                SnapshotDescription(
                    sequence: sequence, segment: segment, time: .init(nanoseconds: 0), configuration: configuration
                ).bytes)
        }
        let largest = JournalFormat.largestNumber
        #expect(description(largest, largest) != nil)
        #expect(description(largest + 1, 1) == nil)
        #expect(description(1, .max) == nil)

        let directory = try TemporaryDirectory()
        let files = PersistentFiles(stateDirectory: directory.path + "/state")
        try files.makeDirectory()
        for number in [largest + 1, .max - 1, .max] {
            try directory.write("", to: "state/saved/" + PersistentFiles.journalName(number))
        }
        #expect(files.list().segments.isEmpty)
        // Under a name that can be, with a number that cannot.
        let header = JournalSegmentHeader(
            number: .max, run: 1, startSequence: 1, boot: .init(low: 0, high: 0), isContinuation: true)
        #expect(throws: RestoreError.malformed("a sequence")) {
            try header.bytes.withUnsafeBytes { bytes in _ = try JournalReader(bytes) }
        }
    }
}
