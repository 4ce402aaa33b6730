// grocery on a terminal: the full-screen view, driven by keys.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherKit
import Glibc
import TestSupport
import Testing

@Suite(.serialized) struct FullScreenTests {
    private static let escape = "\u{1B}"
    private static let down = "\u{1B}[B"

    private func view(
        _ daemon: TestDaemon, _ environment: [String: String] = [:], width: Int = 80, height: Int = 24
    ) -> PseudoTerminal {
        PseudoTerminal(
            path: Product.grocery.path, ["--socket", daemon.socket.path, "--container", "box"],
            environment: environment, width: width, height: height)
    }

    /// The first lines of the items' files.
    private func names(_ daemon: TestDaemon) throws -> [String] {
        let folder = daemon.box + "/Documents"
        return try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix("Item_") }.map {
            let text = try String(contentsOfFile: folder + "/" + $0, encoding: .utf8)
            return text.split(separator: "\n", omittingEmptySubsequences: false).first.map(String.init) ?? ""
        }.sorted()
    }

    /// Waits for the end, and expects the terminal as a shell has it.
    private func expectRestored(_ view: PseudoTerminal, _ status: Int32) async {
        #expect(await view.status() == status)
        let screen = view.screen
        #expect(!screen.isAlternate && screen.hasCursor && screen.unknown.isEmpty, "\(screen.unknown)")
    }

    @Test func `Items are added, bought, renamed, tagged and removed with keys, and each step is undone`() async throws
    {
        let daemon = try await TestDaemon()
        let view = view(daemon)
        defer { view.kill(SIGKILL) }
        await view.until("The list is empty. Press a")
        view.type("a2 kg flour #market\r")
        await view.until("[ ] flour, 2 kg  #market")
        #expect(try names(daemon) == ["flour"])
        view.type(FullScreenTests.escape)
        await view.until("q Quit")
        view.type(" ")
        await view.until("• [x] flour")
        view.type("u")
        await view.until("• [ ] flour")
        view.type("r\u{15}Rye flour\r")
        await view.until("[ ] Rye flour")
        view.type("tbaker\r")
        await view.until("#market #baker")
        view.type("n\u{15}3 kg\r")
        await view.until("Rye flour, 3 kg")
        view.type("d")
        await view.until("The list is empty.")
        #expect(try names(daemon) == [])
        view.type("u")
        let screen = try #require(await view.until("[ ] Rye flour, 3 kg"))
        #expect(screen.hasColour)
        let after = try names(daemon)
        #expect(after == ["Rye flour"], "\(after)")
        view.type("q")
        await expectRestored(view, 0)
    }

    @Test func `Changes by others appear at once beside a half-typed line and the selection`() async throws {
        let daemon = try await TestDaemon()
        _ = await daemon.grocery("add", "Bread")
        let view = view(daemon)
        defer { view.kill(SIGKILL) }
        await view.until(">• [ ] Bread")
        view.type("asugar")
        await view.until("Add: sugar")
        _ = await daemon.grocery("add", "Apples")
        let screen = try #require(await view.until("[ ] Apples"))
        #expect(screen.text.contains(">• [ ] Bread") && screen.text.contains("Add: sugar"))
        // The text is told after a signal.
        view.kill(SIGTERM)
        await expectRestored(view, 143)
        #expect(view.screen.text.contains("not saved: sugar"))
    }

    @Test func `A predicate filters, and other commands run from the view`() async throws {
        let daemon = try await TestDaemon()
        for name in ["Bread #bakery", "Apples #market", "Tea #market"] { _ = await daemon.grocery("add", name) }
        let view = view(daemon)
        defer { view.kill(SIGKILL) }
        await view.until("[ ] Bread")
        view.type("/tags == 'market'")
        await view.untilGone("[ ] Bread")
        #expect(view.screen.text.contains("[ ] Apples") && view.screen.text.contains("[ ] Tea"))
        // It is live.
        _ = await daemon.grocery("add", "Plums #market")
        await view.until("[ ] Plums")
        view.type(FullScreenTests.escape)
        await view.until("[ ] Bread")
        // A shell runs the command, on this list.
        let file = daemon.directory + "/list.txt"
        view.type(":export --format todo | sort > \(file)\r")
        await view.until("Enter returns to the list.")
        view.type("\r")
        await view.until { $0.isAlternate && $0.text.contains("[ ] Bread") }
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.split(separator: "\n").count == 4, "\(text)")
        view.type(":buy nothing\r")
        await view.until("Enter returns to the list.")
        view.type("\r")
        await view.until("The command ended with status")
        view.type("q")
        await expectRestored(view, 0)
    }

    @Test func anItemThatAnotherRemovesStaysInItsDetailsAndComesBack() async throws {
        let daemon = try await TestDaemon()
        _ = await daemon.grocery("add", "Milk", "Tea", "--note", "from the market")
        let view = view(daemon, width: 80)
        defer { view.kill(SIGKILL) }
        await view.until(">• [ ] Milk")
        view.type("\r")
        await view.until("from the market")
        _ = await daemon.grocery("remove", "Milk")
        await view.until("Milk was removed by")
        #expect(view.screen.text.contains("Removed by"))
        view.type("d")
        view.type("u")
        await view.until("Milk is back")
        #expect(try names(daemon) == ["Milk", "Tea"])
        view.type("q")
        await expectRestored(view, 0)
    }

    @Test func `A name that another person changed meanwhile is not lost`() async throws {
        let daemon = try await TestDaemon()
        _ = await daemon.grocery("add", "Milk")
        let view = view(daemon)
        defer { view.kill(SIGKILL) }
        await view.until("[ ] Milk")
        view.type("r")
        await view.until("Name: Milk")
        _ = await daemon.grocery("rename", "Milk", "Oat milk")
        await view.until("[ ] Oat milk")
        view.type("\u{15}Soy milk\r")
        await view.until("! [ ] Soy milk")
        let folder = daemon.box + "/Documents"
        let texts = try FileManager.default.contentsOfDirectory(atPath: folder).map {
            try String(contentsOfFile: folder + "/" + $0, encoding: .utf8)
        }
        #expect(Set(texts) == ["Soy milk\n", "Oat milk\n"])
        view.type("q")
        await expectRestored(view, 0)
    }

    @Test func `A list that is converted meanwhile stays on the screen, and goes on in its new form`() async throws {
        let daemon = try await TestDaemon()
        _ = await daemon.grocery("add", "Bread", "--list", "Party")
        let view = PseudoTerminal(
            path: Product.grocery.path, ["--socket", daemon.socket.path, "--container", "box", "--list", "Party"],
            environment: [:], width: 80, height: 24)
        defer { view.kill(SIGKILL) }
        await view.until(">• [ ] Bread")
        for (number, form) in ["--to-package", "--to-folder"].enumerated() {
            #expect(await daemon.grocery("convert", form, "Party", "--list", "Party").status == 0)
            view.type("aMilk \(number)\r\u{1B}")
            await view.until("[ ] Milk \(number)")
            let folder = daemon.box + "/Documents/" + (number == 0 ? "Party.gro/items" : "Party")
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix("Item_") }.count
                    == number + 2)
            await view.until("[ ] Bread")
        }
        #expect(!FileManager.default.fileExists(atPath: daemon.box + "/Documents/Party.gro"))
        view.type("q")
        await expectRestored(view, 0)
    }

    @Test func `The filter shows matches while one types`() async throws {
        let daemon = try await TestDaemon()
        for name in ["Bread", "Apples", "日本茶"] { _ = await daemon.grocery("add", name) }
        let view = view(daemon)
        defer { view.kill(SIGKILL) }
        await view.until("日本茶")
        view.type("/日")
        await view.untilGone("Bread")
        #expect(view.screen.text.contains(">• [ ] 日本茶"))
        view.type(FullScreenTests.escape)
        await view.until("Bread")
        view.type("q")
        await expectRestored(view, 0)
    }

    @Test(
        arguments: [
            (SIGINT, 130), (SIGTERM, 143), (SIGHUP, 129), (SIGQUIT, 131), (SIGUSR1, 138), (SIGABRT, 134),
            (SIGSEGV, 139),
            (SIGILL, 132),
        ] as [(Int32, Int32)])
    func `The terminal is restored after a signal or a crash`(_ signal: Int32, _ status: Int32) async throws {
        let daemon = try await TestDaemon()
        // On a terminal, the runtime of Swift would ask how to go on after a crash.
        let view = view(daemon, ["SWIFT_BACKTRACE": "enable=no"])
        defer { view.kill(SIGKILL) }
        await view.until("The list is empty.")
        #expect(view.screen.isAlternate && !view.isCooked)
        if signal == SIGINT { view.type("\u{3}") } else { view.kill(signal) }
        await expectRestored(view, status)
    }

    @Test func `The terminal is the shell's while the view is stopped`() async throws {
        let daemon = try await TestDaemon()
        let view = view(daemon)
        defer { view.kill(SIGKILL) }
        await view.until("The list is empty.")
        view.type("\u{1A}")
        await view.until { !$0.isAlternate }
        while try !String(contentsOfFile: "/proc/\(view.processID)/stat", encoding: .utf8).contains(") T") {
            await Task.yield()
        }
        #expect(view.isCooked)
        view.kill(SIGCONT)
        await view.until { $0.isAlternate && $0.text.contains("The list is empty.") }
        #expect(!view.isCooked)
        view.type("q")
        await expectRestored(view, 0)
    }

    @Test func `The editor has the terminal, and its text is saved`() async throws {
        let daemon = try await TestDaemon()
        _ = await daemon.grocery("add", "Milk")
        let script = daemon.directory + "/editor"
        try Change.write(
            "#!/bin/sh\nstty -a >'\(daemon.directory)/stty'\nsed -i 's/Milk/Oat milk/' \"$2\"\n", to: script)
        chmod(script, 0o755)
        let view = view(daemon, ["EDITOR": "\(script) --wait"])
        defer { view.kill(SIGKILL) }
        await view.until(">• [ ] Milk")
        view.type("e")
        await view.until(">• [ ] Oat milk")
        #expect(view.screen.isAlternate && !view.isCooked)
        let settings = try String(contentsOfFile: daemon.directory + "/stty", encoding: .utf8)
        #expect(settings.contains(" icanon") && !settings.contains("-echo "))
        #expect(try names(daemon) == ["Oat milk"])
        view.type("q")
        await expectRestored(view, 0)
    }

    @Test func `A text of the editor that cannot be saved is kept, and opened again`() async throws {
        let daemon = try await TestDaemon()
        _ = await daemon.grocery("add", "Milk")
        let script = daemon.directory + "/editor"
        // The first time it leaves a text without a name, and then it gives it one.
        try Change.write(
            "#!/bin/sh\nif [ -e \"$0.second\" ]; then sed -i '1s/.*/Oat milk/' \"$1\"; else sed -i '1s/.*//' \"$1\"; fi\n: >\"$0.second\"\n",
            to: script)
        chmod(script, 0o755)
        let view = view(daemon, ["EDITOR": script, "TMPDIR": daemon.directory], width: 200)
        defer { view.kill(SIGKILL) }
        await view.until(">• [ ] Milk")
        view.type("e")
        await view.until("e opens the text again: \(daemon.directory)/grocery-")
        #expect(try names(daemon) == ["Milk"])
        view.type("e")
        await view.until(">• [ ] Oat milk")
        let left = try FileManager.default.contentsOfDirectory(atPath: daemon.directory)
        #expect(!left.contains { $0.hasPrefix("grocery-") })
        view.type("q")
        await expectRestored(view, 0)
    }

    @Test func `The screen follows the size of the window`() async throws {
        let daemon = try await TestDaemon()
        for name in ["Bread", "Apples"] { _ = await daemon.grocery("add", name) }
        let view = view(daemon)
        defer { view.kill(SIGKILL) }
        await view.until("Bread")
        #expect(view.screen.text.contains("│"))
        for (width, height) in [(40, 10), (20, 5), (1, 1), (5, 2), (120, 40), (80, 24)] {
            view.resize(width: width, height: height)
            let expected = width >= 20 ? "q Quit" : width == 5 ? ">•" : ">"
            await view.until {
                $0.text.contains(expected) && (width < 20 || $0.lines.last?.hasSuffix("q Quit") == true)
            }
            #expect(view.screen.text.contains("│") == (width >= 60))
        }
        view.type("q")
        await expectRestored(view, 0)
    }

    @Test(arguments: [
        ["NO_COLOR": "1"], ["TERM": "vt100"], ["TERM": "vt100", "LC_ALL": "C"], ["LC_ALL": "C", "NO_COLOR": "1"],
    ])
    func `The screen is readable without colours and without Unicode`(_ environment: [String: String]) async throws {
        let daemon = try await TestDaemon()
        for name in ["Süßes", "Bread"] { _ = await daemon.grocery("add", name) }
        let view = view(daemon, environment)
        defer { view.kill(SIGKILL) }
        let isASCII = environment["LC_ALL"] == "C"
        await view.until(isASCII ? " o [ ] S??es" : " • [ ] Süßes")
        #expect(view.screen.text.contains(isASCII ? ">o [ ] Bread" : ">• [ ] Bread"))
        #expect(!view.screen.hasColour && view.screen.unknown.isEmpty, "\(view.screen.unknown)")
        if isASCII { #expect(view.screen.text.utf8.allSatisfy { $0 < 0x80 }) }
        // Typed bytes are UTF-8 whatever the locale.
        view.type("aKäse\r")
        await view.until(isASCII ? "K?se" : "Käse")
        #expect(try names(daemon).contains("Käse"))
        view.type("\u{3}")
        #expect(await view.status() == 130)
        #expect(view.screen.hasCursor)
    }

    @Test func `A terminal without a full screen is refused with a sentence`() async throws {
        let daemon = try await TestDaemon()
        for type in ["dumb", "no-such-terminal"] {
            let view = view(daemon, ["TERM": type])
            #expect(await view.status() != 0)
            #expect(view.screen.text.contains("has no full screen"))
        }
    }

    @Test func `Without the daemon the view says so and goes on`() async throws {
        let daemon = try await TestDaemon()
        _ = await daemon.grocery("add", "Bread")
        let view = view(daemon)
        defer { view.kill(SIGKILL) }
        await view.until(">• [ ] Bread")
        await daemon.kill()
        await view.until("Not live: ")
        view.type("a1 l milk\r\r")
        await view.until("Added milk")
        #expect(try names(daemon) == ["Bread", "milk"])
        try await daemon.restart()
        await view.until("[ ] milk, 1 l")
        await view.until { !$0.text.contains("Not live") && !$0.text.contains("Add: ") }
        _ = await daemon.grocery("add", "Apples")
        await view.until("[ ] Apples")
        view.type("q")
        await expectRestored(view, 0)
    }

    @Test func `A conflict is shown and resolved field by field`() async throws {
        let daemon = try await TestDaemon()
        _ = await daemon.grocery("add", "Milk")
        let folder = daemon.box + "/Documents"
        let item = try #require(
            try FileManager.default.contentsOfDirectory(atPath: folder).first { $0.hasPrefix("Item_") })
        let text = try String(contentsOfFile: folder + "/" + item, encoding: .utf8)
        let view = view(daemon)
        defer { view.kill(SIGKILL) }
        await view.until(">• [ ] Milk")
        try Change.write(
            text.replacing("Milk", with: "Oat milk"), to: folder + "/\(item).sync-conflict-20261125-100000-ABCDEFG")
        await view.until(">! [ ] Milk")
        view.type("c")
        await view.until(" ( ) B Oat milk")
        view.type(FullScreenTests.down)
        await view.until(">( ) B Oat milk")
        view.type(" ")
        await view.until(">(*) B Oat milk")
        view.type("\r")
        await view.until(">• [ ] Oat milk")
        #expect(try names(daemon) == ["Oat milk"])
        view.type("q")
        await expectRestored(view, 0)
    }

    @Test func `A wheel and a click move the selection`() async throws {
        let daemon = try await TestDaemon()
        for name in ["Apples", "Bread", "Cheese"] { _ = await daemon.grocery("add", name) }
        let view = view(daemon, ["TERM": "xterm-256color"], width: 40, height: 5)
        defer { view.kill(SIGKILL) }
        await view.until(">• [ ] Apples")
        // xterm's mouse reports (SGR): the wheel down, and a press in the third line.
        view.type("\u{1B}[<65;6;2M")
        await view.until(">• [ ] Bread")
        view.type("\u{1B}[<0;6;3M")
        await view.until(">• [ ] Cheese")
        view.type("q")
        await expectRestored(view, 0)
    }
}
