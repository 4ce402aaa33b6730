// A daemon whose log is not read.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherKit
import Glibc
import TestSupport
import Testing

struct UnreadLogTests {
    @Test func aFullPipeAsStandardErrorStopsNothing() async throws {
        let daemon = try await TestDaemon()
        _ = await daemon.terminate()
        let pipe = daemon.directory + "/pipe"
        try #require(mkfifo(pipe, 0o600) == 0)
        let end = open(pipe, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        defer { close(end) }
        while write(end, ".", 1) == 1 {}
        try #require(errno == EAGAIN)

        let file = daemon.directory + "/gatherd.toml"
        try Change.write("", to: file)
        let notifications = try NotifySocket(path: daemon.directory + "/notify")
        let process = ChildProcess(
            path: "/bin/sh",
            [
                "-c", "exec \"$@\" 2>\"$0\"", pipe, Product.gatherd.path, "--config", file, "--socket",
                daemon.socket.path, "--state-directory", daemon.directory + "/state", "--container",
                "box=\(daemon.box)",
            ], environment: ["NOTIFY_SOCKET": daemon.directory + "/notify"])
        try await notifications.wait(for: "READY=1")
        try Change.write("x", to: file)
        for _ in 0..<10 {
            #expect(await daemon.gather("reload").status != 0)
            // The service manager reads what it is told.
            try await notifications.wait(for: "READY=1")
        }
        try Change.write("", to: daemon.box + "/a")
        #expect(await daemon.gather("count", "").text == "1\n")
        process.kill(SIGTERM)
        #expect(await process.result().status == 0)
    }
}
