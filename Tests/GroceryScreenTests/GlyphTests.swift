// Text in columns.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import GroceryScreen

struct GlyphTests {
    init() { #expect(Samples.hasUnicode) }

    private func glyphs(_ text: String) -> [Glyph] { Glyphs.of(text, isUnicode: true) }

    @Test(arguments: [
        ("Milk", 4), ("", 0), ("日本", 4), ("e\u{301}", 1), ("é", 1), ("👍🏽", 2), ("👨\u{200D}👩\u{200D}👧", 6),
        ("❤\u{FE0F}", 1),
        ("\u{301}x", 2), ("a\u{7}b", 6), ("\u{1B}[31m", 6), ("\u{202E}x", 9), ("\u{AD}", 0),
    ])
    func `Text has the width that a terminal shows`(_ text: String, _ width: Int) {
        #expect(Glyphs.width(glyphs(text)) == width)
    }

    @Test func `Control characters are escaped and marks stay with their character`() {
        #expect(glyphs("a\u{1B}[2J").map(\.text).joined() == "a\\e[2J")
        #expect(glyphs("e\u{301}x").map(\.text) == ["e\u{301}", "x"])
        #expect(glyphs("e" + String(repeating: "\u{301}", count: 99)).first?.scalars.count == Glyph.mostScalars)
    }

    @Test func `Outside of UTF-8 locales other characters are question marks`() {
        #expect(Glyphs.of("Süßes 日本 e\u{301}\u{7}", isUnicode: false).map(\.text).joined() == "S??es ?? ?\\x07")
    }

    @Test func `A text that is too long ends with an ellipsis and never in half a character`() {
        #expect(Glyphs.cut(glyphs("日本茶"), to: 6, isUnicode: true).map(\.text) == ["日", "本", "茶"])
        #expect(Glyphs.cut(glyphs("日本茶"), to: 5, isUnicode: true).map(\.text) == ["日", "本", "…"])
        #expect(Glyphs.cut(glyphs("日本茶"), to: 4, isUnicode: true).map(\.text) == ["日", "…"])
        #expect(Glyphs.cut(glyphs("日本茶"), to: 1, isUnicode: false).map(\.text) == ["~"])
        #expect(Glyphs.cut(glyphs("日本茶"), to: 0, isUnicode: true).isEmpty)
    }

    @Test func `Lines break at blanks`() {
        let lines = Glyphs.wrapped("the one with the green label\n\nnot the other", to: 12, isUnicode: true)
        #expect(
            lines.map { $0.map(\.text).joined() } == ["the one with", "the green", "label", "", "not the", "other"])
        #expect(Glyphs.wrapped("日本茶", to: 1, isUnicode: true).count == 3)
    }

    /// The grid's own cells are the oracle: a wide character has an empty cell after it, and no other cell is empty.
    @Test func `Random text at random places leaves no half of a character`() {
        let seed = TestLength.seed(1)
        var random = SeededGenerator(seed: seed)
        let alphabet = Array("aé日👍e\u{301}\u{7}\u{200D} 茶".unicodeScalars)
        var grid = Grid(width: 11, height: 3, isUnicode: true)
        for step in 0..<20_000 {
            var text = ""
            for _ in 0..<Int.random(in: 0...9, using: &random) {
                text.unicodeScalars.append(alphabet.randomElement(using: &random) ?? "a")
            }
            let line = Int.random(in: -1...3, using: &random)
            let column = Int.random(in: -1...12, using: &random)
            let end = grid.put(text, line: line, column: column, room: Int.random(in: -1...12, using: &random))
            #expect(end <= max(11, column))
            if Bool.random(using: &random) { grid.clear(line: line, columns: column..<column + 2) }
            for line in 0..<3 {
                for column in 0..<11 {
                    let scalar = grid[line, column].scalars.first
                    let isWide = scalar.map { "日👍茶".unicodeScalars.contains($0) } ?? false
                    let next = column < 10 ? grid[line, column + 1].scalars.isEmpty : false
                    #expect(isWide == next, "seed \(seed) step \(step): \(grid.text(line: line))")
                    if isWide != next { return }
                }
            }
        }
    }
}
