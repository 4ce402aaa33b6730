// The manual says what the programs do: every command, option and key, no other, and its examples run.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherKit
import Glibc
import TestSupport
import Testing

@Suite(.serialized)
struct ManualTests {
    /// The answer of a program to `--help`.
    private struct Help {
        var flags: Set<String> = []
        var commands: [String] = []

        init(_ product: Product, _ command: [String]) async {
            let text = await ManualTests.run(product, arguments: command + ["--help"]).text
            var section = ""
            for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
                if line.isEmpty { section = "" }
                if line == "OPTIONS:" { section = String(line) }
                // Commands may be in groups.
                if line.hasSuffix("SUBCOMMANDS:") { section = "SUBCOMMANDS:" }
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

    @Test(arguments: [Product.gatherd, .helper])
    func `The page of a daemon has its options`(_ product: Product) async throws {
        let help = await Help(product, [])
        #expect(help.flags.count > 5)
        #expect(try ManualPage("\(product.rawValue).8").flags.sorted() == help.flags.sorted())
    }

    @Test func `The page of the configuration has its keys, with their defaults`() async throws {
        var settings: [String: String] = [:]
        for file in ["gatherd.toml", "containers.d/grocery.toml"] {
            let text = try SourceTree.text("Config/\(file)")
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
            "XDG_STATE_HOME": daemon.directory + "/home",
        ]
        var count = 0
        for display in page.displays("runs") {
            for line in display.lines {
                count += 1
                let isLive = display.kind.hasPrefix("runs on")
                let result = await ShellLine.run(
                    line, in: daemon.box, environment: environment, program: product, isLive: isLive)
                if !isLive { #expect(result.errors == "", "\(line)") }
            }
        }
        #expect(count > 5)
        // The examples have done what they say.
        if product == .gather { #expect(access(daemon.box + "/a.log.gz", F_OK) == 0) }
    }
}
