// Telling the formats of imported files apart.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import GroceryModel

@Suite struct ImportFormatTests {
    @Test(arguments: [
        ("a.json", "[]", ImportFormat.json), ("a.JSON", "Milk", .json), ("a.csv", "x", .csv), ("a.tsv", "x", .csv),
        ("a.md", "x", .markdown), ("README.markdown", "<!-- a -->\n- Milk", .markdown), ("todo.txt", "Milk\n", .todo),
        ("dir.d/todo", "Milk\n", .todo), (".todo", "Milk\n", .todo), ("", "Milk\n", .todo), ("", "", .todo),
        ("", "[{\"name\":\"a\"}]", .json), ("", "\n [ ]\n", .json), ("a.txt", "{\"items\":[]}", .json),
        ("a.xyz", "[\"a\"]", .json), ("a.txt", "[ ] Milk\n", .markdown), ("a.txt", "List\n- [x] Milk", .markdown),
        ("a.txt", "- Milk\n* Eggs\n\n  1. Tea", .markdown), ("a.txt", "- Milk\nEggs", .todo),
        ("a.txt", "name,quantity\na,b", .csv), ("", "Item;Price;Notes", .csv), ("a.txt", "\u{FEFF}Name\tQty", .csv),
        ("a.txt", "Milk, 2 l\nEggs", .todo), ("a.txt", "<3 chocolate", .todo), ("a.txt", "x [1] 2", .todo),
        ("a.txt", "\\ \u{301} @name;quantity\n", .todo),
    ])
    func `A format follows from the contents and the ending`(_ name: String, _ text: String, _ format: ImportFormat)
        throws
    {
        #expect(try ImportFormat(guessing: Array(text.utf8), name: name.isEmpty ? nil : name) == format)
    }

    @Test(arguments: [
        (
            "list.ics", "Milk",
            "'list.ics' is an iCalendar file; grocery reads JSON, todo.txt, CSV and Markdown check lists"
        ),
        ("a.HTML", "Milk", "'a.HTML' is an HTML file"), ("/x/b.yaml", "- Milk", "'/x/b.yaml' is a YAML file"),
        ("a.xlsx", "Milk", "'a.xlsx' is a spreadsheet"),
        ("a.txt", "\n BEGIN:VCALENDAR\n", "'a.txt' is an iCalendar file"),
        ("a.csv", "begin:vcard", "'a.csv' is a vCard file"),
        ("a.md", "\u{FEFF}<!DOCTYPE HTML>", "'a.md' is an HTML file"),
        ("", "<html>", "standard input is an HTML file"),
        ("", "<?xml version=\"1.0\"?>", "standard input is an XML file"),
        ("todo.txt", "%PDF-1.7", "'todo.txt' is a PDF file"), ("a.json", "PK\u{3}\u{4}", "'a.json' is a ZIP archive"),
        ("a.txt", "Milk\0", "'a.txt' is binary data"), ("a.txt", "<ul><li>Milk</ul>", "grocery does not know"),
        ("a.weird", "Milk", "grocery does not know files that end with .weird. It reads JSON"),
    ])
    func `Another format is refused by its name`(_ name: String, _ text: String, _ expected: String) {
        let message = GroceryError.message {
            _ = try ImportFormat(guessing: Array(text.utf8), name: name.isEmpty ? nil : name)
        }
        #expect(message.hasPrefix(expected))
    }

    @Test func `Text in another encoding is refused`() {
        for bytes in [[0xFF, 0xFE, 0x4D, 0], [0x4D, 0xE4, 0x0A], [0x89, 0x50, 0x4E, 0x47], [0x1F, 0x8B, 8]] as [[UInt8]]
        {
            #expect(throws: GroceryError.self) { try ImportFormat(guessing: bytes, name: "todo.txt") }
        }
        #expect(throws: GroceryError.self) { try ImportedFile([0x4D, 0xE4, 0x0A], as: .todo) }
    }

    @Test(arguments: TestLength.seeds(10, long: 200)) func `Any text is read or refused, in each format`(seed: UInt64) {
        let pieces = [
            "[", "]", "{", "}", "\"", "\\", ",", ":", ";", "\t", "\n", "\r\n", "\r", " ", "name", "note", "x", "- ",
            "[x]", "1.", "@a",
            "+", "qty:", "due:", "2026-11-04", "(A)", "sep=", "null", "true", "1e9", "\u{301}", "\u{FEFF}", "<!",
            "BEGIN:", "é", "\0",
        ]
        var random = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let text = (0..<Int.random(in: 0...20, using: &random)).map { _ in
                pieces[Int.random(in: 0..<pieces.count, using: &random)]
            }.joined()
            var bytes = Array(text.utf8)
            if Bool.random(using: &random), !bytes.isEmpty {
                bytes.removeLast(Int.random(in: 0..<min(3, bytes.count), using: &random))
            }
            _ = try? ImportFormat(guessing: bytes, name: nil)
            for format in ImportFormat.allCases {
                guard let file = try? ImportedFile(bytes, as: format) else { continue }
                // All that is read can be saved, and is read from its file as it is.
                for item in file.items {
                    #expect(throws: Never.self, "seed \(seed): \(text.debugDescription)") { try item.contents.check() }
                    #expect(
                        ItemContents(text: item.contents.text) == item.contents,
                        "seed \(seed): \(text.debugDescription)")
                }
            }
        }
    }
}
