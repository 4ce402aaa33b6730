// gather container add: directories that are missing or closed, and questions about directories above containers.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherKit
import Glibc
import TestSupport
import Testing

struct ContainerAddTests {
    /// Root may read everything.
    @Test(.enabled(if: geteuid() != 0, "an ordinary user")) func aDirectoryThatTheDaemonMayNotReadIsRefused()
        async throws
    {
        let daemon = try await TestDaemon()
        for (name, mode) in [("closed", 0), ("unsearchable", 0o600)] as [(String, mode_t)] {
            let directory = daemon.directory + "/" + name
            try Change.directory(directory)
            try Change.chmod(directory, mode)
            defer { chmod(directory, 0o700) }
            let added = await daemon.gather("container", "add", "closed", directory)
            #expect(added.status == 1 && added.text == "", "\(added)")
            #expect(added.errors.contains("who may not read \(directory)"), "\(added.errors)")
        }
        // A directory of another user.
        let root = await daemon.gather("container", "add", "root", "/root")
        #expect(root.status == 1 && root.errors.contains("who may not read /root"), "\(root.errors)")
        #expect(await daemon.gather("container", "list").lines.count == 1)
        let found = await daemon.gather("find", "")
        #expect(found.errors == "", "no answer warns of it")
        #expect(access(daemon.directory + "/state/containers.toml", F_OK) != 0, "nothing is kept")
    }

    @Test func aMissingDirectoryIsMadeIfThatIsWanted() async throws {
        let daemon = try await TestDaemon()
        let directory = daemon.directory + "/a/new"
        let refused = await daemon.gather("container", "add", "new", directory)
        #expect(
            refused.status == 64 && refused.errors.contains("is missing; make it, or add --make"), "\(refused.errors)")
        #expect(access(daemon.directory + "/a", F_OK) != 0)
        let added = await daemon.gather("container", "add", "new", directory, "--make")
        #expect(added.status == 0 && added.text.hasPrefix("new: live"), "\(added)")

        // One that gatherd refuses is not left behind.
        for (identifier, path) in [("a b/c", "/b/new"), ("inner", "/box/inner/x")] {
            let result = await daemon.gather("container", "add", identifier, daemon.directory + path, "--make")
            #expect(result.status != 0 && access(daemon.directory + path, F_OK) != 0, "\(result)")
        }
        #expect(access(daemon.directory + "/b", F_OK) != 0 && access(daemon.box + "/inner", F_OK) != 0)

        let other = daemon.directory + "/other"
        let arguments = ["container", "add", "other", other, "--socket", daemon.socket.path]
        for (answer, status) in [("n", Int32(1)), ("", 0)] {
            let terminal = PseudoTerminal(path: Product.gather.path, arguments, environment: [:], width: 200)
            await terminal.until("\(other) is missing. Make it? [Y/n]")
            terminal.type(answer + "\r")
            #expect(await terminal.status() == status, "\(terminal.screen.text)")
            #expect((access(other, F_OK) == 0) == (status == 0))
        }
    }

    @Test func aSearchAboveContainersNamesThem() async throws {
        let daemon = try await TestDaemon(containers: ["box", "more"])
        let found = await daemon.gather("find", "", "--in", daemon.directory)
        #expect(found.status == 64)
        #expect(
            found.errors.contains(
                "Below it are containers: --container box --container more. To read all of it without a daemon: --embedded"
            ),
            "\(found.errors)")
        #expect(!found.errors.contains("container add"))
        // Nothing lies below that.
        let outside = await daemon.gather("find", "", "--in", "/proc")
        #expect(outside.errors.contains("gather container add NAME /proc"), "\(outside.errors)")
    }
}
