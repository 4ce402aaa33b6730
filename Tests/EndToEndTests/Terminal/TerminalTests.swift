// The commands as a person sees them, on a terminal that script(1) plays.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestSupport
import Testing

@Suite(.serialized, .enabled(if: access("/usr/bin/script", X_OK) == 0))
struct TerminalTests {
    private static let escape = "\u{1B}["

    /// A program on a terminal, with arguments for a shell.
    private func start(_ arguments: String, _ environment: [String: String] = [:]) -> ChildProcess {
        let variables = ["TERM": "xterm", "TZ": "UTC", "NO_COLOR": ""].merging(environment) { $1 }
        return ChildProcess(
            path: "/usr/bin/script", ["-qec", "'\(Product.gather.path)' \(arguments)", "/dev/null"],
            environment: variables, input: nil)
    }

    /// Its lines; a terminal ends each with two characters.
    private func lines(_ arguments: String, _ environment: [String: String] = [:]) async -> [String] {
        await start(arguments, environment).result().text.split(separator: "\r\n").map(String.init)
    }

    private func tree() throws -> String {
        let tree =
            URL(filePath: NSTemporaryDirectory()).resolvingSymlinksInPath().path()
            + "gather-\(UUID().uuidString.prefix(8))"
        try Change.directory(tree)
        try Change.directory(tree + "/d")
        try Change.write("12", to: tree + "/a.txt")
        try Change.write(String(repeating: "x", count: 1_500), to: tree + "/big.txt")
        try Change.write("", to: tree + "/x\u{1B}[31my")
        try Change.symlink("d", tree + "/way")
        return tree
    }

    @Test func `find has columns and colours, and escapes what would steer the terminal`() async throws {
        let tree = try tree()
        defer { try? FileManager.default.removeItem(atPath: tree) }
        let escape = TerminalTests.escape
        let found = await lines("find '' --embedded --in \(tree) --sort name")
        let date = /20\d\d-\d\d-\d\d \d\d:\d\d/
        #expect(
            found.filter { !$0.contains("/d") }.map { $0.replacing(date, with: "DATE") } == [
                "\(escape)1mSIZE\(escape)0m  \(escape)1mMODIFIED\(escape)0m          \(escape)1mPATH\(escape)0m",
                "   2  \(escape)2mDATE\(escape)0m  \(tree)/a.txt", "1.5k  \(escape)2mDATE\(escape)0m  \(tree)/big.txt",
                "   1  \(escape)2mDATE\(escape)0m  \(escape)36m\(tree)/way\(escape)0m",
                "   0  \(escape)2mDATE\(escape)0m  \(tree)/x\\e[31my",
            ])
        #expect(found.contains { $0.hasSuffix("  \(escape)34m\(tree)/d\(escape)0m") })
        for variables in [["NO_COLOR": "1"], ["TERM": "dumb"]] {
            let plain = await lines("find \"kind == 'symlink'\" --embedded --in \(tree)", variables)
            #expect(
                plain.map { $0.replacing(date, with: "DATE") } == [
                    "SIZE  MODIFIED          PATH", "   1  DATE  \(tree)/way",
                ])
        }
        #expect(
            await lines("find \"name == 'a.txt'\" --embedded --in \(tree) --attributes size,name")
                == ["\(escape)1mSIZE\(escape)0m  \(escape)1mNAME\(escape)0m", "   2  a.txt"])
    }

    @Test func `values and show are for reading`() async throws {
        let tree = try tree()
        defer { try? FileManager.default.removeItem(atPath: tree) }
        let escape = TerminalTests.escape
        #expect(
            await lines("values fileExtension --embedded --in \(tree)")
                == [
                    "\(escape)1mCOUNT\(escape)0m  \(escape)1mFILEEXTENSION\(escape)0m",
                    "    3  \(escape)2m(none)\(escape)0m", "    2  txt",
                ])
        #expect(
            await lines("show --embedded --attributes name,size \(tree)/x*") == [
                #"name = "x\e[31my""#, "size = 0",
            ])
    }

    /// From the sixteenth look on, three of them here: a reading that is over sooner shows nothing.
    @Test func `find shows a bar while a container is read, and takes it away`() async throws {
        let escape = TerminalTests.escape
        for looks in [15, 18] {
            let daemon = CrawlingDaemon(crawlingLooks: looks)
            defer { daemon.stop() }
            let found = await start("find '' --count --socket \(daemon.path)", ["LC_ALL": "C"]).result()
            let bars = (16..<max(16, looks + 1)).map { look in
                let before = String(repeating: "-", count: look - 15)
                let behind = String(repeating: "-", count: 26 - before.count)
                return "\r\(escape)Kreading box  \(before)####\(behind)  \(look) items so far"
            }
            #expect(found.text == bars.joined() + (bars.isEmpty ? "" : "\r\(escape)K") + "3\r\n")
            #expect(found.status == 0)
        }
    }

    @Test func progressLineGoesAwayOnInterrupt() async throws {
        let escape = TerminalTests.escape
        let daemon = CrawlingDaemon(crawlingLooks: .max)
        defer { daemon.stop() }
        // The shell of script(1) waits for the command, and passes its output on.
        let find = start("find '' --count --socket \(daemon.path) & trap 'kill -INT $!' USR1; echo $$; wait; wait")
        let shell = try #require(await find.nextLine().flatMap { Int32($0.filter(\.isNumber)) })
        while daemon.lookCount < 17 { await Task.yield() }
        kill(shell, SIGUSR1)
        let shown = await find.result().text
        #expect(shown.contains("reading box"))
        #expect(shown.hasSuffix("\r\(escape)K"), "\(shown.suffix(80))")
    }

    /// Two columns for an ideograph, as wide as the terminal, and the path whole.
    @Test func tableCutsMiddleColumnsToTheTerminal() async throws {
        let tree = try tree()
        defer { try? FileManager.default.removeItem(atPath: tree) }
        try Change.write("", to: tree + "/漢字.md")
        try Change.write("", to: tree + "/" + String(repeating: "long", count: 30) + ".md")
        let find = ChildProcess(
            path: "/usr/bin/script",
            [
                "-qec",
                "stty cols 60; '\(Product.gather.path)' find -e md --embedded --in \(tree) --attributes size,name,kind --sort size",
                "/dev/null",
            ], environment: ["TERM": "xterm", "NO_COLOR": "1", "LC_ALL": "C.UTF-8"], input: nil)
        let found = await find.result().text.split(separator: "\r\n").map(String.init)
        #expect(found.count == 3)
        #expect(found.first?.hasPrefix("SIZE  NAME ") == true && found.first?.hasSuffix("  KIND") == true)
        #expect(found.contains { $0.hasPrefix("   0  longlong") && $0.contains("…  file") && $0.count == 60 })
        let wide = try #require(found.first { $0.contains("漢字") })
        // Two more columns than characters.
        #expect(wide.hasSuffix("  file") && wide.count == 58)
    }

    @Test func `watch paints what came, changed and went`() async throws {
        let tree = try tree()
        defer { try? FileManager.default.removeItem(atPath: tree) }
        let escape = TerminalTests.escape
        let watch = start("watch \"name ENDSWITH 'a.txt' OR name BEGINSWITH 'b.'\" --embedded --in \(tree)")
        func next() async -> String? { await watch.nextLine()?.replacing("\r", with: "") }
        #expect(await next() == "  \(tree)/a.txt")
        #expect(await next() == "\(escape)2m1 item matches now. Ctrl-C ends the watch.\(escape)0m")
        try Change.rename(tree + "/a.txt", tree + "/b.\u{7}")
        #expect(await next() == "\(escape)33m~ \(tree)/a.txt -> \(tree)/b.\\x07\(escape)0m")
        try Change.rename(tree + "/b.\u{7}", tree + "/c")
        #expect(await next() == "\(escape)31m- \(tree)/b.\\x07\(escape)0m")
        try Change.rename(tree + "/c", tree + "/b.")
        #expect(await next() == "\(escape)32m+ \(tree)/b.\(escape)0m")
        watch.kill()
        _ = await watch.result()
    }
}
