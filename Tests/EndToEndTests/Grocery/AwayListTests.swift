// A list whose directory is away.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherKit
import Glibc
import TestSupport
import Testing

struct AwayListTests {
    private struct World {
        let daemon: TestDaemon

        init() async throws {
            daemon = try await TestDaemon()
            _ = await run("add", "Milk", "Bread #market")
        }

        func run(_ arguments: String...) async -> ChildProcess.Result {
            await ChildProcess(
                .grocery, arguments + ["--socket", daemon.socket.path, "--container", "box"],
                environment: ["XDG_STATE_HOME": daemon.directory + "/home"]
            ).result()
        }

        func leave() throws {
            try FileManager.default.moveItem(atPath: daemon.box, toPath: daemon.box + ".away")
        }
        func comeBack() throws {
            try FileManager.default.moveItem(atPath: daemon.box + ".away", toPath: daemon.box)
        }
    }

    @Test func noCommandGivesAnEmptyAnswer() async throws {
        let world = try await World()
        try world.leave()
        for arguments in [
            ["list"], ["list", "--json"], ["list", "--tag", "market"], ["export"], ["export", "--format", "todo"],
            ["tags"],
            ["conflicts"], ["lists"], ["show", "milk"], ["buy", "milk"], ["rename", "milk", "Tea"], ["remove", "milk"],
            ["undo"], ["add", "Tea"], ["edit", "milk"], ["image", "milk", "/dev/null"],
        ] {
            let result = await ChildProcess(
                .grocery, arguments + ["--socket", world.daemon.socket.path, "--container", "box"],
                environment: ["XDG_STATE_HOME": world.daemon.directory + "/home"]
            ).result()
            #expect(result.status == 3 && result.text == "", "\(arguments): \(result)")
            #expect(
                result.errors.contains(/^grocery: the list is away since \d{4}-\d\d-\d\d \d\d:\d\d: .* is missing\n$/),
                "\(arguments): \(result.errors)")
        }
        #expect(access(world.daemon.box, F_OK) != 0, "nothing was made in its place")
        try world.comeBack()
        #expect(await world.run("list").lines.count == 2)
        #expect(await world.run("undo").text == "undone: add 2 items\n")
    }

    @Test func aWatchKeepsWhatItShows() async throws {
        let world = try await World()
        let watch = ChildProcess(
            path: "/bin/sh",
            [
                "-c", #"exec "$0" watch --socket "$1" --container box 2>&1"#, Product.grocery.path,
                world.daemon.socket.path,
            ], environment: ["XDG_STATE_HOME": world.daemon.directory + "/home"])
        #expect(await watch.nextLine()?.hasPrefix("  Bread") == true)
        #expect(await watch.nextLine() == "  Milk")
        try world.leave()
        #expect(await watch.nextLine()?.hasPrefix("grocery: the list is away since ") == true)
        // A change meanwhile is told when the list is back, and nothing else.
        let folder = world.daemon.box + ".away/Documents"
        let file = try #require(
            try FileManager.default.contentsOfDirectory(atPath: folder).first { name in
                try String(contentsOfFile: folder + "/" + name, encoding: .utf8) == "Milk\n"
            })
        try Change.write("Oat milk\n", to: folder + "/" + file)
        try world.comeBack()
        #expect(await watch.nextLine() == "grocery: the list is back")
        #expect(await watch.nextLine() == "~ Milk -> Oat milk")
        _ = await world.run("add", "Tea")
        #expect(await watch.nextLine() == "+ Tea")
        watch.kill(SIGTERM)
        #expect(await watch.nextLine() == nil)
    }

    @Test func theFullScreenKeepsWhatItShows() async throws {
        let world = try await World()
        let view = PseudoTerminal(
            path: Product.grocery.path, ["--socket", world.daemon.socket.path, "--container", "box"],
            environment: ["XDG_STATE_HOME": world.daemon.directory + "/home"], width: 120)
        defer { view.kill(SIGKILL) }
        await view.until("[ ] Milk")
        try world.leave()
        let screen = try #require(await view.until("Not live: the list is away since"))
        #expect(screen.text.contains("[ ] Milk") && screen.text.contains("[ ] Bread"))
        // A typed line is given back.
        view.type("aTea\r")
        await view.until { $0.text.contains("Add: Tea") && $0.text.contains("the list is away") }
        try world.comeBack()
        await view.untilGone("Not live:")
        view.type("\r")
        await view.until("[ ] Tea")
        view.type("\u{1B}")
        await view.until("q Quit")
        view.type("q")
        #expect(await view.status() == 0)
    }

    @Test func aListThatDoesNotExistIsNoEmptyList() async throws {
        let world = try await World()
        for arguments in [["list"], ["export"], ["tags"], ["conflicts"], ["watch"], ["buy", "milk"]] {
            let result = await ChildProcess(
                .grocery, arguments + ["--list", "Prty", "--socket", world.daemon.socket.path, "--container", "box"],
                environment: ["XDG_STATE_HOME": world.daemon.directory + "/home"]
            ).result()
            #expect(result.status == 1 && result.text == "", "\(arguments): \(result)")
            #expect(
                result.errors == "grocery: there is no list 'Prty'; 'grocery lists' names those there are\n",
                "\(arguments): \(result.errors)")
        }
        let added = await world.run("add", "--list", "Party", "Wine")
        #expect(added.status == 0 && added.errors == "grocery: this is the first of the list 'Party'\n")
        #expect(await world.run("add", "--list", "Party", "Beer").errors == "")
        _ = await world.run("convert", "--list", "Party", "--to-package")
        _ = await world.run("add", "--list", "Zoo", "Hay")
        _ = await world.run("settings", "--use", "Party")
        #expect(await world.run("lists").text == "  2  the documents folder\n* 2  Party\n  1  Zoo\n")
        // One that lost its last item is an empty list.
        _ = await world.run("remove", "--list", "Zoo", "hay")
        let empty = await world.run("list", "--list", "Zoo")
        #expect(empty.status == 0 && empty.text == "")
    }
}
