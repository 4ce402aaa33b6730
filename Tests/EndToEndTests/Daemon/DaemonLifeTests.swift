// The life of gatherd as a service manager and an administrator see it.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestSupport
import Testing

struct DaemonLifeTests {
    /// A directory of the test's own.
    private final class Scratch {
        let path: String

        init() {
            path =
                URL(filePath: NSTemporaryDirectory()).resolvingSymlinksInPath().path()
                + "gather-\(UUID().uuidString.prefix(8))"
            mkdir(path, 0o700)
            mkdir(path + "/containers.d", 0o755)
            mkdir(path + "/box", 0o755)
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }

        func write(_ text: String, to name: String) throws {
            try Data(text.utf8).write(to: URL(filePath: path + "/" + name))
        }
    }

    @Test func theConfigurationThatComesWithItIsInOrder() async {
        let folder = SourceTree.root + "/Config"
        let check = await run(.gatherd, "--check-config", "--config", folder + "/gatherd.toml")
        #expect(check.status == 0, "\(check.errors)")
        #expect(
            check.text
                == "the configuration is in order: 1 container (\(folder)/gatherd.toml and \(folder)/containers.d)\n"
        )
    }

    @Test func aWrongConfigurationIsRefusedWithItsPlace() async throws {
        let scratch = Scratch()
        try scratch.write("log-level = \"info\"\nwatch-share = 7\n", to: "gatherd.toml")
        let check = await run(.gatherd, "--check-config", "--config", scratch.path + "/gatherd.toml")
        #expect(check.status == 78)
        #expect(check.errors.hasPrefix("gatherd: \(scratch.path)/gatherd.toml:2: 'watch-share'"), "\(check.errors)")
        let missing = await run(.gatherd, "--check-config", "--config", scratch.path + "/none.toml")
        #expect(missing.status == 78)
    }

    @Test func itTellsTheServiceManagerHowItIs() async throws {
        let scratch = Scratch()
        try scratch.write("", to: "gatherd.toml")
        try scratch.write("path = \"\(scratch.path)/box\"\n", to: "containers.d/box.toml")
        let manager = try NotifySocket(path: scratch.path + "/notify")
        let daemon = ChildProcess(
            .gatherd,
            [
                "--config", scratch.path + "/gatherd.toml", "--socket", scratch.path + "/io.gatherd",
                "--state-directory", scratch.path + "/state",
            ],
            environment: ["NOTIFY_SOCKET": scratch.path + "/notify", "WATCHDOG_USEC": "100000"])
        let ready = try await manager.wait(for: "READY=1")
        #expect(ready.contains("STATUS="))
        // The loop itself feeds the watchdog.
        for _ in 0..<3 { try await manager.wait(for: "WATCHDOG=1") }

        mkdir(scratch.path + "/more", 0o755)
        try scratch.write("path = \"\(scratch.path)/more\"\n", to: "containers.d/more.toml")
        daemon.kill(SIGHUP)
        #expect(try await manager.wait(for: "RELOADING=1").contains("MONOTONIC_USEC="))
        #expect(try await manager.wait(for: "READY=1").contains("2 containers"))

        // A mistake is refused, and the running containers go on.
        try scratch.write("path = 7\n", to: "containers.d/more.toml")
        daemon.kill(SIGHUP)
        try await manager.wait(for: "RELOADING=1")
        #expect(try await manager.wait(for: "READY=1").contains("2 containers"))

        daemon.kill(SIGTERM)
        try await manager.wait(for: "STOPPING=1")
        let end = await daemon.result()
        #expect(end.status == 0)
        #expect(end.errors.contains("more.toml:1: 'path'"), "\(end.errors)")
        #expect(access(scratch.path + "/io.gatherd", F_OK) != 0)
    }
}
