// Random items with names, tags and quantities that look like parts of a format.
// SPDX-License-Identifier: Apache-2.0

import TestSupport

@testable import GroceryModel

/// Random items with names, tags and quantities that look like parts of a format. Each is as its file is read.
enum NastyItem {
    private static let words = [
        "Milk", "x", "X", "(A)", "(2)", "(Z)", "2026-11-04", "1999-01-31", "2", "@home", "@", "+", "+p", "+1,5", "@a,b",
        "#tag", "key:value", "due:2026-11-09", "due:", "pri:A", "rec:1w", "qty:2", "qty:_", "t:2026-01-01", "\\",
        "\\\\",
        "\\@home", "\\x", "_", "a_b", "@_", "-", "*", "[", "]", "[x]", "[ ]", "1.", "2)", "{", "{\"a\":1}", "[1]",
        "<html>",
        "<!--", "BEGIN:VCALENDAR", "%PDF-", "name", "item,note", "name;quantity", "sep=;", "Äpfel", "e\u{301}",
        "\u{301}",
        "\u{FEFF}", "\u{A0}", "\u{3000}", "\"quoted\"", "=1+1", "|", "•", "🍎", "http://a.example/?b=c",
        "created:2026-11-04",
        "completed:2026-11-05", "---", "# Dairy", "null", "",
    ]

    static func random(_ random: inout SeededGenerator) -> ItemContents {
        func pick(_ choices: [String]) -> String { choices[Int.random(in: 0..<choices.count, using: &random)] }
        func text(_ counts: ClosedRange<Int>) -> String {
            (0..<Int.random(in: counts, using: &random)).map { _ in pick(words) }.joined(
                separator: pick([" ", " ", "", "  "]))
        }
        while true {
            var item = ItemContents(name: text(1...4))
            item.quantity = Bool.random(using: &random) ? ItemText.trimmed(text(1...2)) : ""
            item.isBought = Bool.random(using: &random)
            item.tags =
                (0..<Int.random(in: 0...3, using: &random)).flatMap { _ in
                    text(1...2).split(separator: ",").map { ItemText.trimmed($0) }
                }.filter { !$0.isEmpty && $0 != "#" }.withoutRepetition
            item.otherLines = [
                "priority: B", "completed: 2026-11-05", "created: 2026-11-04", "due: 2026-11-09", "rec: 2m",
            ]
            .filter { _ in Int.random(in: 0..<3, using: &random) == 0 }.shuffled(using: &random)
            guard !ItemText.isBlank(item.name), (try? item.check()) != nil,
                ItemContents(text: item.text).text.utf8.elementsEqual(item.text.utf8)
            else { continue }
            return item
        }
    }
}
