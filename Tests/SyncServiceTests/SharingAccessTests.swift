// The containers of which the helper tells a caller, against a gatherd that knows who may list them.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Glibc
import Logging
import NIOPosix
import Testing
import Varlink

@testable import SyncService

struct SharingAccessTests {
    private static let member = PeerCredentials(
        processID: 1, userID: 41_001, groupID: 42_001, groups: [42_002, 42_003])

    /// Runs a helper without Syncthing beside a gatherd with the containers `open` and `closed`, of which the member may list
    /// `open`.
    private func run(_ body: (FakeGatherd, SyncCore) async throws -> Void) async throws {
        let containers = ["open", "closed"].map { name in
            ContainerDescription(
                identifier: name, path: "/srv/\(name)", state: .live, origin: "runtime", items: 0, directories: 1,
                watches: 1, polled: 0, unreadable: 0, packages: [], ignore: [], clock: "", sync: "syncthing")
        }
        let gatherd = try await FakeGatherd(containers, readers: ["open": [41_001, 41_002], "closed": [41_002]])
        let core = SyncCore(
            options: SyncOptions(
                socket: .path("unused", isShared: true), gatherdSocket: gatherd.path, configurations: ["/nowhere"]),
            group: MultiThreadedEventLoopGroup.singleton,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let running = Task { await core.run() }
        await core.untilAsked()
        try await body(gatherd, core)
        running.cancel()
        await running.value
        try await gatherd.stop()
    }

    private func visible(_ core: SyncCore, to caller: PeerCredentials?) async -> [String] {
        await VisibleContainers(of: core, for: caller).containers.map(\.identifier)
    }

    @Test func aMemberOfTheGroupHearsOfWhatGatherdListsToIt() async throws {
        try await run { gatherd, core in
            #expect(await visible(core, to: Self.member) == ["open"])
            #expect(gatherd.requests == [.init(user: 41_001, group: 42_001, groups: [42_002, 42_003])])
            var other = Self.member
            other.userID = 41_002
            #expect(await visible(core, to: other) == ["open", "closed"])
            other.userID = 41_003
            #expect(await visible(core, to: other) == [])
        }
    }

    @Test func theHelperAndItsOperatorsHearOfAll() async throws {
        try await run { gatherd, core in
            for user in [0, geteuid()] {
                let caller = PeerCredentials(processID: 1, userID: user, groupID: 42_001, groups: [])
                #expect(await visible(core, to: caller) == ["open", "closed"])
            }
            #expect(await visible(core, to: nil) == ["open", "closed"])
            #expect(gatherd.requests.isEmpty)
        }
    }

    @Test func withoutGatherdAMemberHearsOfNone() async throws {
        try await run { gatherd, core in
            gatherd.refuse()
            #expect(await visible(core, to: Self.member) == [])
            try await gatherd.stop()
            #expect(await visible(core, to: Self.member) == [])
        }
    }
}
