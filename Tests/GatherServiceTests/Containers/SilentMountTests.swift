// A mount whose server does not answer, in a container of a daemon.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import TestSupport
import Testing

@testable import GatherService

@Suite(.needsRoot("a file system of FUSE", if: FuseServer.isAvailable))
struct SilentMountTests {
    private func state(
        _ daemon: DaemonFixture, _ identifier: String
    ) async throws -> (ContainerState, String?) {
        let list = try await daemon.call(ContainerInterface.List.self, .init())
        let container = try #require(list.containers.first { $0.identifier == identifier })
        return (container.state, container.reason)
    }

    @Test(arguments: [false, true]) func queriesAndStatusGoOnBesideASilentMount(isSystem: Bool) async throws {
        let directory = try TemporaryDirectory()
        for name in ["tree", "tree/mount", "tree/d", "other"] { try directory.makeDirectory(name) }
        try directory.write("", to: "tree/d/f")
        let server = try FuseServer(on: directory.path + "/tree/mount", isSilent: true)
        defer { server.end() }
        let containers = [
            "tree": directory.path + "/tree", "other": directory.path + "/other",
            "on": directory.path + "/tree/mount",
        ]
        try await DaemonFixture.run(containers: containers, directory: directory, isSystem: isSystem) { daemon in
            #expect(try await daemon.find("", scopes: [daemon.tree]) == ["d", "d/f", "mount"])
            let (state, reason) = try await state(daemon, "tree")
            #expect(state == .degraded)
            #expect(reason?.contains("\(daemon.tree)/mount (fuse.test) does not answer") == true)
            #expect(try await self.state(daemon, "on").0 == .unavailable)
            #expect(try await self.state(daemon, "other").0 == .live)
            _ = try await daemon.call(ServiceInterface.Status.self, .init())

            let subscriber = try await Subscriber(daemon, .init(predicate: "name == 'new'"))
            try await subscriber.gather()
            try directory.write("", to: "tree/d/new")
            try await subscriber.next()
            #expect(subscriber.items.count == 1)
            await subscriber.close()

            try server.answer()
            while try await self.state(daemon, "tree").0 != .live { await Task.yield() }
            while try await daemon.find("name == 'inside'").isEmpty { await Task.yield() }
        }
    }
}
