// Names for terminals and words for shells.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatherKit

struct TextTests {
    @Test(arguments: [
        ("plain name", "plain name"), ("a\nb", "a\\nb"), ("a\tb\r", "a\\tb\\r"), ("\u{1B}[31mred", "\\e[31mred"),
        ("Brötchen 🥖", "Brötchen 🥖"), ("\u{7F}\u{1}", "\\x7f\\x01"), ("a\u{9B}b", "a\\u{9b}b"),
        ("\u{202E}txt.exe", "\\u{202e}txt.exe"), ("👩\u{200D}🍳", "👩\u{200D}🍳"), ("a\u{2028}b", "a\\u{2028}b"),
    ])
    func `Characters that a terminal would obey are escaped`(_ name: String, _ shown: String) {
        #expect(DisplayText.escaped(name) == shown)
    }

    @Test(
        arguments: [
            ([0x61, 0xFF, 0x62], "a\\xffb"), ([0xC3], "\\xc3"), ([0xE2, 0x82], "\\xe2\\x82"),
            ([0xED, 0xA0, 0x80], "\\xed\\xa0\\x80"),
            ([], ""), ([0xC3, 0xA4, 0x80], "ä\\x80"),
        ] as [([UInt8], String)])
    func `Bytes that are no UTF-8 are escaped`(_ name: [UInt8], _ shown: String) {
        #expect(DisplayText.escaped(name) == shown)
        #expect(DisplayText.escaped(FilePath(bytes: name)) == shown)
        #expect(FilePath.Component(bytes: name).map { DisplayText.escaped($0) } ?? "" == shown)
    }

    @Test(arguments: [
        ("grocery", "grocery"), ("a b", "'a b'"), ("it's", "\"it's\""), ("", "''"), ("$HOME", "'$HOME'"),
        ("it's $5", "'it'\\''s $5'"), ("\u{1B}'\u{9B}\\", "$'\\x1b\\'\\xc2\\x9b\\\\'"), ("/srv/Bäcker", "/srv/Bäcker"),
    ])
    func `Words are quoted as a shell wants them`(_ word: String, _ quoted: String) {
        #expect(ShellText.quoted(word) == quoted)
    }

    @Test(arguments: ["", "/", "a/", "/a", "a/b", "a\0b"]) func `A path is no name`(_ text: String) {
        #expect(FilePath.Component(bytes: text.utf8) == nil)
    }

    @Test func `A predicate goes into double quotes`() {
        #expect(ShellText.doubleQuoted("name LIKE 'Item_*'") == "\"name LIKE 'Item_*'\"")
        #expect(ShellText.doubleQuoted("a \"$b\"") == "\"a \\\"\\$b\\\"\"")
    }
}
