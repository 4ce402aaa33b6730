// The daemon goes on without resources that it is refused: it says so, and makes good for them.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import GatherProtocol
import LinuxSystem
import Synchronization
import Testing
import Varlink

@testable import GatherService

struct LackTests {
    private static let everything = QueryInterface.Watch.Request(predicate: "", attributes: ["path"])

    @Test func `That mounts cannot be watched is said once, and the rest goes on`() async throws {
        let log = LogRecorder()
        try await DaemonFixture.run(
            log: log,
            adjust: { $0.watchMounts = { _ throws(SystemError) in throw .tooManyDescriptors } }
        ) { daemon in
            try daemon.directory.write("", to: "tree/x")
            let found = try await daemon.find("")
            #expect(found == ["x"])
        }
        #expect(log.all.count { $0.contains("mounts cannot be watched") } == 1, "\(log.all)")
    }

    /// Fails as often as it is told to.
    private final class Disk: Sendable {
        private let failures = Mutex(0..<0)
        /// After so many times that it does not.
        func fail(_ count: Int, after before: Int = 0) { failures.withLock { $0 = before..<before + count } }
        func force(_ file: borrowing Descriptor) throws(SystemError) {
            let fails = failures.withLock { left in
                defer { left = max(0, left.lowerBound - 1)..<max(0, left.upperBound - 1) }
                return left.contains(0)
            }
            if fails { throw SystemError(code: 5) }
            try file.synchronize()
        }
    }

    /// Keeps whoever comes to it waiting until it is opened.
    private final class Gate: Sendable {
        /// The beginning of the journal and its directory, at the start.
        private let before = Mutex(2)
        private let isOpen = DispatchSemaphore(value: 0)
        private let hasWaited = AsyncStream<Void>.makeStream()
        func pass() {
            let isEarly = before.withLock { left in
                defer { left = max(0, left - 1) }
                return left > 0
            }
            if isEarly { return }
            hasWaited.continuation.yield()
            isOpen.wait()
            isOpen.signal()
        }
        func open() { isOpen.signal() }
        func someoneWaits() async { for await _ in hasWaited.stream { break } }
    }

    @Test func `While a disk does not answer, questions and live queries do`() async throws {
        let (directory, gate) = (try TemporaryDirectory(), Gate())
        try directory.write("", to: "tree/one")
        try await DaemonFixture.run(
            directory: directory,
            adjust: {
                $0.forceToDisk = { (file) throws(SystemError) in
                    gate.pass()
                    try file.synchronize()
                }
            }
        ) { daemon in
            defer { gate.open() }
            let subscriber = try await Subscriber(daemon, Self.everything)
            try await subscriber.gather()
            await gate.someoneWaits()
            for name in ["two", "three"] {
                try directory.write("", to: "tree/" + name)
                try await subscriber.next()
                #expect(subscriber.items.values.contains(daemon.tree + "/" + name))
                let found = try await daemon.find("name == '\(name)'")
                #expect(found == [name])
            }
            let saved = try await snapshots(daemon)
            #expect(saved == nil)
            await subscriber.close()
        }
        try await DaemonFixture.run(directory: directory) { daemon in
            let found = try await daemon.find("", sync: false)
            #expect(found == ["one", "three", "two"])
        }
    }

    private func snapshots(_ daemon: DaemonFixture) async throws -> String? {
        try await daemon.call(ServiceInterface.Status.self, .init()).snapshotTime
    }

    @Test func `Changes that are not forced to the disk are saved anew, and are known not to be there until then`()
        async throws
    {
        let directory = try TemporaryDirectory()
        for name in ["one", "two"] { try directory.write("", to: "tree/" + name) }
        let (disk, log) = (Disk(), LogRecorder())
        var (lost, kept): (String?, String?) = (nil, nil)
        try await DaemonFixture.run(
            directory: directory, log: log,
            adjust: { $0.forceToDisk = { (file) throws(SystemError) in try disk.force(file) } }
        ) { daemon in
            let subscriber = try await Subscriber(daemon, Self.everything)
            try await subscriber.gather()
            // Each question is an iteration of the loop.
            while try await snapshots(daemon) == nil { await Task.yield() }
            lost = subscriber.lastClock
            // Before anything fails: all may be saved anew by the time that this is told of it.
            let saved = try await snapshots(daemon)
            disk.fail(1)
            try directory.write("", to: "tree/three")
            try await daemon.flush()
            try await subscriber.next()
            for await line in log.stream where line.contains("changes cannot be saved") { break }
            while try await snapshots(daemon) == saved { await Task.yield() }
            try directory.write("", to: "tree/four")
            try await daemon.flush()
            try await subscriber.next()
            kept = subscriber.lastClock
            await subscriber.close()
        }
        #expect(log.all.count { $0.contains("changes cannot be saved") } == 1, "\(log.all)")
        try await DaemonFixture.run(directory: directory) { daemon in
            for (clock, isFresh) in [(lost, true), (kept, false)] {
                var request = Self.everything
                request.since = clock
                let back = try await Subscriber(daemon, request)
                #expect((try await back.next().fresh == true) == isFresh)
                try await back.gather()
                #expect(back.items.count == (isFresh ? 4 : 0))
                await back.close()
            }
            let found = try await daemon.find("")
            #expect(found.count == 4)
        }
    }

    // The segment, or its name.
    @Test(arguments: [0, 1])
    func `A beginning that is not forced to the disk is a write that failed, and all is saved anew`(
        before: Int
    ) async throws {
        let directory = try TemporaryDirectory()
        try directory.write("", to: "tree/one")
        let (disk, log) = (Disk(), LogRecorder())
        try await DaemonFixture.run(directory: directory) { daemon in
            try await daemon.flush()
            while try await snapshots(daemon) == nil { await Task.yield() }
        }
        disk.fail(1, after: before)
        var request = Self.everything
        try await DaemonFixture.run(
            directory: directory, log: log,
            adjust: { $0.forceToDisk = { (file) throws(SystemError) in try disk.force(file) } }
        ) { daemon in
            #expect(log.all.count { $0.contains("changes cannot be saved") } == 1, "\(log.all)")
            try directory.write("", to: "tree/two")
            let subscriber = try await Subscriber(daemon, Self.everything)
            try await subscriber.gather()
            while subscriber.items.count < 2 { try await subscriber.next() }
            request.since = subscriber.lastClock
            await subscriber.close()
        }
        #expect(log.all.count == 1, "\(log.all)")
        try await DaemonFixture.run(directory: directory) { daemon in
            let found = try await daemon.find("", sync: false)
            #expect(found == ["one", "two"])
            let back = try await Subscriber(daemon, request)
            #expect(try await back.next().fresh != true)
            try await back.gather()
            await back.close()
        }
    }

    @Test func `An end that is not forced to the disk is none that leads on`() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("", to: "tree/one")
        let (disk, log) = (Disk(), LogRecorder())
        try await DaemonFixture.run(
            directory: directory, log: log,
            adjust: { $0.forceToDisk = { (file) throws(SystemError) in try disk.force(file) } }
        ) { daemon in
            try await daemon.flush()
            while try await snapshots(daemon) == nil { await Task.yield() }
            disk.fail(100)
        }
        #expect(log.all.contains { $0.contains("the next start compares all containers") }, "\(log.all)")
        let files = PersistentFiles(stateDirectory: directory.path + "/state")
        #expect(files.list().segments.last?.isCut == true)
        try await DaemonFixture.run(directory: directory) { daemon in
            let found = try await daemon.find("")
            #expect(found == ["one"])
        }
    }
}
