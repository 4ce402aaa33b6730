// Items as todo.txt.
// SPDX-License-Identifier: Apache-2.0

/// Items in the format of todo.txt: a line for each, `x ` before bought ones, and tags with `@`. Blanks in tags and quantities become
/// `_`. Notes, pictures and other lines are left out.
package enum TodoText {
    /// Returns the text.
    package static func text(_ items: [ItemContents]) -> String {
        items.map { item in
            var words = item.isBought ? ["x"] : []
            words.append(item.name)
            words += item.tags.map { "@" + $0.split(whereSeparator: \.isWhitespace).joined(separator: "_") }
            if !item.quantity.isEmpty {
                words.append("qty:" + item.quantity.split(whereSeparator: \.isWhitespace).joined(separator: "_"))
            }
            return words.joined(separator: " ") + "\n"
        }.joined()
    }

    /// Reads such a text. Contexts (`@`) and projects (`+`) become tags. Priorities and dates at the beginning of a line are left out.
    package static func items(_ text: String) throws(GroceryError) -> [ItemContents] {
        var items: [ItemContents] = []
        var number = 0
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            number += 1
            var words = line.split(whereSeparator: \.isWhitespace)[...]
            guard !words.isEmpty else { continue }
            var item = ItemContents(name: "")
            if words.first == "x" {
                item.isBought = true
                words.removeFirst()
            }
            while let word = words.first, isPriorityOrDate(word) { words.removeFirst() }
            var name: [Substring] = []
            do throws(GroceryError) {
                for word in words {
                    if word.hasPrefix("@") || word.hasPrefix("+"), word.count > 1 {
                        item.tags.append(try ItemText.tag(word.dropFirst().replacing("_", with: " ")))
                    } else if word.hasPrefix("qty:"), word.count > 4 {
                        item.quantity = String(word.dropFirst(4).replacing("_", with: " "))
                    } else {
                        name.append(word)
                    }
                }
                item.name = try ItemText.name(name.joined(separator: " "))
                item.tags = item.tags.withoutRepetition
                try item.check()
            } catch {
                throw GroceryError(error.code, "line \(number): \(error.message)")
            }
            items.append(item)
        }
        return items
    }

    private static func isPriorityOrDate(_ word: Substring) -> Bool {
        if word.count == 3, word.first == "(", word.last == ")" { return true }
        let parts = word.split(separator: "-", omittingEmptySubsequences: false)
        return parts.count == 3 && parts.map(\.count) == [4, 2, 2] && parts.allSatisfy { $0.allSatisfy(\.isNumber) }
    }
}
