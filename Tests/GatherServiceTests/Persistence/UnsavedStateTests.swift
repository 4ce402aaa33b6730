// A state that cannot be saved is told, is saved again as soon as it can be, and never feeds itself.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Glibc
import Logging
import NIOCore
import TestSupport
import Testing
import Varlink

@testable import GatherService

struct UnsavedStateTests {
    private func status(_ daemon: DaemonFixture) async throws -> ServiceInterface.Status.Reply {
        try await daemon.call(ServiceInterface.Status.self, .init())
    }

    /// Asks until it is so: each question is an iteration of the loop.
    private func until(
        _ daemon: DaemonFixture, _ condition: (ServiceInterface.Status.Reply) -> Bool
    ) async throws -> ServiceInterface.Status.Reply {
        while true {
            let reply = try await status(daemon)
            if condition(reply) { return reply }
            await Task.yield()
        }
    }

    @Test(.needsRoot("mounts", if: TemporaryDirectory.canMount))
    func aFullDiskIsToldUntilThereIsRoom() async throws {
        let directory = try TemporaryDirectory()
        for name in ["tree", "state"] { try directory.makeDirectory(name) }
        let disk = directory.path + "/state"
        try #require(TemporaryDirectory.run("/bin/mount", "-t", "tmpfs", "-o", "size=1m", "none", disk) == 0)
        defer { TemporaryDirectory.run("/bin/umount", "-l", disk) }
        var limits = ServiceLimits()
        limits.saveAgainAfter = .milliseconds(10)
        let log = LogRecorder(.notice)
        try await DaemonFixture.run(directory: directory, limits: limits, log: log) { daemon in
            let well = try await until(daemon) { $0.snapshotTime != nil }
            #expect(well.savingError == nil && well.unsavedSince == nil)
            try directory.write(String(repeating: "x", count: 1 << 20), toWhatFits: "state/filler")
            // The journal's last page has room for some of them.
            for number in 0..<100 { try directory.write("", to: "tree/a file with a long name \(number)") }
            try await daemon.flush()
            let full = try await until(daemon) { $0.savingError != nil }
            #expect(full.savingError == "\(disk)/saved: No space left on device")
            let since = try #require(full.unsavedSince)
            // A later attempt fails too, and the time stays that of the first.
            let later = try await status(daemon)
            #expect(later.unsavedSince == since)
            unlink(disk + "/filler")
            _ = try await until(daemon) { $0.savingError == nil && $0.unsavedSince == nil }
        }
        #expect(log.all("state-unsaved").count == 1, "\(log.all)")
        #expect(log.all.contains("the state is saved again, so a restart continues from it"))
        try await DaemonFixture.run(directory: directory) { daemon in
            let found = try await daemon.find("", sync: false)
            #expect(found.count == 100)
        }
    }

    @Test func aStateDirectoryThatWasRemovedIsMadeAgain() async throws {
        let directory = try TemporaryDirectory()
        for name in ["tree", "added"] { try directory.makeDirectory(name) }
        var limits = ServiceLimits()
        limits.saveAgainAfter = .milliseconds(10)
        let log = LogRecorder(.notice)
        try await DaemonFixture.run(directory: directory, limits: limits, log: log) { daemon in
            _ = try await daemon.call(
                ContainerInterface.Add.self, .init(identifier: "added", path: directory.path + "/added"))
            _ = try await until(daemon) { $0.snapshotTime != nil }
            TemporaryDirectory.run("/bin/rm", "-rf", "--", directory.path + "/state")
            try directory.write("", to: "tree/x")
            try await daemon.flush()
            for await line in log.stream where line.contains("changes cannot be saved") { break }
            for await line in log.stream where line.contains("the state is saved again") { break }
            _ = try await until(daemon) { $0.savingError == nil }
            for name in ["lock", "containers.toml", "saved/index-tree"] {
                #expect(directory.exists("state/" + name), "\(name)")
            }
        }
        // All of it is of use, and the container that was added at run time is there.
        try await DaemonFixture.run(directory: directory) { daemon in
            let found = try await daemon.find("", sync: false)
            #expect(found.contains("x"))
            let listed = try await daemon.call(ContainerInterface.List.self, .init())
            #expect(listed.containers.map(\.identifier) == ["added", "tree"])
        }
    }

    @Test func aStateDirectoryMadeAgainIsLocked() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/state"
        let state = try StateDirectory(path: path)
        TemporaryDirectory.run("/bin/rm", "-rf", "--", path)
        try state.renew()
        #expect(throws: StateDirectory.Obstacle.self) { _ = try StateDirectory(path: path) }
        try state.renew()
    }

    // MARK: The daemon's own directory

    @Test(arguments: ["state/saved", "state/saved/below", "link"])
    func aContainerInTheSavedStateIsLeftOut(path: String) async throws {
        let directory = try TemporaryDirectory()
        for name in ["tree", "state", "state/saved", "state/saved/below"] { try directory.makeDirectory(name) }
        try #require(symlink(directory.path + "/state/saved", directory.path + "/link") == 0)
        let log = LogRecorder()
        try await DaemonFixture.run(
            containers: ["tree": directory.path + "/tree", "own": directory.path + "/" + path], directory: directory,
            log: log
        ) { daemon in
            let listed = try await daemon.call(ContainerInterface.List.self, .init())
            #expect(listed.containers.map(\.identifier) == ["tree"])
            #expect(log.all.count { $0.hasPrefix("container 'own' is left out: ") } == 1, "\(log.all)")
            do {
                _ = try await daemon.call(
                    ContainerInterface.Add.self, .init(identifier: "more", path: directory.path + "/" + path))
                Issue.record("it was added")
            } catch {
                #expect("\(error)".contains("where gatherd saves its own state"), "\(error)")
            }
        }
    }

    // By another path it is the same directory.
    @Test(.needsRoot("mounts", if: TemporaryDirectory.canMount))
    func theSavedStateMountedElsewhereIsNoContainer() async throws {
        let directory = try TemporaryDirectory()
        for name in ["state", "state/saved", "elsewhere"] { try directory.makeDirectory(name) }
        let place = directory.path + "/elsewhere"
        try #require(TemporaryDirectory.run("/bin/mount", "--bind", directory.path + "/state/saved", place) == 0)
        defer { TemporaryDirectory.run("/bin/umount", "-l", place) }
        try await DaemonFixture.run(containers: ["own": place], directory: directory) { daemon in
            try await daemon.flush()
            let own = try await daemon.call(ContainerInterface.Get.self, .init(identifier: "own"))
            #expect(own.container.state == .unavailable, "\(own)")
            #expect(own.container.items == 0)
        }
    }

    @Test func savedStateWithinAContainerIsNotRead() async throws {
        let directory = try TemporaryDirectory()
        try directory.makeDirectory("tree")
        var limits = ServiceLimits()
        limits.saveAgainAfter = .milliseconds(10)
        try await DaemonFixture.run(directory: directory, state: "tree/state", limits: limits) { daemon in
            _ = try await until(daemon) { $0.snapshotTime != nil }
            let before = try await daemon.find("path CONTAINS '/saved/'")
            #expect(before.isEmpty)
            // The directory is another one after this, and is not read either.
            TemporaryDirectory.run("/bin/rm", "-rf", "--", directory.path + "/tree/state")
            try await daemon.flush()
            while !directory.exists("tree/state/saved/index-tree") { try await daemon.flush() }
            _ = try await until(daemon) { $0.savingError == nil }
            let after = try await daemon.find("path CONTAINS '/saved/'")
            #expect(after.isEmpty)
        }
    }

    // MARK: Times

    @Test(.needsRoot("mounts", if: TemporaryDirectory.canMount))
    func timesOutOfRangeSortAtTheEnds() async throws {
        let directory = try TemporaryDirectory()
        try directory.makeDirectory("tree")
        // tmpfs keeps 64 bits of seconds.
        let tree = directory.path + "/tree"
        try #require(TemporaryDirectory.run("/bin/mount", "-t", "tmpfs", "none", tree) == 0)
        defer { TemporaryDirectory.run("/bin/umount", "-l", tree) }
        let years = ["a": -62_135_596_800, "b": 0, "c": 1_795_602_082, "d": 32_503_680_000]
        for (name, seconds) in years {
            try directory.write("", to: "tree/" + name)
            let times = [timespec](repeating: timespec(tv_sec: seconds, tv_nsec: 7), count: 2)
            try #require(utimensat(AT_FDCWD, tree + "/" + name, times, 0) == 0)
        }
        try await DaemonFixture.run(directory: directory) { daemon in
            try await daemon.flush()
            for (isAscending, names) in [(true, ["a", "b", "c", "d"]), (false, ["d", "c", "b", "a"])] {
                let reply = try await daemon.call(
                    QueryInterface.Find.self,
                    .init(
                        predicate: "", attributes: ["name", "modified"],
                        sort: [SortKeyMessage(attribute: "modified", ascending: isAscending)]))
                #expect(reply.items.compactMap(\.name) == names)
                #expect(reply.items.allSatisfy { $0.modified != nil })
            }
            let old = try await daemon.find("modified < CAST('1970-01-01T00:00:00Z', 'NSDate')")
            #expect(old == ["a"])
            let new = try await daemon.find("modified > CAST('2200-01-01T00:00:00Z', 'NSDate')")
            #expect(new == ["d"])
        }
    }
}

extension TemporaryDirectory {
    /// Writes as much of a text as there is room for.
    fileprivate func write(_ text: String, toWhatFits name: String) throws {
        let file = open(path + "/" + name, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        try #require(file >= 0)
        defer { close(file) }
        let bytes = Array(text.utf8)
        while Glibc.write(file, bytes, bytes.count) > 0 {}
    }
}
