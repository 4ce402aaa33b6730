// What is mounted within a container, as those who ask and those who watch are told of it.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Glibc
import Testing

@testable import GatherService

@Suite(.timeLimit(.minutes(2))) struct MountTests {
    /// Whether this process may mount, tried once.
    private static let isAllowed: Bool = {
        guard let directory = try? TemporaryDirectory(), mount("none", directory.path, "tmpfs", 0, nil) == 0 else {
            return false
        }
        umount2(directory.path, 0)
        return true
    }()

    @Test(.enabled(if: isAllowed)) func whatLiesBelowLeavesAndComesBack() async throws {
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
            // Nobody asks, so it is the thread that tells.
            #expect(mount("none", point, "tmpfs", 0, nil) == 0)
            try await subscriber.next()
            #expect(subscriber.items.isEmpty)
            #expect(subscriber.violations.isEmpty)
            await subscriber.close()
        }
    }

    /// A daemon that starts before the file system is there does not take the empty directory for its contents.
    @Test(.enabled(if: isAllowed)) func notMountedAtARestart() async throws {
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
