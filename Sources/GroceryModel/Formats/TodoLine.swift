// One item as a line of todo.txt.
// SPDX-License-Identifier: Apache-2.0

/// One item as a line of todo.txt.
enum TodoLine {
    /// Returns the line of an item, without a line end.
    static func text(_ item: ItemContents) -> String {
        var details = item.otherLines.compactMap { TodoDetail(line: $0) }[...]
        var kept = item
        (kept.picture, kept.note, kept.otherLines) = (nil, "", details.map(\.line))
        var head: [String] = []
        // The places that the format has for priority and dates, which other programs sort by. Elsewhere the order of the lines
        // would change.
        func take(_ key: TodoDetail.Key) -> Bool {
            guard let first = details.first, first.key == key else { return false }
            head.append(key == .priority ? "(\(first.value))" : first.value)
            details.removeFirst()
            return true
        }
        if item.isBought {
            head.append("x")
            if take(.completed) { _ = take(.created) }
        } else {
            _ = take(.priority)
            _ = take(.created)
        }
        var rest = TodoWord.words(ofName: item.name)
        rest += item.tags.map { "@" + TodoWord.joined($0) }
        if !item.quantity.isEmpty { rest.append("qty:" + TodoWord.joined(item.quantity)) }
        rest += details.map(\.word)
        let plain = (head + rest).joined(separator: " ")
        // Reading it tells whether its beginning has to be marked as a name. A byte order mark is no part of a file.
        if !plain.utf8.starts(with: [UInt8].byteOrderMark), let read = try? self.item(plain),
            read.text.utf8.elementsEqual(kept.text.utf8),
            ImportFormat(ofText: plain) == .todo
        {
            return plain
        }
        return (head + [TodoWord.beginning] + rest).joined(separator: " ")
    }

    /// Reads a line.
    static func item(_ line: String) throws(GroceryError) -> ItemContents {
        // Only blanks and tabs separate words. Other blanks, such as U+00A0, are a part of them.
        var words = line.utf8.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }.map {
            String(Substring($0))
        }[...]
        var item = ItemContents(name: "")
        if words.count > 1, words.first == "x" {
            item.isBought = true
            words.removeFirst()
        }
        var (dates, hasPriority) = (item.isBought ? [TodoDetail.Key.completed, .created] : [.created], false)
        while words.count > 1, let word = words.first {
            if !hasPriority, let priority = TodoDetail(priority: word) {
                item.otherLines.append(priority.line)
                hasPriority = true
            } else if let key = dates.first, let date = TodoDetail(key, word) {
                item.otherLines.append(date.line)
                dates.removeFirst()
            } else {
                break
            }
            words.removeFirst()
        }
        if words.first == TodoWord.beginning { words.removeFirst() }
        var name: [String] = []
        for word in words {
            switch TodoWord(word) {
            case .tag(let tag): item.tags.append(tag)
            // A second quantity stays in the name, so that none is lost.
            case .quantity(let quantity) where item.quantity.isEmpty: item.quantity = quantity
            case .quantity: name.append(word)
            case .detail(let detail): item.otherLines.append(detail.line)
            case .name(let text): name.append(text)
            }
        }
        item.name = name.joined(separator: " ")
        try ItemText.requireName(item.name)
        item.tags = item.tags.tagsWithoutRepetition
        try item.check()
        return item
    }
}
