// File systems mounted within a container, as callers and subscribers are told of them.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import GatherProtocol
import Glibc
import LinuxSystem
import TestSupport
import Testing
import Varlink

@testable import GatherService

struct MountTests {
    /// Unmounts an unused file system. The daemon lets go of directories that it has looked at when it rests, and a program that
    /// another test starts has them too until it is begun.
    private static func unmount(_ point: String, _ daemon: DaemonFixture) async throws {
        let patience = Patience()
        while umount2(point, 0) != 0 {
            try #require(errno == EBUSY && !patience.isOver, "\(point) is kept")
            try await daemon.flush()
        }
    }

    @Test(.needsRoot("mounts", if: TemporaryDirectory.canMount)) func itemsBelowAMountPointLeaveAndComeBack()
        async throws
    {
        try await DaemonFixture.run { daemon in
            try daemon.directory.makeDirectory("tree/d")
            try daemon.directory.write("", to: "tree/d/inside")
            let subscriber = try await Subscriber(daemon, .init(predicate: "kind == 'file'"))
            try await subscriber.gather()
            #expect(subscriber.items.count == 1)
            let point = daemon.tree + "/d"
            defer { umount2(point, CInt(MNT_DETACH)) }
            #expect(mount("none", point, "tmpfs", 0, nil) == 0)
            // At once: the question itself asks the kernel for mounts.
            #expect(try await daemon.find("") == ["d"])
            try await subscriber.next()
            #expect(subscriber.items.isEmpty)
            #expect(umount2(point, CInt(MNT_DETACH)) == 0)
            #expect(try await daemon.find("") == ["d", "d/inside"])
            try await subscriber.next()
            #expect(subscriber.items.count == 1)
            // No call asks, so it is the thread that tells.
            #expect(mount("none", point, "tmpfs", 0, nil) == 0)
            try await subscriber.next()
            #expect(subscriber.items.isEmpty)
            #expect(subscriber.violations.isEmpty)
            await subscriber.close()
        }
    }

    /// The thread that hears of mounts waits to be armed again, so news that comes before there is an engine is not lost.
    @Test(.needsRoot("mounts", if: TemporaryDirectory.canMount)) func aMountDuringTheStartIsHeardOf()
        async throws
    {
        let directory = try TemporaryDirectory()
        for name in ["tree", "tree/d", "other"] { try directory.makeDirectory(name) }
        try directory.write("", to: "tree/d/inside")
        let other = directory.path + "/other"
        defer { umount2(other, CInt(MNT_DETACH)) }
        let watchMounts: DaemonOptions.WatchMounts = { wake throws(SystemError) in
            let told = DispatchSemaphore(value: 0)
            let watch = try MountWatch {
                wake()
                told.signal()
            }
            #expect(mount("none", other, "tmpfs", 0, nil) == 0)
            told.wait()
            return watch
        }
        try await DaemonFixture.run(directory: directory, adjust: { $0.watchMounts = watchMounts }) { daemon in
            let subscriber = try await Subscriber(daemon, .init(predicate: "kind == 'file'"))
            try await subscriber.gather()
            #expect(subscriber.items.count == 1)
            let point = daemon.tree + "/d"
            defer { umount2(point, CInt(MNT_DETACH)) }
            #expect(mount("none", point, "tmpfs", 0, nil) == 0)
            try await subscriber.next()
            #expect(subscriber.items.isEmpty)
            await subscriber.close()
        }
    }

    /// A container within another is one of its own while something is mounted there: at a start that may come later, and
    /// the daemon serves what there is.
    @Test(.needsRoot("mounts", if: TemporaryDirectory.canMount), arguments: ["in", "in/below"])
    func aContainerWithinAnotherWaitsForItsFileSystem(place: String) async throws {
        let directory = try TemporaryDirectory()
        for name in ["tree", "tree/in", "tree/in/below", "store", "store/below"] { try directory.makeDirectory(name) }
        for name in ["f", "below/f"] { try directory.write("", to: "store/" + name) }
        let (store, point) = (directory.path + "/store", directory.path + "/tree/in")
        defer { umount2(point, CInt(MNT_DETACH)) }
        let containers = ["a-inner": directory.path + "/tree/" + place, "outer": directory.path + "/tree"]
        let inner = place == "in" ? ["in/below", "in/below/f", "in/f"] : ["in/below/f"]
        var identifiers: [String: String] = [:]
        func state(_ daemon: DaemonFixture) async throws -> (name: String, reason: String?) {
            let list = try await daemon.call(ContainerInterface.List.self, .init()).containers
            #expect(list.map(\.identifier) == ["a-inner", "outer"])
            return (list[0].state.rawValue, list[0].reason)
        }
        for round in 0..<2 {
            try await DaemonFixture.run(containers: containers, directory: directory) { daemon in
                let without = try await daemon.find("")
                #expect(without == ["in", "in/below"])
                let waiting = try await state(daemon)
                #expect(waiting.name == "unavailable")
                #expect(waiting.reason?.contains("'outer'") == true)
                #expect(mount(store, point, nil, UInt(MS_BIND), nil) == 0)
                let with = try await daemon.call(
                    QueryInterface.Find.self, .init(predicate: "", attributes: ["path"]))
                var found: [String: String] = [:]
                for item in with.items { found[String((item.path ?? "").dropFirst(daemon.tree.count + 1))] = item.id }
                #expect(found.keys.sorted() == ["in"] + inner)
                let own = found.filter { $0.key != "in" }
                if round == 0 { identifiers = own } else { #expect(own == identifiers) }
                let first = try await state(daemon)
                #expect(first.name == "live")
                while try await daemon.call(ServiceInterface.Status.self, .init()).snapshotTime == nil {
                    await Task.yield()
                }
                try await Self.unmount(point, daemon)
                let after = try await daemon.find("")
                #expect(after == ["in", "in/below"])
                let second = try await state(daemon)
                #expect(second.reason?.contains("'outer'") == true)
            }
        }
    }

    /// A container whose file system is not mounted says so when it is to be compared, with the command that takes the directory
    /// itself.
    @Test(.needsRoot("mounts", if: TemporaryDirectory.canMount)) func theDirectoryBeneathCanBeHad() async throws {
        let directory = try TemporaryDirectory()
        let tree = directory.path + "/tree"
        try directory.makeDirectory("tree")
        defer { umount2(tree, CInt(MNT_DETACH)) }
        try await DaemonFixture.run(directory: directory) { daemon in
            func rescan() async throws {
                _ = try await daemon.call(ContainerInterface.Rescan.self, .init(identifier: "tree"))
            }
            #expect(try await daemon.find("") == [])
            #expect(mount("none", tree, "tmpfs", 0, nil) == 0)
            try await rescan()
            #expect(umount2(tree, CInt(MNT_DETACH)) == 0)
            try directory.write("", to: "tree/beneath")
            let reason = "its file system is not mounted; 'gather container accept tree' takes the directory itself"
            do {
                try await rescan()
                Issue.record("an unavailable container was compared")
            } catch VarlinkClientError.error(let error) {
                #expect(ContainerError(error) == .containerUnavailable(identifier: "tree", message: reason))
            }
            let state = try await daemon.call(ContainerInterface.Get.self, .init(identifier: "tree")).container
            #expect(state.state == .unavailable && state.reason == reason)
            _ = try await daemon.call(ContainerInterface.Accept.self, .init(identifier: "tree"))
            #expect(try await daemon.find("") == ["beneath"])
        }
        // It is no mount point from then on.
        try await DaemonFixture.run(directory: directory) { daemon in
            let found = try await daemon.find("")
            #expect(found == ["beneath"])
        }
    }

    @Test func twoContainersOfOneDirectoryAreOne() async throws {
        let directory = try TemporaryDirectory()
        try directory.makeDirectory("tree")
        #expect(symlink("tree", directory.path + "/link") == 0)
        let both = ["one": directory.path + "/tree", "two": directory.path + "/link"]
        try await DaemonFixture.run(containers: both, directory: directory) { daemon in
            let list = try await daemon.call(ContainerInterface.List.self, .init()).containers
            #expect(list.count == 1)
        }
    }

    /// The other one goes, and its entry is a directory like any.
    @Test func theOuterContainerIsRemoved() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("", to: "gatherd.toml")
        try directory.write("", to: "tree/in/f")
        try directory.write("path = \"\(directory.path)/tree\"\n", to: "containers.d/outer.toml")
        try directory.write("path = \"\(directory.path)/tree/in\"\n", to: "containers.d/inner.toml")
        try await DaemonFixture.run(containers: [:], directory: directory) { daemon in
            let all = try await daemon.find("")
            #expect(all == ["in", "in/f"])
            #expect(unlink(directory.path + "/containers.d/outer.toml") == 0)
            _ = try await daemon.call(ServiceInterface.Reload.self, .init())
            let own = try await daemon.find("")
            #expect(own == ["in/f"])
        }
    }

    /// A daemon that starts before the file system is there does not take the empty directory for its contents.
    @Test(.needsRoot("mounts", if: TemporaryDirectory.canMount)) func notMountedAtARestart() async throws {
        let directory = try TemporaryDirectory()
        for name in ["tree", "store"] { try directory.makeDirectory(name) }
        try directory.write("", to: "store/f")
        let (store, tree) = (directory.path + "/store", directory.path + "/tree")
        defer { umount2(tree, CInt(MNT_DETACH)) }
        let request = QueryInterface.Find.Request(predicate: "", attributes: ["path"])
        #expect(mount(store, tree, nil, UInt(MS_BIND), nil) == 0)
        var identifier: String?
        try await DaemonFixture.run(directory: directory) { daemon in
            identifier = try await daemon.call(QueryInterface.Find.self, request).items.first?.id
        }
        #expect(identifier != nil)
        #expect(umount2(tree, CInt(MNT_DETACH)) == 0)
        try await DaemonFixture.run(directory: directory) { daemon in
            let without = try await daemon.call(QueryInterface.Find.self, request)
            #expect(without.items.isEmpty)
            #expect(mount(store, tree, nil, UInt(MS_BIND), nil) == 0)
            let with = try await daemon.call(QueryInterface.Find.self, request)
            #expect(with.items.map(\.id) == [identifier])
        }
    }
}
