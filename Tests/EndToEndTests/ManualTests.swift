// The manual says what the programs do: every command, option and key, no other, and its examples run.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherKit
import Glibc
import Testing

@Suite(.serialized, .timeLimit(.minutes(20)))
struct ManualTests {
    /// What a program says of itself with `--help`.
    private struct Help {
        var flags: Set<String> = []
        var commands: [String] = []

        init(_ product: Product, _ command: [String]) async {
            let text = await ManualTests.run(product, arguments: command + ["--help"]).text
            var section = ""
            for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
                if line.isEmpty { section = "" }
                if line == "OPTIONS:" || line == "SUBCOMMANDS:" { section = String(line) }
                if section == "OPTIONS:", let match = line.firstMatch(of: /^  ((-\w|--[\w-]+)(, --[\w-]+)*)/) {
                    flags.formUnion(match.1.split(separator: ", ").map(String.init))
                } else if section == "SUBCOMMANDS:", let match = line.firstMatch(of: /^  ([\w-]+)/) {
                    commands.append(String(match.1))
                }
            }
        }
    }

    private static func run(_ product: Product, arguments: [String]) async -> ChildProcess.Result {
        await ChildProcess(product, arguments).result()
    }

    private static let common: Set<String> = ["--version", "--help", "-h"]

    @Test(arguments: [Product.gather, .grocery])
    func `The page of a command has each of its commands, with the options of each`(_ product: Product) async throws {
        let page = try ManualPage("\(product.rawValue).1").commands()
        var commands: [String: Set<String>] = ["help": []]
        var waiting: [[String]] = [[]]
        while let command = waiting.popLast() {
            let help = await Help(product, command)
            #expect(help.flags.isSuperset(of: ManualTests.common), "\(command)")
            waiting += help.commands.map { command + [$0] }
            if help.commands.isEmpty {
                commands[command.joined(separator: " ")] = help.flags.subtracting(ManualTests.common)
            }
        }
        #expect(commands.count > 5)
        #expect(page.keys.sorted() == commands.keys.sorted())
        for (name, flags) in commands where name != "help" {
            #expect(page[name]?.sorted() == flags.sorted(), "\(product.rawValue) \(name)")
        }
    }

    @Test func `The page of the daemon has its options`() async throws {
        let help = await Help(.gatherd, [])
        #expect(help.flags.count > 5)
        #expect(try ManualPage("gatherd.8").flags.sorted() == help.flags.sorted())
    }

    @Test func `The page of the configuration has its keys, with their defaults`() async throws {
        var root = URL(filePath: #filePath).resolvingSymlinksInPath()
        for _ in 0..<3 { root.deleteLastPathComponent() }
        var settings: [String: String] = [:]
        for file in ["gatherd.toml", "containers.d/grocery.toml"] {
            let text = try String(contentsOf: root.appending(path: "Config/\(file)"), encoding: .utf8)
            for match in text.matches(of: /(?m)^([a-z-]+) = (.*)$/) { settings[String(match.1)] = String(match.2) }
        }
        #expect(settings.count > 5)
        let page = try ManualPage("gatherd.toml.5")
        #expect(page.settings == settings)

        let directory = NSTemporaryDirectory() + "manual-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: directory + "/containers.d", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        for (kind, file) in [("daemon", "gatherd.toml"), ("container", "containers.d/photos.toml")] {
            let display = try #require(page.displays(kind).first)
            try (display.lines.joined(separator: "\n") + "\n").write(
                toFile: directory + "/" + file, atomically: false, encoding: .utf8)
        }
        let checked = await ManualTests.run(
            .gatherd, arguments: ["--check-config", "--config", directory + "/gatherd.toml"])
        #expect(checked.text.hasPrefix("the configuration is in order: 1 container ("), "\(checked.errors)")
    }

    @Test(arguments: [Product.gather, .grocery])
    func `Examples run`(_ product: Product) async throws {
        let daemon = try await TestDaemon()
        mkdir(daemon.box + "/Documents", 0o755)
        for name in ["Item_1", "a.log"] { try Change.write("1", to: daemon.box + "/" + name) }
        let page = try ManualPage("\(product.rawValue).1")
        let environment = [
            "GATHER_SOCKET": daemon.socket.path, "GROCERY_CONTAINER": "box", "clock": "of-another-life",
            "PATH": URL(filePath: product.path).deletingLastPathComponent().path() + ":/usr/bin:/bin",
        ]
        var count = 0
        for display in page.displays("runs") {
            for line in display.lines {
                count += 1
                // Its last command takes the place of the shell, and gets its signals.
                let process = ChildProcess(
                    path: "/bin/bash", ["-euc", "cd '\(daemon.box)'; \(line)"], environment: environment)
                if display.kind.hasPrefix("runs on") {
                    #expect(await process.nextLine() != nil, "\(line)")
                    process.kill(SIGINT)
                    #expect(await process.result().status == 130, "\(line)")
                } else {
                    let result = await process.result()
                    #expect(result.status == 0, "\(line): \(result.errors)")
                    #expect(result.errors == "", "\(line)")
                }
            }
        }
        #expect(count > 5)
        // The examples have done what they say.
        if product == .gather { #expect(access(daemon.box + "/a.log.gz", F_OK) == 0) }
    }
}
