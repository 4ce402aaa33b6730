// Items as CSV, also of other programs.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import GroceryModel

@Suite struct ItemsCSVTests {
    private func file(_ text: String) throws -> ImportedFile { try ImportedFile(Array(text.utf8), as: .csv) }

    @Test func `A table of another program is read by its header`() throws {
        let text =
            "\u{FEFF}Title;Menge;Amount;Unit;Category;Checked;Comments\r\nMilk;;2;l;\"dairy; cold\";TRUE;\"line \"\"one\"\"\r\ntwo\"\r\n"
            + ";;;;;;\r\n \"Rye bread\" ;5;;;;no;\r\n"
        let file = try file(text)
        #expect(file.short == ["x Milk|2 l|dairy+cold|line \"one\"\ntwo", "Rye bread|||"])
        #expect(file.leftOutFields.map { "\($0.name) \($0.items)" } == ["Menge 1"])
        #expect(file.items.map(\.place) == ["line 2 ('Milk')", "line 5 ('Rye bread')"])
    }

    @Test(arguments: [
        ("item\tqty\nMilk\t2 l\n", ["Milk|2 l||"]), ("sep=|\nname|note\nMilk|a,b\n", ["Milk|||a,b"]),
        ("name\nMilk\nTea", ["Milk|||", "Tea|||"]),
        ("name,done\nA,x\nB,\nC,0\nD,2026-11-04\n", ["x A|||", "B|||", "C|||", "x D|||"]),
        ("Product Name,Is_Checked\nMilk,✔\n", ["x Milk|||"]), ("name,tags\rMilk,#a\r", ["Milk||a|"]),
        ("name,item\n,Milk\n", ["Milk|||"]),
    ])
    func `A table is read`(_ text: String, _ items: [String]) throws {
        #expect(try file(text).short == items)
    }

    @Test(arguments: [
        ("Milk,2\n", "the file's first line has no column for the name of an item"),
        ("name,qty\nMilk,1,5\n", "line 2 has 3 cells, and the header 2"),
        ("name\n\"Milk\n\n", "line 2: a cell in quotes does not end"), ("name\n\"a\"b\n", "line 2: text follows"),
        ("name,qty\nMilk,1\n,2\n", "line 3: an item needs a name"),
        ("name,done\nMilk,maybe\n", "line 2: 'maybe' in 'done' is neither"),
        ("name\n\"a\nb\"\n", "line 2 ('a\\nb'): a name is one line"), ("", "the file's first line"),
        ("name,id\nA,7\nB,7\n", "line 2 and line 3 have the same identifier, 7"),
    ])
    func `A table that cannot be read is refused with the line`(_ text: String, _ expected: String) {
        #expect(GroceryError.message { _ = try file(text) }.hasPrefix(expected))
    }

    /// The writer quotes each cell, which is the form that RFC 4180 allows always.
    @Test(arguments: TestLength.seeds(10, long: 100)) func `Cells in quotes come back`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            let items = (0..<Int.random(in: 1...4, using: &random)).map { _ in NastyItem.random(&random) }
            let separator = [",", ";", "\t"][Int.random(in: 0..<3, using: &random)]
            let end = Bool.random(using: &random) ? "\r\n" : "\n"
            func line(_ cells: [String]) -> String {
                // By bytes: a quote and an accent are one character.
                cells.map { cell in
                    let quoted = cell.utf8.flatMap { $0 == UInt8(ascii: "\"") ? [$0, $0] : [$0] }
                    return "\"" + String(decoding: quoted, as: UTF8.self) + "\""
                }.joined(separator: separator) + end
            }
            let text =
                line(["quantity", "name", "note"])
                + items.map { line([$0.quantity, $0.name, "a\n\n\($0.name)"]) }.joined()
            let read = try file(text).items
            #expect(read.count == items.count, "seed \(seed): \(text)")
            for (item, read) in zip(items, read) {
                let expected = ItemText.trimmed(item.name)
                #expect(Array(read.contents.name.utf8) == Array(expected.utf8), "seed \(seed): \(text)")
                #expect(Array(read.contents.quantity.utf8) == Array(item.quantity.utf8), "seed \(seed): \(text)")
                #expect(read.contents.note.utf8.elementsEqual("a\n\n\(item.name)".utf8), "seed \(seed): \(text)")
            }
        }
    }
}
