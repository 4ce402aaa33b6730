// Machines that are away, silent or wrong, behind a program in place of ssh.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherKit
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

    /// Runs `gather` to its end. In a hurry it gives the machines the shortest time.
    func gather(_ arguments: [String], input: String = "", inHurry: Bool = false) async -> ChildProcess.Result {
        var environment = ["GATHER_SSH": directory + "/ssh"]
        if inHurry { environment["GATHER_ANSWER_SECONDS"] = "1" }
        return await ChildProcess(.gather, arguments, environment: environment, input: input).result()
    }
}

struct SilentHostTests {
    /// The answer of each machine in these tests that is all right, to `count` and `find`.
    private static let right = #"printf '{"parameters":{"count":1,"items":[{"id":"1","path":"/a"}],"clock":"c"}}\0'"#

    /// Scripts of machines that never answer, with the message. They end with their input.
    private static let silences = [
        ("cat > /dev/null", "the machine has not answered for 16 s"),
        ("exec >&-; cat > /dev/null", "the connection has ended"),
        ("exec 2> /dev/null >&-; cat > /dev/null", "the connection has ended"),
        (#"printf '{"parameters":{"cou'; cat > /dev/null"#, "the machine has not answered for 16 s"),
        (#"printf '\n\n'; cat > /dev/null"#, "the machine has not answered for 16 s"),
        ("printf Welcome; cat > /dev/null", "the machine sent 'Welcome' before an answer"),
        ("echo Welcome; cat > /dev/null", "the machine sent 'Welcome' before an answer"),
        (
            #"printf '{"parameters":{"items":[],"clock":"c"},"continues":true}\0'; cat > /dev/null"#,
            "the machine has not answered for 16 s"
        ),
    ]

    @Test(arguments: silences) func aSilentMachineIsToldAndTheOthersAnswer(script: String, message: String) async throws
    {
        let shell = try FakeShell("if [ $host = cellar ]; then \(SilentHostTests.right); else \(script); fi")
        let takesMore = script.contains("continues")
        await withTaskGroup { group in
            for arguments in [["count", ""], ["find", ""], ["find", "", "--sort", "name"]]
            where !takesMore || arguments[0] == "find" {
                group.addTask {
                    let both = await shell.gather(["-H", "attic", "-H", "cellar"] + arguments, inHurry: true)
                    #expect(both.errors.contains("gather: attic: \(message)"), "\(both.errors)")
                    #expect([69, 75, 76].contains(both.status), "\(both.status)")
                    #expect(both.lines == [arguments[0] == "count" ? "cellar\t1" : "cellar:/a"])
                    let one = await shell.gather(["-H", "attic"] + arguments, inHurry: true)
                    #expect(one.errors.hasPrefix("gather: attic: \(message)"), "\(one.errors)")
                    #expect(one.status == both.status && one.text == "", "\(one)")
                }
            }
        }
    }

    /// The silent machine ends only when the answer of the other one was printed.
    @Test(arguments: [["count", ""], ["find", ""], ["values", "name"], ["conflicts"], ["status", "--json"]])
    func theAnswersOfOthersDoNotWaitForASilentMachine(command: [String]) async throws {
        let daemon = try await TestDaemon { box in
            try Change.write("1", to: box + "/n.txt")
            try Change.write("2", to: box + "/n.sync-conflict-20260102-030405-ABCDEFG.txt")
        }
        let shell = try FakeShell(
            """
            if [ $host = attic ]; then read -r line < meeting; exit 255; fi
            exec '\(Product.gather.path)' bridge --end-with-input --socket '\(daemon.socket.path)'
            """)
        try #require(mkfifo(shell.directory + "/meeting", 0o600) == 0)
        let process = ChildProcess(
            .gather, ["-H", "attic", "-H", "cellar"] + command, environment: ["GATHER_SSH": shell.directory + "/ssh"])
        let line = try #require(await process.nextLine())
        #expect(line.contains("cellar"), "\(line)")
        try Change.write("\n", to: shell.directory + "/meeting")
        let result = await process.result()
        #expect(result.status == 69)
        #expect(result.errors.contains("gather: attic: the machine cannot be reached: "), "\(result.errors)")
    }

    private static let wrong = "the machine does not answer as gatherd does: "
    private static let greeting =
        "before an answer: a start file of the shell there prints that. 'ssh attic true' must "

    /// Bytes of a machine in place of an answer, as arguments of printf(1), with the message.
    private static let wrongAnswers = [
        (#"Welcome to attic\n"#, "the machine sent 'Welcome to attic' " + greeting),
        (
            #"\n\n  Welcome\n{"parameters":{"items":[],"count":0,"clock":""}}\0"#,
            "the machine sent 'Welcome' " + greeting
        ),
        (#"Welcome{"parameters":{"items":[],"count":0,"clock":""}}\0"#, "the machine sent 'Welcome{"),
        (#"\033]0;t\007Hi\n"#, "the machine sent '"),
        (#"\377\376\0"#, "the machine sent '"),
        ("This account is currently not available.", "the machine sent 'This account is currently not available.' "),
        (#"{"upgraded":true}\0"#, wrong + "the field 'upgraded' is unknown"),
        (#"{}\0"#, wrong + "the field '"),
        (#"{"parameters":{}}\0"#, wrong + "the field '"),
        (#"{"parameters":{"clock":"c"}}\0"#, wrong + "the field '"),
        (#"{"parameters":{"items":[],"count":0}}\0"#, wrong + "the field 'clock' is missing"),
        (#"{"parameters":[]}\0"#, wrong + "expected object"),
        (#"{"parameters":{"items":{},"count":"1","clock":"c"}}\0"#, wrong + "expected "),
        (#"{"parameters":{"items":[{"id":"1"}],"count":-1.5,"clock":"c"}}\0"#, wrong),
        (#"{"parameters":{"items":[1],"count":null,"clock":"c"}}\0"#, wrong),
        (#"{"parameters":{"items":[],"count":0,"clock":"c"},"continues":"yes"}\0"#, wrong + "expected boolean"),
        (#"{"parameters":{"items":[],"count":0,"clock":"c"}} x\0"#, wrong + "something follows the value"),
        (
            #"{"parameters":{"items":[],"count":0,"clock":"c"}}\0{"parameters":{"items":[],"count":0,"clock":"c"}}\0"#,
            wrong + "more follows the last reply"
        ),
        (#"[]\0"#, "the machine sent '[]' "), (#"null\0"#, "the machine sent 'null' "), (#"{\0"#, wrong),
        (#"\0"#, wrong), (#"{"error":1}\0"#, wrong + "expected string"),
        (#"{"error":"org.example.No"}\0"#, "gatherd answered with org.example.No"),
        ("", "the connection has ended"), (#"{"parameters":"#, "the connection has ended"),
        (#"{"parameters":{"items":[],"count":0,"clock":"c"}}"#, "the connection has ended"),
    ]

    @Test(arguments: wrongAnswers) func aWrongAnswerIsAnError(bytes: String, message: String) async throws {
        let shell = try FakeShell(
            """
            if [ $host = cellar ]; then \(SilentHostTests.right); exit; fi
            printf '\(bytes)'
            """)
        for arguments in [["count", ""], ["find", ""], ["find", "", "--json"], ["find", "", "--quiet"]] {
            let one = await shell.gather(["-H", "attic"] + arguments)
            #expect(one.errors.contains(message), "\(arguments): \(one.errors)")
            #expect(one.status > 1 || message.hasPrefix("gatherd answered"), "\(arguments): \(one.status)")
            #expect(one.status != 0 && one.text == "", "\(arguments): \(one)")
            // One item is enough for it.
            if arguments.last == "--quiet" { continue }
            let both = await shell.gather(["-H", "attic", "-H", "cellar"] + arguments)
            #expect(both.errors.contains("attic: \(message)"), "\(arguments): \(both.errors)")
            #expect(both.status != 0, "\(arguments)")
            #expect(both.text.contains("cellar"), "\(arguments): \(both)")
        }
    }

    @Test func repliesThatAreAnnouncedToACallWithOneReplyAreAnError() async throws {
        let shell = try FakeShell(#"printf '{"parameters":{"count":1,"clock":"c"},"continues":true}\0'"#)
        let result = await shell.gather(["-H", "attic", "count", ""])
        #expect(result.status == 76 && result.text == "", "\(result)")
        #expect(result.errors.contains("a reply announces others to a call that has one"), "\(result.errors)")
    }

    @Test func aLineWithoutEndIsAnError() async throws {
        let shell = try FakeShell("printf '{\"parameters\":'; exec tr '\\0' ' ' < /dev/zero")
        for command in ["count", "find"] {
            let result = await shell.gather(["-H", "attic", command, ""])
            #expect(result.status == 76 && result.text == "", "\(result)")
            #expect(result.errors.contains("a message is longer than 67108864 bytes"), "\(result.errors)")
        }
    }

    @Test func aWatchOfOthersGoesOnBesideAWrongAnswer() async throws {
        let daemon = try await TestDaemon { try Change.write("", to: $0 + "/a") }
        let shell = try FakeShell(
            """
            if [ $host = attic ]; then echo Welcome; exit; fi
            exec '\(Product.gather.path)' bridge --end-with-input --socket '\(daemon.socket.path)'
            """)
        let watch = ChildProcess(
            .gather, ["-H", "attic", "-H", "cellar", "watch", ""], environment: ["GATHER_SSH": shell.directory + "/ssh"]
        )
        #expect(await watch.nextLine() == "  cellar:\(daemon.box)/a")
        let note = try #require(await watch.nextErrorLine())
        #expect(note.hasPrefix("gather: attic: the machine sent 'Welcome' before an answer"), "\(note)")
        try Change.write("", to: daemon.box + "/b")
        #expect(await watch.nextLine() == "+ cellar:\(daemon.box)/b")
        watch.kill(SIGINT)
        _ = await watch.result()
    }

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
