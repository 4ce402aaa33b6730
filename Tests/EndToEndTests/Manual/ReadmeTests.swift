// The README: its commands run, and its Swift program prints matches and changes.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherKit
import Glibc
import TestSupport
import Testing

@Suite(.serialized)
struct ReadmeTests {
    /// Three screens of a terminal with 50 lines.
    private static let mostLines = 150

    private func text(_ path: String) throws -> String { try SourceTree.text(path) }

    /// The lines of the first code block after a heading.
    private func block(after heading: String, language: String) throws -> [String] {
        let readme = try text("README.md")
        let section = try #require(readme.firstRange(of: "\n## \(heading)\n"))
        let start = try #require(readme[section.upperBound...].firstRange(of: "\n```\(language)\n"))
        let rest = readme[start.upperBound...]
        let end = try #require(rest.firstRange(of: "\n```"))
        return rest[..<end.lowerBound].split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// Makes files so that each command of the README finds some.
    private func prepare(_ box: String) throws {
        for name in [
            "My R\u{E9}sum\u{E9} 1.pdf", "IMG_0001.jpg", "notes.txt", "STOP",
            "notes.sync-conflict-20260101-000000-ABCDEFG.txt",
        ] {
            try Change.write("x", to: box + "/" + name)
        }
        try Change.write(String(repeating: "line\n", count: 1000), to: box + "/a.log")
        let big = open(box + "/big.bin", O_WRONLY | O_CREAT, 0o644)
        ftruncate(big, 20_000_000)
        close(big)
        mkdir(box + "/Downloads", 0o755)
        try Change.write("x", to: box + "/Downloads/b.zip")
        try Change.extendedAttribute("user.xdg.tags", Array("urgent".utf8), of: box + "/notes.txt")
    }

    /// Runs a line of a shell. A `gather watch` is ended after its first line.
    private func run(_ line: String, in directory: String, environment: [String: String]) async {
        let isLive = line.hasPrefix("gather watch")
        var environment = environment
        environment["HOME"] = directory
        let result = await ShellLine.run(
            line, in: directory, environment: environment, program: .gather, isLive: isLive)
        if !isLive { #expect(line.contains("gzip") || !result.output.isEmpty, "\(line)") }
    }

    @Test func readmeIsAtMostThreeScreens() throws {
        #expect(try text("README.md").split(separator: "\n", omittingEmptySubsequences: false).count <= Self.mostLines)
    }

    /// The commands before the first heading, in a login shell of an ordinary user whom no session gave a directory for sockets, as
    /// after su(1). The watch is ended when it shows a change.
    @Test(
        .enabled(
            if: geteuid() != 0 && access("/run/user/\(geteuid())", F_OK) != 0, "an ordinary user without a session"))
    func theFirstCommandsOfTheReadmeRunAfterSu() async throws {
        let readme = try text("README.md")
        let block = try #require(readme.firstMatch(of: /\n```console\n((?s).*?)\n```/)).1
        let commands = block.split(separator: "\n").filter { $0.hasPrefix("$ ") }.map { $0.dropFirst(2) }
        try #require(commands.count == 4 && commands[0].hasPrefix("PATH=") && commands[3].hasPrefix("gather watch"))
        let home =
            URL(filePath: NSTemporaryDirectory()).resolvingSymlinksInPath().path() + "readme-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: home) }
        for directory in ["", "/photos", "/photos/2026"] { mkdir(home + directory, 0o755) }
        for (name, size) in [("beach", 2_000_000), ("dunes", 1)] {
            let file = open(home + "/photos/2026/\(name).jpg", O_WRONLY | O_CREAT, 0o644)
            ftruncate(file, size)
            close(file)
        }
        let programs = URL(filePath: Product.gather.path).deletingLastPathComponent().path()
        let script = """
            PATH=$0:$PATH
            \(commands[1])
            daemon=$!
            until [ -S ~/.local/state/gatherd/io.gatherd ]; do kill -0 $daemon || exit; done
            \(commands[2])
            stat -c %a ~/.local/state/gatherd ~/.local/state/gatherd/io.gatherd
            exec 3< <(exec \(commands[3])
            )
            watcher=$! lines=0
            while IFS= read -r line; do
                echo "$line"
                case $line in
                    '  '*) [ $((lines += 1)) -lt 2 ] || touch ~/photos/2026/harbour.jpg ;;
                    +*) mv ~/photos/2026/harbour.jpg ~/photos/2026/port.jpg ;;
                    '~'*'->'*) rm ~/photos/2026/dunes.jpg ;;
                    -*) break ;;
                esac
            done <&3
            kill $watcher $daemon
            wait
            """
        let result = await ChildProcess(
            path: "/usr/bin/env",
            [
                "-i", "HOME=" + home, "PATH=/usr/bin:/bin", "LANG=C.UTF-8", "/bin/bash", "--login", "-c", script,
                programs,
            ]
        ).result()
        let photos = home + "/photos/2026"
        // touch(1) may set the time anew after the file was made.
        let lines = result.lines.filter { $0 != "~ \(photos)/harbour.jpg" }
        try #require(lines.count == 8, "\(lines) \(result.errors)")
        #expect(lines[..<3] == [photos + "/beach.jpg", "700", "600"])
        #expect(lines[3..<5].sorted() == ["  \(photos)/beach.jpg", "  \(photos)/dunes.jpg"])
        #expect(
            lines[5...] == [
                "+ \(photos)/harbour.jpg", "~ \(photos)/harbour.jpg -> \(photos)/port.jpg", "- \(photos)/dunes.jpg",
            ])
        #expect(result.errors == "")
    }

    @Test func recipesOfTheReadmeRun() async throws {
        let daemon = try await TestDaemon()
        try prepare(daemon.box)
        let recipes = try block(after: "Recipes", language: "sh")
        #expect(recipes.count == 10)
        for line in recipes {
            await run(line, in: daemon.box, environment: ["GATHER_SOCKET": daemon.socket.path])
        }
        #expect(access(daemon.box + "/a.log.gz", F_OK) == 0)
    }

    @Test func readmeRunsWithoutADaemon() async throws {
        let directory = NSTemporaryDirectory() + "readme-\(UUID().uuidString)"
        mkdir(directory, 0o755)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try prepare(directory)
        let lines = try block(after: "Try it without a daemon", language: "sh").filter { $0.hasPrefix("gather ") }
        #expect(lines.count == 3)
        for line in lines { await run(line, in: directory, environment: ["GATHER_SOCKET": directory + "/none"]) }
    }

    @Test func swiftExampleIsTheOneThatIsTested() throws {
        let shown = try block(after: "From Python, a shell and Swift", language: "swift")
        let start = try #require(shown.firstIndex(of: "try await query.start()"))
        let lines = try text("Tests/EndToEndTests/Manual/ReadmeExample.swift").split(
            separator: "\n", omittingEmptySubsequences: false)
        let tested = lines.drop { $0 != "    try await query.start()" }.prefix { $0 != "}" }.map { $0.dropFirst(4) }
        #expect(shown[start...].elementsEqual(tested.map(String.init)))
    }

    @Test func swiftExamplePrintsMatchesThenChanges() async throws {
        let daemon = try await TestDaemon()
        try Change.write("1", to: daemon.box + "/old.jpg")
        // The predicate of the program.
        let shown = try block(after: "From Python, a shell and Swift", language: "swift").joined(separator: "\n")
        let predicate = try #require(shown.firstMatch(of: /predicate: "([^"]+)"/)?.1)
        let query = MetadataQuery(predicate: String(predicate), scopes: [.container("box")], socket: daemon.socket)
        let (lines, printed) = AsyncStream.makeStream(of: String.self)
        let task = Task { try await readmeExample(query) { printed.yield($0 + " " + $1) } }
        var iterator = lines.makeAsyncIterator()
        #expect(await iterator.next() == "  \(daemon.box)/old.jpg")
        try Change.rename(daemon.box + "/old.jpg", daemon.box + "/new.jpg")
        #expect(await iterator.next() == "~ \(daemon.box)/new.jpg")
        try Change.remove(daemon.box + "/new.jpg")
        #expect(await iterator.next() == "- \(daemon.box)/new.jpg")
        mkdir(daemon.box + "/album.jpg", 0o755)
        #expect(await iterator.next() == "+ \(daemon.box)/album.jpg")
        query.stop()
        _ = await task.result
    }
}
