// Programs that are started without standard input, output or error.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherKit
import Glibc
import TestSupport
import Testing

struct StandardDescriptorTests {
    /// Starts a program with redirections of the shell, such as `>&-`.
    private static func start(
        _ product: Product, _ arguments: [String], _ redirections: String, environment: [String: String] = [:]
    ) -> ChildProcess {
        ChildProcess(
            path: "/bin/sh", ["-c", "exec \"$0\" \"$@\" \(redirections)", product.path] + arguments,
            environment: environment)
    }

    /// Output for a closed descriptor must not reach the connection that has its number.
    @Test(arguments: [">&-", "<&- >&-", "<&- >&- 2>&-", ">&- 2>&-"])
    func namesOfFilesAreNoRequests(_ redirections: String) async throws {
        let request = #"{"method":"io.gatherd.Container.Remove","parameters":{"identifier":"other"}}"#
        let daemon = try await TestDaemon()
        try Change.write("", to: daemon.box + "/" + request)
        let other = daemon.directory + "/other"
        mkdir(other, 0o755)
        #expect(await daemon.gather("container", "add", "other", other).status == 0)
        for arguments in [["--attributes", "name", "-0"], ["--json"], []] {
            let result = await Self.start(
                .gather, ["find", ""] + arguments + ["--socket", daemon.socket.path], redirections
            ).result()
            #expect(result.status == 1)
            let isHeard = !redirections.contains("2>&-")
            #expect(
                result.errors == (isHeard ? "gather: standard output cannot be written: Bad file descriptor\n" : ""))
        }
        // Grocery's list is read from the same connection.
        let list = await Self.start(
            .grocery,
            ["add", request, "--socket", daemon.socket.path, "--container", "box"], redirections,
            environment: ["XDG_STATE_HOME": daemon.directory + "/home"]
        ).result()
        #expect(list.status == 1)
        #expect(try await Set(daemon.client.containers().map(\.identifier)) == ["box", "other"])
    }

    @Test func theDaemonServesWithoutThem() async throws {
        let daemon = try await TestDaemon()
        _ = await daemon.terminate()
        let notifications = try NotifySocket(path: daemon.directory + "/notify")
        let process = Self.start(
            .gatherd,
            [
                "--socket", daemon.socket.path, "--state-directory", daemon.directory + "/state", "--container",
                "box=\(daemon.box)",
            ], "<&- >&- 2>&-",
            environment: ["NOTIFY_SOCKET": daemon.directory + "/notify", "HOME": daemon.directory])
        try await notifications.wait(for: "READY=1")
        for number in 0..<3 {
            let path = try FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/\(process.processID)/fd/\(number)")
            #expect(path == "/dev/null")
        }
        #expect(await daemon.gather("count", "").text == "0\n")
        process.kill(SIGTERM)
        #expect(await process.result().status == 0)
    }

    @Test(arguments: [
        (Product.gather, ["--help"]), (.gather, ["find", "--help"]), (.gather, ["--version"]),
        (.gather, ["attributes"]),
        (.grocery, ["--help"]), (.grocery, ["--version"]), (.gatherd, ["--help"]), (.helper, ["--version"]),
    ])
    func outputThatCannotBeWrittenIsAnError(_ product: Product, _ arguments: [String]) async {
        for (redirection, reason) in [(">/dev/full", "No space left on device"), (">&-", "Bad file descriptor")] {
            let result = await Self.start(product, arguments, redirection).result()
            #expect(result.status == 1, "\(redirection)")
            #expect(result.errors == "\(product.rawValue): standard output cannot be written: \(reason)\n")
        }
    }

    /// A reader that has enough, such as head(1), is no failure.
    @Test(arguments: [Product.gather, .grocery, .gatherd, .helper])
    func aClosedPipeIsNoError(_ product: Product) async {
        let result = await ChildProcess(
            path: "/bin/bash", ["-c", "exec 3> >(:); wait $!; \"$0\" --help >&3; echo $? >&2", product.path]
        ).result()
        #expect(["0\n", "141\n"].contains(result.errors), "\(result.errors)")
    }
}
