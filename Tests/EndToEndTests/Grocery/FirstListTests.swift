// grocery init: from nothing to a list.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherKit
import Glibc
import TestSupport
import Testing

@Suite(.serialized) struct FirstListTests {
    /// A home directory of a user for whom nothing runs.
    private final class Home: Sendable {
        let path: String
        let socket: String

        init() {
            path =
                URL(filePath: NSTemporaryDirectory()).resolvingSymlinksInPath().path()
                + "gather-\(UUID().uuidString.prefix(8))"
            socket = path + "/s"
            mkdir(path, 0o755)
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }

        /// The daemon is one of this test's own, whatever daemon this user has.
        var environment: [String: String] {
            [
                "HOME": path, "XDG_STATE_HOME": path + "/state", "XDG_CONFIG_HOME": path + "/config",
                "GATHER_SOCKET": socket,
            ]
        }

        func grocery(_ arguments: String...) async -> ChildProcess.Result {
            await ChildProcess(.grocery, arguments, environment: environment).result()
        }

        /// Ends the daemon that a command started.
        func endDaemon(_ said: String) {
            guard let number = said.firstMatch(of: /gatherd \(process (\d+)\)/).flatMap({ pid_t($0.1) }) else { return }
            kill(number, SIGTERM)
            // This process has no such child to wait for. If the machine's first process reaps no orphans, it stays a zombie.
            while let status = try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8),
                !status.contains(") Z ")
            {}
        }
    }

    @Test func aFirstListIsMadeAndThenIsThere() async throws {
        let home = Home()
        let made = await home.grocery("init", "--yes")
        defer { home.endDaemon(made.text) }
        #expect(made.status == 0, "\(made.errors)")
        let log = home.path + "/state/gatherd/gatherd.log"
        try #require(made.lines.count == 4, "\(made.text)")
        #expect(made.lines[0].wholeMatch(of: /started gatherd \(process \d+\); its log is (.*)/)?.1 == log[...])
        #expect(made.lines[1] == "made \(home.path)/Grocery")
        #expect(made.lines[2] == "\(home.path)/Grocery is watched as 'grocery'")
        #expect(await home.grocery("add", "Milk").status == 0)
        #expect(await home.grocery("list").text.hasSuffix("  Milk\n"))

        let again = await home.grocery("init", "--yes")
        #expect(again.status == 0 && again.lines.first == "'grocery' is at \(home.path)/Grocery", "\(again)")
        let elsewhere = await home.grocery("init", "--yes", home.path + "/elsewhere")
        #expect(elsewhere.status == 1 && elsewhere.errors.contains("is at \(home.path)/Grocery already"))
        #expect(access(home.path + "/elsewhere", F_OK) != 0)
        let second = await home.grocery("init", "--yes", "--container", "shop", home.path + "/a/b")
        #expect(second.lines.prefix(2) == ["made \(home.path)/a/b", "\(home.path)/a/b is watched as 'shop'"])
    }

    @Test func withoutATerminalNothingIsDoneUnasked() async {
        let home = Home()
        let result = await home.grocery("init")
        #expect(result.status == 64 && result.text == "")
        #expect(result.errors.contains("With --yes, grocery init does that without a question"), "\(result.errors)")
        #expect(access(home.path + "/Grocery", F_OK) != 0 && access(home.socket, F_OK) != 0)
        let list = await home.grocery("list")
        #expect(list.status == 69 && list.errors.hasSuffix("For a first list: grocery init\n"), "\(list.errors)")
    }

    /// Root has the configuration of the system.
    @Test(.enabled(if: geteuid() != 0, "an ordinary user")) func aDaemonThatCannotStartSaysWhy() async throws {
        let home = Home()
        mkdir(home.path + "/config", 0o755)
        mkdir(home.path + "/config/gatherd", 0o755)
        try "nonsense".write(toFile: home.path + "/config/gatherd/gatherd.toml", atomically: false, encoding: .utf8)
        let result = await home.grocery("init", "--yes")
        #expect(result.status == 1 && result.errors.contains("gatherd ended at once: "), "\(result.errors)")
        #expect(result.errors.contains("gatherd.toml:1"), "\(result.errors)")
    }

    @Test func aListThatCannotBeUsedIsNoSuccess() async throws {
        let home = Home()
        let first = await home.grocery("init", "--yes")
        defer { home.endDaemon(first.text) }
        #expect(
            try FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/\(try #require(first.text.firstMatch(of: /process (\d+)/)?.1))/cwd") == "/")
        // The directory is gone since.
        try FileManager.default.moveItem(atPath: home.path + "/Grocery", toPath: home.path + "/away")
        let again = await home.grocery("init", "--yes")
        #expect(
            again.lines.prefix(2) == ["made \(home.path)/Grocery", "'grocery' is at \(home.path)/Grocery"], "\(again)")
        #expect(await home.grocery("add", "Milk").status == 0)
        // A link that leads nowhere, no name at all, and names that gatherd refuses.
        symlink(home.path + "/nowhere", home.path + "/link")
        #expect(await home.grocery("init", "--yes", "--container", "l", home.path + "/link").status == 1)
        #expect(await home.grocery("init", "--yes", "--container", "e", "").status == 64)
        for (identifier, directory) in [("a b/c", "/new/x"), ("inner", "/Grocery/inner")] {
            let refused = await home.grocery("init", "--yes", "--container", identifier, home.path + directory)
            #expect(refused.status == 1 && refused.text == "", "\(refused)")
            #expect(access(home.path + directory, F_OK) != 0 && access(home.path + "/new", F_OK) != 0)
        }
    }

    @Test func theFullScreenOffersAFirstList() async throws {
        let home = Home()
        let view = PseudoTerminal(path: Product.grocery.path, [], environment: home.environment, width: 200)
        defer { view.kill(SIGKILL) }
        await view.until("Make a first list? [Y/n]")
        view.type("\r")
        await view.until("Start it in the background")
        view.type("\r")
        await view.until("Make the directory \(home.path)/Grocery?")
        view.type("\r")
        let screen = await view.until("The list is empty. Press a")
        #expect(screen != nil)
        view.type("q")
        #expect(await view.status() == 0)
        let client = GatherClient(socket: DaemonSocket(path: home.socket))
        home.endDaemon("gatherd (process \(try await client.status().processID))")
    }

    @Test func noIsAnAnswer() async {
        let home = Home()
        let view = PseudoTerminal(path: Product.grocery.path, ["init"], environment: home.environment, width: 200)
        await view.until("Start it in the background")
        view.type("n\r")
        #expect(await view.status() == 1)
        #expect(view.screen.text.contains("grocery: nothing more was done"))
        #expect(access(home.socket, F_OK) != 0 && access(home.path + "/Grocery", F_OK) != 0)
    }
}
