// Machines that are away, behind a program in place of ssh.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestSupport
import Testing

/// A script in place of ssh(1). It has the name of the machine in `$host`.
private final class FakeShell: Sendable {
    let directory: String

    init(_ script: String) throws {
        directory = NSTemporaryDirectory() + "gather-hosts-\(UUID().uuidString.prefix(8))"
        mkdir(directory, 0o700)
        let head = #"while [ "$1" != -- ]; do shift; done; host=$2; cd "$(dirname "$0")""#
        try Change.write("#!/bin/sh\n\(head)\n\(script)\n", to: directory + "/ssh")
        chmod(directory + "/ssh", 0o755)
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    func gather(_ arguments: [String], input: String = "") async -> ChildProcess.Result {
        await ChildProcess(
            .gather, arguments, environment: ["GATHER_SSH": directory + "/ssh"], input: input
        ).result()
    }
}

struct SilentHostTests {
    /// Each machine fails only when the other one has been asked, too. One after the other, the first would wait for ever.
    @Test(arguments: [
        ["count", ""], ["find", ""], ["find", "", "--sort", "name"], ["values", "name"], ["status"], ["conflicts"],
    ])
    func machinesThatAreAwayAreWaitedForAtTheSameTime(command: [String]) async throws {
        let shell = try FakeShell(
            """
            if [ "$host" = attic ]; then echo > meeting; else read -r line < meeting; fi
            echo "ssh: connect to host $host port 22: Connection timed out" >&2
            exit 255
            """)
        try #require(mkfifo(shell.directory + "/meeting", 0o600) == 0)
        let result = await shell.gather(["-H", "attic", "-H", "cellar"] + command)
        #expect(result.status == 69)
        for host in ["attic", "cellar"] {
            let reason = "ssh: connect to host \(host) port 22: Connection timed out"
            #expect(
                result.errors.contains("gather: \(host): the machine cannot be reached: \(reason)\n"),
                "\(result.errors)")
        }
    }

    @Test(arguments: [
        ("ssh: no route", 255, "the machine cannot be reached: ssh: no route"),
        ("sh: 1: exec: gather: not found", 127, "the machine answers, but gather cannot be run there: sh: 1: exec: "),
        ("gather: gatherd is not there", 69, "the machine answers, but its gatherd does not: gatherd is not there"),
        ("a word of another program", 1, "a word of another program"),
    ])
    func aMachineThatIsAwayDiffersFromADaemonThatIsDown(line: String, status: Int, message: String) async throws {
        let shell = try FakeShell("echo '\(line)' >&2; exit \(status)")
        for command in [["count", ""], ["find", ""]] {
            let result = await shell.gather(["-H", "attic"] + command)
            #expect(result.status == 69)
            #expect(result.errors.hasPrefix("gather: attic: \(message)"), "\(result.errors)")
        }
    }

    @Test(arguments: ["-oProxyCommand=touch made", "-l", "root@-oProxyCommand=x", "-"])
    func aNameThatBeginsWithAHyphenIsNoMachine(name: String) async throws {
        let shell = try FakeShell(": > made")
        let file = shell.directory + "/hosts"
        try Change.write("attic\n\(name)\n", to: file)
        let word = name.split(separator: " ")[0]
        for arguments in [["--host", name], ["--host=\(name)"], ["--hosts-from", file], ["--hosts-from", "-"]] {
            let result = await shell.gather(["count", ""] + arguments, input: "attic\n\(name)\n")
            #expect(result.status == 64)
            #expect(result.errors.contains("'\(word)"), "\(result.errors)")
            #expect(result.errors.contains("is no machine; a machine is [USER@]HOST[:PORT]"), "\(result.errors)")
        }
        #expect(access(shell.directory + "/made", F_OK) != 0)
    }
}
