// Text that is safe on a terminal.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LinuxSystem

struct TerminalTextTests {
    @Test(arguments: [
        ("name", "name", "name", "name"), ("Käse 🧀", "Käse 🧀", "Käse 🧀", "Käse 🧀"),
        ("a\nb\tc", "a\\nb\\tc", "a\nb\tc", "a\nb\tc"),
        ("\u{1B}]0;X\u{7}", "\\e]0;X\\x07", "\\e]0;X\\x07", "\\e]0;X\\x07"),
        ("\u{1B}[1;31mred\u{1B}[0m", "\\e[1;31mred\\e[0m", "\\e[1;31mred\\e[0m", "\u{1B}[1;31mred\u{1B}[0m"),
        ("\u{1B}[2J\u{1B}[", "\\e[2J\\e[", "\\e[2J\\e[", "\\e[2J\\e["),
        ("\r\u{8}\u{7F}", "\\r\\x08\\x7f", "\\r\\x08\\x7f", "\\r\\x08\\x7f"),
        ("\u{9B}31m\u{202E}", "\\u{9b}31m\\u{202e}", "\\u{9b}31m\\u{202e}", "\\u{9b}31m\\u{202e}"),
    ])
    func controlCharactersAreEscaped(_ text: String, _ line: String, _ lines: String, _ coloured: String) {
        #expect(TerminalText.escaped(text) == line)
        #expect(TerminalText.shown(text) == lines)
        #expect(TerminalText.shown(coloured: text) == coloured)
        // A text that was shown once is shown again unchanged.
        #expect(TerminalText.shown(lines) == lines && TerminalText.escaped(line) == line)
    }

    @Test func bytesThatAreNotUTF8AreEscaped() {
        #expect(TerminalText.escaped([0x61, 0xFF, 0xE2, 0x82]) == "a\\xff\\xe2\\x82")
        #expect(TerminalText.shown([0x61, 0xFF, 0x0A]) == "a\\xff\n")
    }
}
