// Keys: from bytes, and in a line of text.
// SPDX-License-Identifier: Apache-2.0

import CNcurses
import TestSupport
import Testing

@testable import GroceryScreen

struct KeyTests {
    private func keys(_ codes: [Int32]) -> [Key] {
        var reader = KeyReader()
        return codes.flatMap { reader.keys(code: $0) { (7, 3) } }
    }

    private func bytes(_ text: String) -> [Int32] { text.utf8.map(Int32.init) }

    @Test func `Bytes become characters`() {
        #expect(keys(bytes("aü日👍")) == ["a", "ü", "日", "👍"].map { Key.character($0) })
        #expect(
            keys([13, 10, 127, 8, 27, 9, 1]) == [.enter, .enter, .backspace, .backspace, .escape, .tab, .control("a")])
        #expect(keys([Int32(CNCURSES_UP), Int32(CNCURSES_CLICK)]) == [.up, .click(column: 7, line: 3)])
    }

    @Test func `A broken character costs no key after it`() {
        #expect(keys([0xE6, 0x97, 0x41]) == [.character("\u{FFFD}"), .character("A")])
        #expect(keys([0xC3, Int32(CNCURSES_UP)]) == [.character("\u{FFFD}"), .up])
        #expect(keys([0xFF, 0x41]) == [.character("\u{FFFD}"), .character("A")])
        #expect(keys([0xE0, 0x80, 0x80, 0x41]) == [.character("\u{FFFD}"), .character("A")])
    }

    @Test func `Any bytes make keys`() {
        let seed = TestLength.seed(1)
        var random = SeededGenerator(seed: seed)
        var reader = KeyReader()
        var count = 0
        for _ in 0..<100_000 { count += reader.keys(code: Int32.random(in: -2...700, using: &random)).count }
        #expect(count > 10_000, "seed \(seed)")
    }

    private func line(_ text: String, _ keys: [Key]) -> LineEditor {
        var line = LineEditor(text)
        for key in keys {
            let isTaken = line.press(key)
            #expect(isTaken)
        }
        return line
    }

    @Test func `The line is edited at its cursor`() {
        #expect(line("ab", [.left, .character("x")]).text == "axb")
        #expect(line("ab", [.home, .delete, .end, .character("c")]).text == "bc")
        #expect(line("one two", [.control("w")]).text == "one ")
        #expect(line("one two", [.control("u")]).text == "")
        #expect(line("one two", [.home, .right, .control("k")]).text == "o")
        #expect(line("", [.backspace, .delete, .left, .right]).isEmpty)
    }

    @Test func `A combining mark joins the character before, and is removed with it`() {
        let line = line("xe", [.character("\u{301}")])
        #expect(line.text == "xe\u{301}" && line.text.count == 2)
        #expect(self.line("xe", [.character("\u{301}"), .backspace]).text == "x")
    }

    @Test func `Line ends become blanks, and a very long text ends`() {
        #expect(LineEditor("a\nb\u{7}c").text == "a b c")
        var line = LineEditor()
        for _ in 0..<LineEditor.longest + 10 { _ = line.press(.character("x")) }
        #expect(line.text.count == LineEditor.longest)
    }
}
