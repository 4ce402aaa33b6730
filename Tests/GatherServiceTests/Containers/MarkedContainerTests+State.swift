// The marks of containers over restarts, changed settings and damage.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import GatherProtocol
import Glibc
import Metadata
import Testing

@testable import GatherService

extension MarkedContainerTests {
    @Test(arguments: strangers) func theNextStartKnowsTheMark(kind: ContainerStranger) async throws {
        try await run { daemon in
            try await expect(["own"], daemon)
            // A mark that is made beside the daemon.
            try mark("tree", token)
            _ = try await daemon.find("")
        }
        try makeOther(kind)
        try exchange("tree", "other")
        try await run { daemon in
            try await expect(.unavailable, daemon)
            try await expect([], daemon)
        }
        try exchange("tree", "other")
        try await run { daemon in
            try await expect(["own"], daemon)
            try await expect(.live, daemon)
        }
        try exchange("tree", "other")
        try await run { daemon in
            #expect(try await accept(daemon).state != .unavailable)
            try await expect(names(in: kind), daemon)
        }
        // Accepted once, it is the container.
        try await run { try await expect(.live, $0) }
    }

    /// An index is read anew when settings change. The mark counts all the same.
    @Test func changedSettingsDoNotForgetTheMark() async throws {
        let file = directory.path + "/containers.d/tree.toml"
        func configure(ignoring name: String) throws {
            try directory.write(
                "path = \"\(directory.path)/tree\"\nignore = [\"\(name)\"]\n", to: "containers.d/tree.toml")
        }
        try directory.write("", to: "gatherd.toml")
        try configure(ignoring: "a")
        try mark("tree", token)
        try makeOther(.unmarked)
        try await DaemonFixture.run(containers: [:], directory: directory) { daemon in
            func reload() async throws { _ = try await daemon.call(ServiceInterface.Reload.self, .init()) }
            try await expect(.live, daemon)
            try exchange("tree", "other")
            try await expect(.unavailable, daemon)
            try configure(ignoring: "b")
            try await reload()
            try await expect(.unavailable, daemon)
            // A container that was removed is forgotten.
            #expect(rename(file, file + ".away") == 0)
            try await reload()
            #expect(rename(file + ".away", file) == 0)
            try await reload()
            try await expect(["foreign"], daemon)
        }
    }

    @Test func aDamagedFileOfMarksIsSetAside() async throws {
        try mark("tree", token)
        try makeOther(.unmarked)
        try await run { try await expect(.live, $0) }
        let text = try ConfigurationLoader.read(directory.path + "/state/marks.toml", required: true)
        #expect(text?.contains("token = \"\(token)\"") == true)
        for damage in ["", "[tree]\npath = 1\n", "[tree]\npath = \"/\"\ntoken = \"x\"\n", "\0", "[tree"] {
            try directory.write(damage, to: "state/marks.toml")
            try await run { try await expect(["own"], $0) }
            #expect(damage.isEmpty || directory.exists("state/marks.toml.damaged"))
            // The mark was seen again.
            #expect(try ConfigurationLoader.read(directory.path + "/state/marks.toml", required: true) == text)
        }
        try exchange("tree", "other")
        try await run { try await expect(.unavailable, $0) }
    }

    /// A save that fails is tried again, at the end at the latest.
    @Test(.enabled(if: getuid() != 0, "root may write everywhere")) func marksThatCouldNotBeSavedAreSavedLater()
        async throws
    {
        try makeOther(.unmarked)
        try await run { daemon in
            try await expect(.live, daemon)
            #expect(chmod(directory.path + "/state", 0o500) == 0)
            try mark("tree", token)
            _ = try await daemon.find("")
            #expect(chmod(directory.path + "/state", 0o700) == 0)
        }
        try exchange("tree", "other")
        try await run { try await expect(.unavailable, $0) }
    }

    /// It may be left out for a fault in its file, or be back with another disk.
    @Test func aContainerThatWasAwayKeepsItsMark() async throws {
        try mark("tree", token)
        try makeOther(.unmarked)
        try await run { try await expect(.live, $0) }
        try await DaemonFixture.run(containers: [:], directory: directory) { _ in }
        try exchange("tree", "other")
        try await run { try await expect(.unavailable, $0) }
    }

    /// Two containers with one directory: the one that does not have it takes no mark of it.
    @Test func aDirectoryOfAnotherContainerLeavesTheMark() async throws {
        try directory.makeDirectory("plain")
        try mark("tree", token)
        #expect(symlink("plain", directory.path + "/link") == 0)
        let both = ["tree": directory.path + "/tree", "link": directory.path + "/link"]
        func expectLink(_ state: ContainerState, _ daemon: DaemonFixture) async throws {
            _ = try await daemon.find("")
            let link = try await daemon.call(ContainerInterface.Get.self, .init(identifier: "link")).container
            #expect(link.state == state && link.mark == nil, "\(link.reason ?? "")")
        }
        func point(to target: String) {
            #expect(symlink(target, directory.path + "/next") == 0)
            #expect(rename(directory.path + "/next", directory.path + "/link") == 0)
        }
        try await DaemonFixture.run(containers: both, directory: directory) { daemon in
            try await expectLink(.live, daemon)
            point(to: "tree")
            try await expectLink(.unavailable, daemon)
            point(to: "plain")
            try await expectLink(.live, daemon)
        }
    }
}
