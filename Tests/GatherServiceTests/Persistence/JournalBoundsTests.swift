// The journal takes no more of a disk than it may, whatever happened to it.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Glibc
import LinuxSystem
import Logging
import NIOCore
import NIOPosix
import Synchronization
import TestSupport
import Testing

@testable import GatherService

struct JournalBoundsTests {
    private static let everything = QueryInterface.Watch.Request(predicate: "", attributes: ["path"])

    private func segments(_ directory: TemporaryDirectory) -> [String] {
        ((try? Directory.names(in: directory.path + "/state/saved")) ?? []).filter { $0.hasPrefix("journal-") }
    }

    private func snapshotTime(_ daemon: DaemonFixture) async throws -> String? {
        try await daemon.call(ServiceInterface.Status.self, .init()).snapshotTime
    }

    /// Gives the daemon iterations until something is so; false where it never is. To save something takes as long as the disk and
    /// other tests want, however many iterations that is.
    private func becomes(_ daemon: DaemonFixture, _ condition: () async throws -> Bool) async throws -> Bool {
        let patience = Patience()
        while !patience.isOver {
            if try await condition() { return true }
            try await daemon.flush()
        }
        return false
    }

    /// Whether something becomes so within as many iterations as it would take.
    private func becomesSoon(_ daemon: DaemonFixture, _ condition: () async throws -> Bool) async throws -> Bool {
        for _ in 0..<300 {
            if try await condition() { return true }
            try await daemon.flush()
        }
        return false
    }

    /// Makes a directory of so many files. Its moves are saved when a tenth of the interval is over: no minute of a busy
    /// machine is to be enough.
    private func fill(_ directory: TemporaryDirectory, files: Int) throws {
        try directory.write("snapshot-interval = \"10h\"\n", to: "gatherd.toml")
        try directory.makeDirectory("tree/dir")
        for number in 0..<files { try directory.write("", to: "tree/dir/file\(number)") }
    }

    /// Moves a directory out by one set of changes, and back: its absence must have been seen, else it only moved.
    private func moveOutAndIn(_ daemon: DaemonFixture) async throws {
        let (inside, outside) = (daemon.tree + "/dir", daemon.directory.path + "/dir")
        let count = try await daemon.find("").count
        #expect(rename(inside, outside) == 0)
        let isOut = try await becomes(daemon) { try await daemon.find("").isEmpty }
        #expect(isOut)
        #expect(rename(outside, inside) == 0)
        let isBack = try await becomes(daemon) { try await daemon.find("").count == count }
        #expect(isBack)
    }

    /// The items of a live query of everything, and the clock that it was told last.
    private typealias Held = (items: [String: String], clock: String?)

    private func hold(_ daemon: DaemonFixture) async throws -> Held {
        let subscriber = try await Subscriber(daemon, Self.everything)
        try await subscriber.gather()
        await subscriber.close()
        return (subscriber.items, subscriber.lastClock)
    }

    /// Goes back to a clock: the difference is told, or all of it anew, and then it holds so many.
    private func goBack(
        _ daemon: DaemonFixture, to held: Held, isFresh: Bool, count: Int,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        var request = Self.everything
        request.since = held.clock
        let back = try await Subscriber(daemon, request, holding: held.items)
        let told = try await back.next().fresh == true
        #expect(told == isFresh, sourceLocation: sourceLocation)
        try await back.gather()
        #expect(back.violations == [], sourceLocation: sourceLocation)
        #expect(back.items.count == count, sourceLocation: sourceLocation)
        await back.close()
    }

    @Test func `Segments of a suspended journal are removed, beside a container that was never there`() async throws {
        let directory = try TemporaryDirectory()
        try directory.makeDirectory("tree")
        try fill(directory, files: 300)
        var limits = ServiceLimits()
        (limits.largestJournal, limits.journalBytes, limits.segmentBytes) = (16 << 10, 1 << 10, 4 << 10)
        limits.saveAgainAfter = .milliseconds(5)
        let containers = ["tree": directory.path + "/tree", "absent": directory.path + "/absent"]
        try await DaemonFixture.run(containers: containers, directory: directory, limits: limits) { daemon in
            for _ in 0..<6 { try await moveOutAndIn(daemon) }
            let isPruned = try await becomes(daemon) {
                let there = segments(directory)
                return there.count <= 3 && !there.contains { $0.hasSuffix(".cut") }
            }
            #expect(isPruned, "\(segments(directory))")
        }
        try await DaemonFixture.run(containers: containers, directory: directory, limits: limits) { daemon in
            let found = try await daemon.find("")
            #expect(found.count == 301)
        }
    }

    @Test func `Segments that lead nowhere go with the next save`() async throws {
        let directory = try TemporaryDirectory()
        try directory.makeDirectory("tree")
        var limits = ServiceLimits()
        limits.segmentBytes = 100
        try await DaemonFixture.run(directory: directory, limits: limits) { daemon in
            _ = try await becomes(daemon) { try await snapshotTime(daemon) != nil }
            for number in 0..<20 {
                try directory.write("", to: "tree/file\(number)")
                try await daemon.flush()
            }
        }
        let all = segments(directory)
        #expect(all.count > 20)
        #expect(unlink(directory.path + "/state/saved/" + all[12]) == 0)
        limits.journalBytes = 100
        try await DaemonFixture.run(directory: directory, limits: limits) { daemon in
            let isPruned = try await becomes(daemon) { segments(directory).allSatisfy { $0 > all[12] } }
            #expect(isPruned, "\(segments(directory))")
            let found = try await daemon.find("")
            #expect(found.count == 20)
        }
    }

    /// Which file is there, where each is written anew. When two are written after each other, the second may have the number of
    /// the one before them.
    private func whichFile(_ path: String) -> [Int] {
        var status = stat()
        #expect(stat(path, &status) == 0)
        return [Int(status.st_ino), status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
    }

    @Test func `The word that an index lies behind stays as long as that index is not saved`() async throws {
        let directory = try TemporaryDirectory()
        try directory.makeDirectory("tree")
        try directory.makeDirectory("second")
        try fill(directory, files: 50)
        var limits = ServiceLimits()
        (limits.largestSet, limits.journalBytes, limits.segmentBytes) = (10, 2_000, 500)
        let containers = ["tree": directory.path + "/tree", "second": directory.path + "/second"]
        var held: Held = ([:], nil)
        func secondIndex() -> [Int] { whichFile(directory.path + "/state/saved/index-second") }
        try await DaemonFixture.run(containers: containers, directory: directory, limits: limits) { daemon in
            let isSaved = try await becomes(daemon) { try await snapshotTime(daemon) != nil }
            #expect(isSaved)
            try await moveOutAndIn(daemon)
            // The other fills the journal, and is saved for it; when it is saved again the first time is over.
            for round in 0..<3 {
                let before = secondIndex()
                for number in 0..<40 {
                    try directory.write("", to: "second/file\(round)-\(number)")
                    if number % 5 == 0 { try await daemon.flush() }
                }
                let isAgain = try await becomes(daemon) { secondIndex() != before }
                #expect(isAgain)
            }
            held = try await hold(daemon)
            try directory.copyState(to: "killed")
        }
        try await DaemonFixture.run(
            containers: containers, directory: directory, state: "killed", limits: limits
        ) { daemon in
            try await goBack(daemon, to: held, isFresh: true, count: 51 + 120)
        }
    }

    /// The journal leads nowhere from where it stands.
    @Test func `An index that lies behind is saved as soon as it was compared`() async throws {
        let directory = try TemporaryDirectory()
        try directory.makeDirectory("tree")
        try fill(directory, files: 50)
        var limits = ServiceLimits()
        limits.largestSet = 10
        try await DaemonFixture.run(directory: directory, limits: limits) { daemon in
            let isSaved = try await becomes(daemon) { try await snapshotTime(daemon) != nil }
            #expect(isSaved)
            try await moveOutAndIn(daemon)
            try directory.copyState(to: "killed")
        }
        var held: Held = ([:], nil)
        func savedIndex() -> [Int] { whichFile(directory.path + "/killed/saved/index-tree") }
        let before = savedIndex()
        try await DaemonFixture.run(directory: directory, state: "killed", limits: limits) { daemon in
            held = try await hold(daemon)
            let isAgain = try await becomes(daemon) { savedIndex() != before }
            #expect(isAgain)
        }
        try await DaemonFixture.run(directory: directory, state: "killed", limits: limits) { daemon in
            try await goBack(daemon, to: held, isFresh: false, count: 51)
        }
    }

    @Test func `At the end what waits is saved behind what is being saved`() async throws {
        let directory = try TemporaryDirectory()
        for name in ["tree", "second"] { try directory.makeDirectory(name) }
        try fill(directory, files: 50)
        var limits = ServiceLimits()
        (limits.largestSet, limits.journalBytes) = (10, 2_000)
        let containers = ["tree": directory.path + "/tree", "second": directory.path + "/second"]
        var held: Held = ([:], nil)
        var ended: Task<Void, any Error>?
        let disk = HeldDisk()
        try await DaemonFixture.run(
            containers: containers, directory: directory, limits: limits,
            adjust: { $0.forceToDisk = { (file) throws(SystemError) in try disk.force(file) } }
        ) { daemon in
            defer { if ended == nil { disk.release() } }
            let isSaved = try await becomes(daemon) { try await snapshotTime(daemon) != nil }
            #expect(isSaved)
            try await moveOutAndIn(daemon)
            // Saving the other waits for the disk.
            disk.hold()
            let before = segments(directory).count
            for number in 0..<60 {
                try directory.write("", to: "second/file\(number)")
                if number % 5 == 0 { try await daemon.flush() }
            }
            let isSaving = try await becomes(daemon) { segments(directory).count > before }
            #expect(isSaving)
            held = try await hold(daemon)
            let there = segments(directory).count
            ended = Task.detached {
                // The next segment begins with what is saved at the end.
                for _ in 0..<50_000 where segments(directory).count == there { await Task.yield() }
                disk.release()
            }
        }
        try await ended?.value
        try await DaemonFixture.run(containers: containers, directory: directory, limits: limits) { daemon in
            try await goBack(daemon, to: held, isFresh: false, count: 51 + 60)
        }
    }

    @Test func `Where the first segment of a run cannot be begun nothing leads on from the one before`() async throws {
        let directory = try TemporaryDirectory()
        let names = [6, 7].map { PersistentFiles.journalName($0) }
        try directory.write("", to: "saved/" + names[0])
        // As little to be written as on a full disk.
        try directory.makeDirectory("saved/" + names[1])
        let files = PersistentFiles(stateDirectory: directory.path)
        let loop = NIOSingletons.posixEventLoopGroup.any()
        // The disk's content when it is forced to write: the mark, before anything is told.
        let forced = Mutex<[Bool]>([])
        let isSuspended = try await loop.submit {
            var state = RecoveredState()
            state.segments = [RecoveredState.Segment(name: names[0], number: 6, byteCount: 0)]
            (state.nextSegment, state.isContinuation) = (7, true)
            let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
            let store = PersistentStore(
                files, state, boot: PersistentStore.currentBoot, loop: loop, logger: logger,
                forceToDisk: { _ in forced.withLock { $0 = files.list().segments.map(\.isCut) } })
            defer { store.abandon() }
            return store.isSuspended
        }.get()
        #expect(isSuspended)
        #expect(files.list().segments.map(\.isCut) == [true, false])
        #expect(forced.withLock { $0 } == [true, false])
    }

    @Test(.needsRoot("mounts", if: TemporaryDirectory.canMount))
    func `A segment that cannot be followed goes on`() async throws {
        let directory = try TemporaryDirectory()
        for name in ["tree", "state", "state/saved"] { try directory.makeDirectory(name) }
        let disk = directory.path + "/state/saved"
        try #require(
            TemporaryDirectory.run("/bin/mount", "-t", "tmpfs", "-o", "size=16m,nr_inodes=12", "none", disk) == 0)
        defer { TemporaryDirectory.run("/bin/umount", "-l", disk) }
        var limits = ServiceLimits()
        limits.segmentBytes = 100
        var held: Held = ([:], nil)
        try await DaemonFixture.run(directory: directory, limits: limits) { daemon in
            let subscriber = try await Subscriber(daemon, Self.everything)
            try await subscriber.gather()
            _ = try await becomes(daemon) { try await snapshotTime(daemon) != nil }
            held = (subscriber.items, subscriber.lastClock)
            for number in 0..<40 {
                try directory.write("", to: "tree/file\(number)")
                try await daemon.flush()
            }
            await subscriber.close()
            let there = segments(directory)
            #expect(there.count < 12)
            #expect(!there.contains { $0.hasSuffix(".cut") })
        }
        try await DaemonFixture.run(directory: directory, limits: limits) { daemon in
            try await goBack(daemon, to: held, isFresh: false, count: 40)
        }
    }

    @Test(arguments: [false, true])
    func `A directory that goes back and forth does not cost the whole index each time`(isOfBytes: Bool) async throws {
        let directory = try TemporaryDirectory()
        try directory.makeDirectory("tree")
        try fill(directory, files: 50)
        var limits = ServiceLimits()
        if isOfBytes { limits.largestRecord = 1_000 } else { limits.largestSet = 10 }
        var held: Held = ([:], nil)
        try await DaemonFixture.run(directory: directory, limits: limits) { daemon in
            let isSaved = try await becomes(daemon) { try await snapshotTime(daemon) != nil }
            #expect(isSaved)
            let first = try await snapshotTime(daemon)
            for _ in 0..<3 { try await moveOutAndIn(daemon) }
            let isAgain = try await becomesSoon(daemon) { try await snapshotTime(daemon) != first }
            #expect(!isAgain)
            held = try await hold(daemon)
            try directory.copyState(to: "killed")
        }
        try directory.write("", to: "tree/added")
        // The last updates are not in the state that a kill leaves behind, the very last clock included.
        try await DaemonFixture.run(directory: directory, state: "killed", limits: limits) { daemon in
            try await goBack(daemon, to: held, isFresh: true, count: 52)
        }
        // The end saves it all the same.
        try await DaemonFixture.run(directory: directory, limits: limits) { daemon in
            try await goBack(daemon, to: held, isFresh: false, count: 52)
        }
    }
}
