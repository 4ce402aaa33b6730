// The containers that the daemon says a user may list, against its answers to this user.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Glibc
import TestSupport
import Testing
import Varlink

@testable import GatherService

struct ReadableByTests {
    private static let users = [
        OtherUser(user: 41_001, group: 42_001), OtherUser(user: 41_002, group: 42_002, groups: [42_001]),
    ]
    /// Modes of the directory above a container and of its own.
    private static let modes: [(above: mode_t, own: mode_t)] = [
        (0o755, 0o755), (0o755, 0o700), (0o755, 0o711), (0o700, 0o755), (0o711, 0o755), (0o755, 0o750), (0o755, 0o705),
    ]

    /// Runs a daemon of the system with a container for each pair of modes. As root, the containers have a group.
    private func run(isSystem: Bool = true, _ body: (DaemonFixture) async throws -> Void) async throws {
        let directory = try TemporaryDirectory()
        chmod(directory.path, 0o755)
        var containers: [String: String] = [:]
        for (number, mode) in Self.modes.enumerated() {
            let above = "\(directory.path)/above\(number)"
            containers["c\(number)"] = above + "/own"
            for path in [above, above + "/own"] { mkdir(path, 0o755) }
            if geteuid() == 0 { chown(above + "/own", 0, 42_001) }
            chmod(above + "/own", mode.own)
            chmod(above, mode.above)
        }
        try await DaemonFixture.run(containers: containers, directory: directory, isSystem: isSystem) { daemon in
            chmod(daemon.socket, 0o666)
            try await daemon.flush()
            try await body(daemon)
        }
    }

    private func readable(_ daemon: DaemonFixture, by user: OtherUser, as caller: OtherUser? = nil) async throws
        -> [String]
    {
        try await daemon.call(
            ContainerInterface.ReadableBy.self,
            .init(user: Int64(user.user), group: Int64(user.group), groups: user.groups.map(Int64.init)), as: caller
        ).identifiers
    }

    @Test func containersThatAUserMayNotListAreLeftOut() async throws {
        try await run { daemon in
            let member = try await readable(daemon, by: Self.users[0])
            // The last two have the user's group only as root.
            #expect(member.filter { $0 < "c5" } == ["c0", "c4"])
            for user in [0, geteuid()] {
                let all = try await readable(daemon, by: OtherUser(user: user, group: getegid()))
                #expect(all.count == Self.modes.count)
            }
        }
    }

    @Test func aSessionsDaemonHidesNothing() async throws {
        try await run(isSystem: false) { daemon in
            let all = try await readable(daemon, by: Self.users[0])
            #expect(all.count == Self.modes.count)
        }
    }

    @Test func numbersOutOfRangeAreRefused() async throws {
        try await run { daemon in
            for request in [
                ContainerInterface.ReadableBy.Request(user: -1, group: 0, groups: []),
                .init(user: 1 << 32, group: 0, groups: []), .init(user: 1, group: -1, groups: []),
                .init(user: 1, group: 1, groups: [1, 1 << 32]),
            ] {
                await #expect(throws: VarlinkClientError.self) {
                    try await daemon.call(ContainerInterface.ReadableBy.self, request)
                }
            }
        }
    }

    @Test(.needsRoot("other users")) func theAnswerIsThatOfListToThisUser() async throws {
        try await run { daemon in
            for user in Self.users {
                let listed = try await daemon.call(ContainerInterface.List.self, .init(), as: user).containers
                let readable = try await readable(daemon, by: user)
                #expect(readable == listed.map(\.identifier), "\(user)")
                await #expect(throws: VarlinkClientError.self) { try await self.readable(daemon, by: user, as: user) }
            }
        }
    }

    /// The reason names the container around it, which this user may not list.
    @Test(.needsRoot("other users and mounts", if: TemporaryDirectory.canMount))
    func theReasonOfAnEnclosedContainerNamesNoHiddenOne() async throws {
        let directory = try TemporaryDirectory()
        let inner = directory.path + "/outer/in"
        for (path, mode) in [(directory.path, 0o755), (directory.path + "/outer", 0o711), (inner, 0o755)]
            as [(String, mode_t)]
        {
            mkdir(path, mode)
            chmod(path, mode)
        }
        try #require(mount("none", inner, "tmpfs", 0, "mode=755") == 0)
        defer { umount2(inner, CInt(MNT_DETACH)) }
        let containers = ["secret": directory.path + "/outer", "in": inner]
        try await DaemonFixture.run(containers: containers, directory: directory, isSystem: true) { daemon in
            chmod(daemon.socket, 0o666)
            try await daemon.flush()
            try #require(umount2(inner, CInt(MNT_DETACH)) == 0)
            try await daemon.flush()
            for (user, names) in [(nil, true), (Self.users[0], false)] as [(OtherUser?, Bool)] {
                let listed = try await daemon.call(ContainerInterface.List.self, .init(), as: user).containers
                let reason = try #require(listed.first { $0.identifier == "in" }?.reason)
                #expect(reason.hasPrefix("it lies in"))
                #expect(reason.contains("secret") == names)
            }
        }
    }
}
