// gather watch that ends by itself, leaves the first results out, and runs commands.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherKit
import Glibc
import TestSupport
import Testing

@Suite(.serialized)
struct WatchOptionsTests {
    private func watch(_ daemon: TestDaemon, _ arguments: String...) -> ChildProcess {
        ChildProcess(.gather, ["watch", "--socket", daemon.socket.path] + arguments)
    }

    @Test func changesLeavesTheFirstResultsOut() async throws {
        let daemon = try await TestDaemon()
        try Change.write("", to: daemon.box + "/a")
        let watch = watch(daemon, "kind == 'file'", "--changes", "--once", "--json")
        for event in ["started", "gathered"] { #expect(await watch.nextLine()?.contains(event) == true) }
        try Change.write("", to: daemon.box + "/b")
        let result = await watch.result()
        #expect(result.status == 0)
        #expect(result.lines.dropFirst(2).first?.contains("\"added\"") == true, "\(result.text)")

        let objects = self.watch(daemon, "name == 'a'", "--changes", "--json")
        for event in ["started", "gathered"] { #expect(await objects.nextLine()?.contains(event) == true) }
        objects.kill(SIGINT)
        #expect(await objects.result().status == 130)
    }

    @Test func onceEndsAfterTheFirstBatch() async throws {
        let daemon = try await TestDaemon()
        try Change.write("", to: daemon.box + "/a")
        let watch = watch(daemon, "name BEGINSWITH 'a'", "--once")
        #expect(await watch.nextLine() == "  \(daemon.box)/a")
        try Change.rename(daemon.box + "/a", daemon.box + "/ab")
        #expect(await watch.nextLine() == "~ \(daemon.box)/a -> \(daemon.box)/ab")
        #expect(await watch.result().status == 0)
        // The changes since a clock are the first batch.
        let clock = try #require(await daemon.gather("clock").lines.first)
        try Change.remove(daemon.box + "/ab")
        _ = await daemon.gather("clock")
        let resumed = await self.watch(daemon, "", "--since", clock, "--once").result()
        #expect(resumed.status == 0 && resumed.lines == ["- \(daemon.box)/ab"])
    }

    @Test func timeoutEndsTheWatch() async throws {
        let daemon = try await TestDaemon()
        try Change.write("", to: daemon.box + "/a")
        let plain = await watch(daemon, "kind == 'file'", "--timeout", "300ms").result()
        #expect(plain.status == 0 && plain.errors == "")
        let once = await watch(daemon, "kind == 'file'", "--once", "--timeout", "0.3").result()
        #expect(once.status == 124 && once.errors == "")
        for time in ["", "x", "-1", "5parsecs"] {
            #expect(await watch(daemon, "", "--timeout=\(time)").result().status == 64, "\(time)")
        }
    }

    @Test func execRunsACommandForEachChangeWithoutAShell() async throws {
        let daemon = try await TestDaemon()
        try Change.write("", to: daemon.box + "/first $(x).txt")
        let script = #"echo "$GATHER_CHANGE|$GATHER_PATH|$1|$2|$3""#
        let watch = watch(
            daemon, "-e", "txt", "--removed", "--exec", "sh", "-c", script, "sh", "{/}", "{.}", "{/.}", ";")
        let (box, name) = (daemon.box, "first $(x)")
        #expect(await watch.nextLine() == "result|\(box)/\(name).txt|\(name).txt|\(box)/\(name)|\(name)")
        try Change.rename("\(box)/\(name).txt", box + "/b.txt")
        #expect(await watch.nextLine() == "changed|\(box)/b.txt|b.txt|\(box)/b|b")
        try Change.remove(box + "/b.txt")
        #expect(await watch.nextLine() == "removed|\(box)/b.txt|b.txt|\(box)/b|b")
        watch.kill(SIGINT)
        #expect(await watch.result().status == 130)
    }

    @Test func execBatchRunsOneCommandForAll() async throws {
        let daemon = try await TestDaemon()
        for name in ["a", "b", "c"] { try Change.write("", to: daemon.box + "/" + name) }
        let watch = watch(daemon, "kind == 'file'", "-X", "echo", "all:")
        let box = daemon.box
        let line = try #require(await watch.nextLine())
        #expect(Set(line.split(separator: " ").map(String.init)) == ["all:", "\(box)/a", "\(box)/b", "\(box)/c"])
        watch.kill(SIGINT)
        #expect(await watch.result().status == 130)
    }

    @Test func failureOfTheCommandIsReported() async throws {
        let daemon = try await TestDaemon()
        try Change.write("", to: daemon.box + "/a")
        let watch = watch(daemon, "", "--once", "-x", "sh", "-c", "echo ran; exit 7", "sh", "{}")
        #expect(await watch.nextLine() == "ran")
        try Change.write("", to: daemon.box + "/b")
        let failed = await watch.result()
        #expect(failed.status == 7)
        #expect(failed.errors.contains("sh ended with status 7 for \(daemon.box)/a"), "\(failed.errors)")
        let missing = await self.watch(daemon, "", "-x", "/no/such/command").result()
        #expect(missing.status == 127)
        #expect(missing.errors.contains("/no/such/command cannot be run: No such file or directory"))
        let closed = await self.watch(daemon, "", "-x", daemon.box + "/a").result()
        #expect(closed.status == 126)
        #expect(await self.watch(daemon, "", "--json", "-x", "true").result().status == 64)
    }

    /// An argument of execve(2) may have 128 KiB.
    @Test func aPathThatIsTooLongForTheCommandDoesNotEndTheWatch() async throws {
        let daemon = try await TestDaemon()
        let long = String(repeating: "n", count: 200)
        try Change.write("", to: daemon.box + "/" + long)
        let watch = watch(daemon, "kind == 'file'", "-x", "echo", String(repeating: "{/}", count: 1_000))
        try Change.write("", to: daemon.box + "/s")
        #expect(await watch.nextLine() == String(repeating: "s", count: 1_000))
        watch.kill(SIGINT)
        let result = await watch.result()
        #expect(result.errors.contains("echo cannot be run: Argument list too long, for \(daemon.box)/\(long)"))
    }

    @Test func removedItemsHaveNoCommandUnlessAsked() async throws {
        let daemon = try await TestDaemon()
        for batch in ["--exec", "--exec-batch"] {
            try Change.write("", to: daemon.box + "/a")
            let watch = watch(daemon, "kind == 'file'", "--once", batch, "sh", "-c", "echo ran for $1", "sh", "{/}")
            #expect(await watch.nextLine() == "ran for a")
            try Change.remove(daemon.box + "/a")
            let result = await watch.result()
            #expect(result.status == 0 && result.lines == ["ran for a"], "\(result)")
        }
        for arguments in [["--removed"], ["--removed", "--json"]] {
            let refused = await ChildProcess(.gather, ["watch", "--socket", daemon.socket.path, ""] + arguments)
                .result()
            #expect(refused.status == 64 && refused.errors.contains("--removed goes with --exec"), "\(refused)")
        }
    }

    /// One that appends to its item, and one that makes another item, whose name is longer each time.
    @Test(arguments: ["echo x >> \"$1\"", "[ ${#1} -gt 200 ] || cp \"$1\" \"$1.c\""])
    func aCommandThatMakesItsOwnChangesIsSlowedDown(command: String) async throws {
        let daemon = try await TestDaemon()
        try Change.write("", to: daemon.box + "/a")
        let watch = ChildProcess(
            path: "/bin/sh",
            [
                "-c", "exec \"$0\" watch \"name BEGINSWITH 'a'\" --socket \"$1\" -x sh -c \"$2\" sh 2>&1",
                Product.gather.path, daemon.socket.path, command + "; echo ran",
            ])
        // On a slow machine some rounds are not in a row.
        while let line = await watch.nextLine(), !line.contains("as soon as their command had ended, 5 times in a row")
        {
            #expect(line == "ran")
        }
        // Nothing is left out.
        #expect(await watch.nextLine() == "ran")
        watch.kill(SIGTERM)
        #expect(await watch.result().status == 128 + SIGTERM)
    }

    @Test func aSignalEndsAllThatTheCommandHasStarted() async throws {
        let daemon = try await TestDaemon()
        try Change.write("", to: daemon.box + "/a")
        for signal in [SIGTERM, SIGHUP] {
            let watch = watch(daemon, "", "-x", "sh", "-c", "sleep infinity & (sleep infinity; :) & echo runs; wait")
            #expect(await watch.nextLine() == "runs")
            watch.kill(signal)
            // All have the same standard output.
            #expect(await watch.result().status == 128 + signal)
        }
    }

    @Test func interruptEndsTheCommandToo() async throws {
        let daemon = try await TestDaemon()
        try Change.write("", to: daemon.box + "/a")
        for signal in [SIGINT, SIGTERM] {
            let watch = watch(daemon, "", "-x", "sh", "-c", "echo runs; exec sleep infinity")
            #expect(await watch.nextLine() == "runs")
            watch.kill(signal)
            // The command has the same standard output, which ends when both have ended.
            #expect(await watch.result().status == 128 + signal)
        }
    }
}
