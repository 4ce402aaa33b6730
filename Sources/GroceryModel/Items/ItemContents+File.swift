// Writing an item into its file, whose lines stay as a person wrote them.
// SPDX-License-Identifier: Apache-2.0

extension ItemContents {
    /// A line of a field, or one that is kept as it is.
    struct HeadLine {
        /// The key of the field; nil for a line that is no field of an item.
        let key: Substring?
        var line: String
    }

    /// The keys of fields in the order of a new file.
    private static let order: [Substring] = ["quantity", "bought", "tags", "picture"]

    /// The text of the file: the lines of the file that was read, with the values that differ from it now. Lines whose values are
    /// the same, blanks and the order of fields stay.
    var fileText: String {
        guard let source = layout.lines, !source.isEmpty else { return text }
        var (rest, old) = (source[...], ItemContents(name: ""))
        var head = old.read(&rest)
        let fields: [(Substring, isSame: Bool, String?)] = [
            ("quantity", quantity == old.quantity, quantity.isEmpty ? nil : "quantity: \(quantity)"),
            ("bought", isBought == old.isBought, isBought ? BoughtLine.new : nil),
            ("tags", tags == old.tags, tags.isEmpty ? nil : "tags: \(tags.joined(separator: ", "))"),
            ("picture", picture == old.picture, picture.map { "picture: \($0)" }),
        ]
        for (key, isSame, line) in fields where !isSame { ItemContents.set(key, line, in: &head) }
        if otherLines != old.otherLines {
            head.removeAll { $0.key == nil }
            head += otherLines.map { HeadLine(key: nil, line: $0) }
        }
        var lines = [name] + head.map(\.line)
        if note == old.note {
            lines += rest
        } else if !note.isEmpty {
            lines += ["", note]
        }
        let text = lines.joined(separator: "\n") + (layout.isOpen ? "" : "\n")
        return (layout.hasByteOrderMark || beginsWithMark ? "\u{FEFF}" : "")
            + (layout.areCRLF ? text.replacing("\n", with: "\r\n") : text)
    }

    /// Sets, adds or removes the line of a field.
    private static func set(_ key: Substring, _ line: String?, in head: inout [HeadLine]) {
        let places = head.indices.filter { head[$0].key == key }
        if key == "bought", let last = places.last {
            let lines = BoughtLine.changed(places.map { head[$0].line }, to: line != nil)
            return head.replaceSubrange(last...last, with: lines.map { HeadLine(key: key, line: $0) })
        }
        head.removeAll { $0.key == key }
        guard let line else { return }
        let earlier = order.prefix { $0 != key }
        let place = places.first ?? head.lastIndex { $0.key.map(earlier.contains) ?? false }.map { $0 + 1 } ?? 0
        // The lines before the first one stayed.
        head.insert(HeadLine(key: key, line: line), at: place)
    }
}
