// Items as todo.txt: there and back, files of other programs, and files of older versions.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import GroceryModel

@Suite struct TodoTextTests {
    private func item(
        _ name: String, _ quantity: String = "", tags: [String] = [], bought: Bool = false, others: [String] = []
    ) -> ItemContents {
        var item = ItemContents(name: name)
        item.quantity = quantity
        item.tags = tags
        item.isBought = bought
        item.otherLines = others
        return item
    }

    @Test(arguments: [
        ("(2) Milk", "(2) Milk"), ("x files DVD", #"\ x files DVD"#), ("(A) batteries", #"\ (A) batteries"#),
        ("2026-11-04 cake", #"\ 2026-11-04 cake"#), ("2 x milk", "2 x milk"), ("Milk @home", #"Milk \@home"#),
        ("x", "x"), ("(A)", "(A)"), ("2026-11-04", "2026-11-04"), ("due:2026-11-09", #"\due:2026-11-09"#),
        ("+1 gift", #"\+1 gift"#), ("+1,5 V cell", #"\+1,5 V cell"#), ("rye  bread", #"rye \ bread"#), (#"\"#, #"\\"#),
        (#"\@home"#, #"\\@home"#), (#"\\server\milk"#, #"\\server\milk"#), ("a@b.example", "a@b.example"),
        ("qty:3", #"\qty:3"#), ("qty:", "qty:"), ("Äpfel: rot", "Äpfel: rot"), ("http://a.example", "http://a.example"),
        ("- [ ] Milk", #"\ - [ ] Milk"#), ("* Milk", #"\ * Milk"#), ("1. FC Köln cup", #"\ 1. FC Köln cup"#),
        ("{\"name\": 1}", #"\ {"name": 1}"#), ("[", #"\ ["#), ("name,quantity", #"\ name,quantity"#),
        ("@_", #"\@_"#), ("%PDF-1.7", #"\ %PDF-1.7"#), ("BEGIN:VCALENDAR", #"\ BEGIN:VCALENDAR"#),
        ("<html> book", #"\ <html> book"#), ("<3 chocolate", "<3 chocolate"),
        ("2026-13-04 cake", "2026-13-04 cake"), ("(a) glue", "(a) glue"), ("\u{A0}Milk", "\u{A0}Milk"),
        ("500\u{A0}g\u{2003}tea", "500\u{A0}g\u{2003}tea"), (" Milk", #"\ \ Milk"#),
        ("\u{FEFF}Milk", "\\ \u{FEFF}Milk"), ("@\u{301}x", "\\@\u{301}x"), ("a \u{301}b", "a \u{301}b"),
    ])
    func `A name comes back as it was`(_ name: String, _ line: String) throws {
        for isBought in [false, true] {
            let text = TodoText.text([item(name, bought: isBought)])
            if !isBought { #expect(text == line + "\n") }
            let items = try TodoText.items(text)
            try #require(items.count == 1, "\(text)")
            #expect(Array(items[0].name.utf8) == Array(name.utf8) && items[0].isBought == isBought, "\(text)")
            #expect(items[0].tags.isEmpty && items[0].quantity.isEmpty && items[0].otherLines.isEmpty, "\(items[0])")
        }
    }

    @Test(arguments: [
        ("dairy_free", #"@dairy\_free"#), ("dairy free", "@dairy_free"), ("@home", "@@home"), ("+1", "@+1"),
        (#"a\b"#, #"@a\\b"#), (#"\_"#, #"@\\\_"#), ("a:b", "@a:b"), ("_", #"@\_"#), ("a  b", "@a__b"),
        ("a\u{A0}b", "@a\u{A0}b"),
    ])
    func `A tag and a quantity come back as they were`(_ text: String, _ word: String) throws {
        let items = [item("Milk", text, tags: [text])]
        let line = TodoText.text(items)
        #expect(line == "Milk \(word) qty:\(word.dropFirst())\n")
        #expect(try TodoText.items(line) == items)
    }

    @Test(arguments: [
        "x 2026-11-05 2026-11-04 Rye bread @bakery due:2026-11-09 pri:B", "x 2026-11-05 Rye bread",
        "(A) 2026-11-04 Milk t:2026-11-05 rec:+1w", "2026-11-04 Milk", "(Z) Milk @a_b qty:2_kg",
    ])
    func `A line of another program comes back as it was`(_ line: String) throws {
        let items = try TodoText.items(line + "\n")
        #expect(TodoText.text(items) == line + "\n", "\(items)")
        #expect(items.count == 1 && ["Rye bread", "Milk"].contains(items[0].name), "\(items)")
    }

    @Test func `Dates and priorities of other programs are kept as lines`() throws {
        let text =
            "x 2026-11-05 2026-11-04 Bread +shop @home due:2026-11-09\r\n\r\n(B) 2026-11-04 Milk cost:3 due:soon\r\n"
        #expect(
            try TodoText.items(text) == [
                item(
                    "Bread", tags: ["shop", "home"], bought: true,
                    others: ["completed: 2026-11-05", "created: 2026-11-04", "due: 2026-11-09"]),
                item("Milk cost:3 due:soon", others: ["priority: B", "created: 2026-11-04"]),
            ])
    }

    /// The order of the lines stays, too, where the format has other places for them.
    @Test(arguments: [
        ["due: 2026-11-09", "priority: A"], ["created: 2026-11-04", "priority: A"], ["completed: 2026-11-05"],
        ["created: 2026-11-04"], ["priority: C", "created: 2026-11-04", "due: 2026-11-05"],
        ["due: 2026-11-09", "due: 2026-11-10"],
    ])
    func `Lines with dates come back, bought or not`(_ lines: [String]) throws {
        let items = [item("Milk", others: lines), item("2026-11-04 cake", bought: true, others: lines)]
        #expect(try TodoText.items(TodoText.text(items)) == items)
    }

    @Test func `Fields that the format cannot hold are named`() {
        var full = item("Milk", others: ["due: 2026-11-09", "shelf: 4"])
        #expect(TodoText.lost(full) == [.others])
        full.otherLines = ["due: 2026-11-09"]
        #expect(TodoText.lost(full).isEmpty)
        (full.note, full.picture) = ("cold", "Item_1.jpg")
        #expect(TodoText.lost(full) == [.picture, .note])
    }

    @Test func `A text of an older version is read`() throws {
        #expect(
            try TodoText.items("Flour @market qty:2_kg\nx Milk @a_b\n") == [
                item("Flour", "2 kg", tags: ["market"]), item("Milk", tags: ["a b"], bought: true),
            ])
    }

    @Test(arguments: [("Milk\n@home\n", 2), ("Milk\n\nqty:2\n", 3), ("a\u{7}b\n", 1), ("\\ \\\n", 1), ("Milk\rTea", 1)])
    func `A line that is no item is named`(_ text: String, _ line: Int) {
        let error = #expect(throws: GroceryError.self) { try TodoText.items(text) }
        #expect(error?.message.hasPrefix("line \(line): ") == true, "\(String(describing: error))")
    }

    /// A second reader, written from the rules of todo.txt, tells what other programs see: ticks, contexts and names.
    @Test(arguments: TestLength.seeds(30, long: 300)) func `Every item comes back, and other programs see it`(
        seed: UInt64
    )
        throws
    {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let items = (0..<Int.random(in: 1...4, using: &random)).map { _ in NastyItem.random(&random) }
            let text = TodoText.text(items)
            let back = try TodoText.items(text)
            #expect(back.count == items.count, "seed \(seed): \(text)")
            for (item, (read, line)) in zip(items, zip(back, text.split(separator: "\n"))) {
                // Bytes: equal texts of Swift may have other scalars.
                #expect(Array(read.text.utf8) == Array(item.text.utf8), "seed \(seed): \(line)\n\(item)\n\(read)")
                let seen = PlainTodo(String(line))
                #expect(seen.isDone == item.isBought, "seed \(seed): \(line)")
                #expect(seen.contexts == item.tags.count && seen.projects == 0, "seed \(seed): \(line)")
                let priority = item.otherLines.first { $0.hasPrefix("priority: ") }?.last
                #expect(seen.priority == nil || seen.priority == priority, "seed \(seed): \(line)")
            }
            // Whatever the names look like, no other format is seen in the file.
            #expect(try ImportFormat(guessing: Array(text.utf8), name: nil) == .todo, "seed \(seed): \(text)")
            #expect(try ImportFormat(guessing: Array(text.utf8), name: "a/todo.txt") == .todo, "seed \(seed): \(text)")
        }
    }
}

/// A line as a program reads it that knows the rules of todo.txt and nothing of Grocery.
private struct PlainTodo {
    var isDone = false
    var priority: Character?
    var contexts = 0
    var projects = 0

    init(_ line: String) {
        isDone = line.utf8.starts(with: "x ".utf8)
        priority = line.firstMatch(of: #/^\(([A-Z])\) /#).flatMap { $0.1.first }
        let scalars = Array(line.unicodeScalars)
        for index in scalars.indices.dropLast() where index == 0 || scalars[index - 1] == " " {
            guard scalars[index + 1] != " " else { continue }
            if scalars[index] == "@" { contexts += 1 }
            if scalars[index] == "+" { projects += 1 }
        }
    }
}
