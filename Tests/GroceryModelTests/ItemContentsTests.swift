// The text of items: reading, writing, typing and merging.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import GroceryModel

@Suite struct ItemContentsTests {
    @Test func `A text that a person wrote is read and kept`() throws {
        let text =
            "Flour\nquantity: 2 kg\ntags: market, baking ,market\nshelf: 4\nbought: yes\n\nThe one\nwith: a colon\n"
        let item = try ItemContents(bytes: Array(text.utf8))
        #expect(item.name == "Flour" && item.quantity == "2 kg" && item.isBought)
        #expect(item.tags == ["market", "baking"])
        #expect(item.otherLines == ["shelf: 4"])
        #expect(item.note == "The one\nwith: a colon")
        #expect(
            item.text
                == "Flour\nquantity: 2 kg\nbought: yes\ntags: market, baking\nshelf: 4\n\nThe one\nwith: a colon\n")
    }

    @Test(arguments: [
        "Milk\n", "Milk", "Milk\r\ntags: a\r\n\r\none\r\n", "\u{FEFF}Milk\r\nquantity: 2 l\r\n", "\u{FEFF}Milk",
        "Milk\nbought: no\n", "Milk\nbought: No \n", "Milk\nbought:   no\nbought: 0\n",
        "Milk\nbought: false\ntags: a\n",
        "Milk\nbought:\ntags: b,a , b\nquantity:    2 l\nshelf: 4\nquantity: 3\n\n\nnote\n\n", "Milk\nRemember: cold",
        "Milk\ntags: a\ntags: b\nquantity:\nbought: by Anna\nhttp://a.example\n", "", "\n", "\r\n", "\n\nnote\n",
        "\u{FEFF}",
    ])
    func buyingAndTheOppositeLeaveAFileAsAPersonWroteIt(_ text: String) throws {
        var item = try ItemContents(bytes: Array(text.utf8))
        #expect(item.fileText == text)
        item.isBought = true
        let bought = try ItemContents(bytes: Array(item.fileText.utf8))
        #expect(bought == item && bought.isBought, "\(item.fileText)")
        var back = bought
        back.isBought = false
        #expect(back.fileText == text, "\(item.fileText)")
        // Each line ends in one way.
        let ends = item.fileText.utf8.count { $0 == UInt8(ascii: "\n") }
        let returns = item.fileText.utf8.count { $0 == UInt8(ascii: "\r") }
        #expect(returns == 0 || returns == ends)
    }

    @Test func aChangedFieldLeavesTheOtherLines() throws {
        var item = try ItemContents(bytes: Array("\u{FEFF}Milk\r\nshelf: 4\r\ntags: b,a\r\n\r\n\r\ncold\r\n".utf8))
        #expect(item.name == "Milk" && item.note == "\ncold")
        item.name = "Oat milk"
        item.quantity = "2 l"
        #expect(
            item.fileText == "\u{FEFF}Oat milk\r\nquantity: 2 l\r\nshelf: 4\r\ntags: b,a\r\n\r\n\r\ncold\r\n")
        item.tags = ["c"]
        item.note = "key: value"
        item.otherLines = ["aisle: 1"]
        #expect(
            item.fileText
                == "\u{FEFF}Oat milk\r\nquantity: 2 l\r\ntags: c\r\naisle: 1\r\n\r\nkey: value\r\n")
        // A mixed file gets the line ends that most of its lines have.
        #expect(ItemContents(text: "Milk\r\ntags: a\r\n\none\n").fileText == "Milk\ntags: a\n\none\n")
        // The last of several lines counts, and only that one is changed.
        let several = [
            ("yes", "true", "yes|false"), ("true", "yes", "true|no"), ("no", "yes", "no"), ("yes", "yes", "yes|no"),
        ]
        for (first, second, expected) in several {
            item = ItemContents(text: "Milk\nbought: \(first)\nbought: \(second)\n")
            item.isBought = false
            let lines = expected.split(separator: "|").map { "bought: \($0)\n" }.joined()
            #expect(item.fileText == "Milk\n\(lines)" && !ItemContents(text: item.fileText).isBought)
        }
    }

    /// All lines and pairs of lines, and triples at random.
    @Test(arguments: TestLength.seeds(2, long: 20))
    func buyingAndTheOppositeGiveAllLinesBack(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let values = ["yes", "no", "true", "false", "0", "1", "x", "", "by Anna"].flatMap { word in
            [
                word, word.uppercased(), word.prefix(1).uppercased() + word.dropFirst(),
                word.prefix(1) + word.dropFirst().uppercased(),
            ]
        }
        let lines = Set(values).sorted().flatMap { value in
            ["", " ", "  ", "   ", "\t", " \u{A0}"].flatMap { blanks in
                ["", " ", "\t"].map { "bought:\(blanks)\(value)\($0)" }
            }
        }
        let pairs = lines.indices.map { [lines[$0], lines.randomElement(using: &random) ?? ""] }
        let triples = (0..<1_000).map { _ in
            (0..<3).map { _ in Bool.random(using: &random) ? "bought: yes" : lines.randomElement(using: &random) ?? "" }
        }
        for head in lines.map({ [$0] }) + pairs + triples {
            let text = "Milk\n\(head.joined(separator: "\n"))\ntags: a\n"
            var item = ItemContents(text: text)
            guard !item.isBought else { continue }
            item.isBought = true
            var bought = ItemContents(text: item.fileText)
            #expect(bought == item, "seed \(seed): \(text.debugDescription)")
            bought.isBought = false
            #expect(
                bought.fileText == text, "seed \(seed): \(text.debugDescription), \(item.fileText.debugDescription)")
        }
    }

    @Test func manyLinesWithTagsAreReadInOrder() {
        let tags = (0..<20_000).map { "a\($0 % 10_000)" }
        let item = ItemContents(text: "Milk\n" + tags.map { "tags: \($0)\n" }.joined())
        #expect(item.tags == Array(tags.prefix(10_000)))
        var changed = item
        changed.tags = ["b"]
        #expect(changed.fileText == "Milk\ntags: b\n")
    }

    @Test(arguments: 0..<20) func `A file keeps its lines, and has the values of each change`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let pieces = [
                "a", "tags: x", "tags: y,z", "", "note", "quantity: 1", "picture: p", "bought: no", "bought: yes",
                "k: v",
            ]
            let lines = (0..<Int.random(in: 1...9, using: &random)).map { _ in
                pieces[Int.random(in: 0..<pieces.count, using: &random)]
            }
            let text = "Milk\n" + lines.joined(separator: "\n") + "\n"
            var item = ItemContents(text: text)
            #expect(item.fileText == text, "seed \(seed)")
            _ = ItemContents.change(&item, &random)
            #expect(
                ItemContents(text: item.fileText) == ItemContents(text: item.text),
                "seed \(seed): \(text.debugDescription)")
        }
    }

    @Test func `A note needs no empty line before it`() throws {
        #expect(ItemContents(text: "Milk\nRemember: cold").note == "Remember: cold")
        #expect(ItemContents(text: "Milk\nhttp://a.example\n").note == "http://a.example")
        #expect(ItemContents(text: "Milk\r\ntags: a\r\n\r\nx\r\ny\r\n").note == "x\ny")
        #expect(ItemContents(text: "").name == "")
        #expect(ItemContents(text: "Milk\nbought: no\n").isBought == false)
        #expect(ItemContents(text: "Milk\nbought: by Anna\n").text == "Milk\nbought: by Anna\n")
    }

    @Test func `Bytes that are no text are refused`() {
        #expect(throws: GroceryError.self) { try ItemContents(bytes: [0x4D, 0xFF, 0x0A]) }
        #expect(throws: GroceryError.self) {
            try ItemContents(bytes: [UInt8](repeating: 65, count: GroceryLimits.fileBytes + 1))
        }
        var item = ItemContents(name: "a\nb")
        #expect(throws: GroceryError.self) { try item.bytes }
        item = ItemContents(name: "a")
        item.picture = "../b"
        #expect(throws: GroceryError.self) { try item.bytes }
    }

    @Test func `A line that would read as another field is refused`() {
        let lines = [
            "x: 1\nbought: yes", "bought: yes", "quantity: 1", "tags: a", "picture: a", "a note", "", "x: 1\r",
        ]
        for line in lines {
            var item = ItemContents(name: "Milk")
            item.otherLines = ["y: 1", line]
            #expect(throws: GroceryError.self, "\(line)") { try item.bytes }
        }
        for tag in ["\nbought: yes", "a\n", "\r", "a\u{85}"] {
            var item = ItemContents(name: "Milk")
            item.tags = [tag, "b"]
            #expect(throws: GroceryError.self, "\(tag)") { try item.bytes }
        }
        var item = ItemContents(text: "Milk\nbought: by Anna\nquantity: 1\nquantity: 2\nx:\n")
        #expect(item.otherLines == ["bought: by Anna", "quantity: 2", "x:"] && (try? item.check()) != nil)
        item.otherLines = (0..<300).map { "x: \(String(repeating: "a", count: 1_000))\($0)" }
        #expect(throws: GroceryError.self) { try item.bytes }
    }

    @Test(arguments: 0..<20) func `Every item is read as it was written`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let item = ItemContents.random(&random)
            #expect(try ItemContents(bytes: item.bytes) == item, "seed \(seed)")
        }
    }

    @Test(arguments: 0..<20) func `Text is kept whatever is in it`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<300 {
            let pieces = [
                "a", "tags: x", "\n", "\n\n", "note", ": ", "quantity: 1", "picture: p", "bought: no", "é", "\t",
            ]
            let text = (0..<Int.random(in: 0...12, using: &random)).map { _ in
                pieces[Int.random(in: 0..<pieces.count, using: &random)]
            }.joined()
            let item = ItemContents(text: text)
            // A text that is written reads as the same item, so that nothing is lost from one save to the next.
            #expect(ItemContents(text: item.text) == item, "seed \(seed): \(text.debugDescription)")
        }
    }

    @Test(arguments: [
        ("2 kg flour #market", "flour", "2 kg", ["market"]),
        ("  500g  Rye   bread #a #b #a", "Rye bread", "500g", ["a", "b"]),
        ("1,5 l Milch #Markt", "Milch", "1,5 l", ["Markt"]),
        ("1\u{A0}000 g sugar", "sugar", "1 000 g", []),
        ("2x500g pasta #a", "pasta", "2x500g", ["a"]),
    ])
    func `A typed line`(_ text: String, _ name: String, _ quantity: String, _ tags: [String]) throws {
        let item = try ItemContents(typed: text)
        #expect(item.name == name && item.quantity == quantity && item.tags == tags, "\(item)")
    }

    /// Each line of `typed-lines.txt` has a typed line, the quantity and the name. A line alone is kept whole as the name. The test of
    /// the page reads the same lines.
    @Test func anAmountIsReadOrStaysInTheName() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "typed-lines.txt")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        #expect(lines.count > 90)
        for line in lines {
            let parts = line.split(separator: "\t", omittingEmptySubsequences: false)
            let item = try ItemContents(typed: String(parts[0]))
            let (quantity, name) = parts.count == 3 ? (parts[1], parts[2]) : ("", parts[0])
            #expect(item.quantity == quantity && item.name == name, "\(line): \(item.quantity), \(item.name)")
        }
    }

    @Test func `An accent behind a blank is kept`() {
        #expect(Array(ItemText.trimmed(" \u{301}a \u{301} ").utf8) == Array("\u{301}a \u{301}".utf8))
    }

    @Test(arguments: ["", "  ", "#tag", "a\nb", "a\u{7}b"]) func `A line without a name is refused`(_ text: String) {
        #expect(throws: GroceryError.self) { try ItemContents(typed: text) }
    }

    /// The oracle writes each field by the rule of three-way merges.
    @Test(arguments: 0..<20) func `Merging takes each change, and names fields with two`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<300 {
            let base = ItemContents.random(&random)
            var (mine, theirs) = (base, base)
            let (own, other) = (ItemContents.change(&mine, &random), ItemContents.change(&theirs, &random))
            let (merged, conflicts) = ItemContents.merge(base: base, mine: mine, theirs: theirs)
            for (field, value) in ItemContents.values {
                let (b, m, t) = (value(base), value(mine), value(theirs))
                let expected = m == b ? t : m
                if field == .tags {
                    let sets = [base, mine, theirs].map { Set($0.tags) }
                    let gone = sets[0].subtracting(sets[1]).union(sets[0].subtracting(sets[2]))
                    #expect(Set(merged.tags) == sets[0].union(sets[1]).union(sets[2]).subtracting(gone), "seed \(seed)")
                } else {
                    #expect(value(merged) == expected, "seed \(seed), \(field), \(own), \(other)")
                    #expect(conflicts.contains(field) == (m != b && t != b && m != t), "seed \(seed), \(field)")
                }
            }
        }
    }
}

extension ItemContents {
    static let values: [(ItemField, @Sendable (ItemContents) -> String)] = [
        (.name, { $0.name }), (.quantity, { $0.quantity }), (.bought, { "\($0.isBought)" }),
        (.tags, { $0.tags.joined(separator: ",") }), (.picture, { $0.picture ?? "-" }), (.note, { $0.note }),
        (.others, { $0.otherLines.joined(separator: "\n") }),
    ]

    static func random(_ random: inout SeededGenerator) -> ItemContents {
        func pick(_ choices: [String]) -> String { choices[Int.random(in: 0..<choices.count, using: &random)] }
        var item = ItemContents(name: pick(["Milk", "Rye bread", "a: b", "Äpfel", "#1", "x"]))
        item.quantity = pick(["", "2 kg", "1"])
        item.isBought = Bool.random(using: &random)
        item.tags = [pick(["a", "b"]), pick(["c", "d e"])].prefix(Int.random(in: 0...2, using: &random)).map { $0 }
        item.picture = Bool.random(using: &random) ? "Item_1.jpg" : nil
        item.note = pick(["", "one", "one\n\ntwo", "key: value", "\nfirst", "last\n"])
        item.otherLines = Bool.random(using: &random) ? ["shelf: \(pick(["1", "2"]))", "x:"] : []
        return item
    }

    /// Changes one or two fields, and returns them.
    static func change(_ item: inout ItemContents, _ random: inout SeededGenerator) -> [Int] {
        let other = ItemContents.random(&random)
        return (0..<Int.random(in: 1...2, using: &random)).map { _ in
            let field = Int.random(in: 0..<7, using: &random)
            switch field {
            case 0: item.name = other.name
            case 1: item.quantity = other.quantity
            case 2: item.isBought.toggle()
            case 3: item.tags = other.tags
            case 4: item.picture = other.picture
            case 5: item.note = other.note
            default: item.otherLines = other.otherLines
            }
            return field
        }
    }
}
