// The contents of an item's file.
// SPDX-License-Identifier: Apache-2.0

package import GatherDocuments

/// The contents of an item's file, as plain text that a person can read and edit:
///
/// ```
/// Flour
/// quantity: 2 kg
/// tags: market, baking
///
/// The one with the red label.
/// ```
///
/// The name is on the first line. Lines `key: value` follow, with keys in lower case. Those with unknown keys are kept. After an
/// empty line, or at the first line of another form, the note begins.
package struct ItemContents: DocumentContents, Hashable {
    /// The name: one line.
    package var name: String
    /// The quantity with its unit, such as `2 kg`; empty for none.
    package var quantity = ""
    /// Whether it is bought.
    package var isBought = false
    /// The tags in their order, without repetition: shops, aisles, or anything else.
    package var tags: [String] = []
    /// The name of the picture's file; nil for none.
    package var picture: String?
    /// The note: any number of lines, without the last line end.
    package var note = ""
    /// The lines with unknown keys, as they are.
    package var otherLines: [String] = []
    /// The form of the file.
    var layout = ItemLayout()

    /// Makes contents with a name alone.
    package init(name: String) { self.name = name }

    // MARK: Text

    /// Reads the text of a file.
    package init(bytes: [UInt8]) throws {
        guard bytes.count <= GroceryLimits.fileBytes else {
            throw GroceryError(.invalid, "it has more than \(GroceryLimits.fileBytes) bytes")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw GroceryError(.invalid, "it is not UTF-8 text")
        }
        self.init(text: text)
    }

    /// Reads text. Everything in it is kept. A byte order mark is no part of the name.
    package init(text: String) {
        var bytes = text.utf8[...]
        if bytes.starts(with: [UInt8].byteOrderMark) {
            layout.hasByteOrderMark = true
            bytes = bytes.dropFirst(3)
        }
        // Views of bytes: a line end of two characters is one Character of Swift.
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        // The last part is behind the last line end.
        let returns = lines.dropLast().count { $0.last == UInt8(ascii: "\r") }
        layout.areCRLF = returns * 2 > lines.count - 1
        layout.isOpen = lines.last?.isEmpty == false || lines.count == 1
        if !layout.isOpen { lines.removeLast() }
        let all = lines.map { String(Substring($0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0)) }
        layout.lines = all
        var rest = all[...]
        name = ""
        _ = read(&rest)
    }

    /// Reads the lines of a file, and returns those of the fields. The note, and an empty line before it, is left.
    mutating func read(_ lines: inout ArraySlice<String>) -> [HeadLine] {
        var head: [HeadLine] = []
        name = lines.popFirst() ?? ""
        while let line = lines.first, let field = FieldLine(line) {
            lines.removeFirst()
            let others = otherLines.count
            take(field, line)
            head.append(HeadLine(key: otherLines.count > others ? nil : field.key, line: line))
        }
        // Once, since a file may have thousands of lines with tags.
        tags = tags.tagsWithoutRepetition
        note = (lines.first?.isEmpty == true ? lines.dropFirst() : lines).joined(separator: "\n")
        return head
    }

    private mutating func take(_ field: FieldLine, _ line: String) {
        switch field.key {
        case "quantity" where quantity.isEmpty: quantity = field.value
        case "tags": tags += field.value.split(separator: ",").map { ItemText.trimmed($0) }.filter { !$0.isEmpty }
        case "picture" where picture == nil && !field.value.isEmpty: picture = field.value
        case "bought":
            if let value = BoughtLine.isBought(field.value) { isBought = value } else { otherLines.append(line) }
        default: otherLines.append(line)
        }
    }

    /// The bytes of the file.
    package var bytes: [UInt8] {
        get throws {
            try check()
            return Array(fileText.utf8)
        }
    }

    /// The text of a new file with these contents.
    package var text: String {
        var text = (beginsWithMark ? "\u{FEFF}" : "") + name + "\n"
        if !quantity.isEmpty { text += "quantity: \(quantity)\n" }
        if isBought { text += "bought: yes\n" }
        if !tags.isEmpty { text += "tags: \(tags.joined(separator: ", "))\n" }
        if let picture { text += "picture: \(picture)\n" }
        for line in otherLines { text += line + "\n" }
        if !note.isEmpty { text += "\n\(note)\n" }
        return layout.areCRLF ? text.replacing("\n", with: "\r\n") : text
    }

    /// Whether the name begins with a byte order mark, which a file would lose without another one before it.
    var beginsWithMark: Bool { name.utf8.starts(with: [UInt8].byteOrderMark) }

    /// These contents as a file gives them back: without blanks around a quantity, and with one kind of line end in a note.
    var asRead: ItemContents { ItemContents(text: fileText) }

    /// Makes sure that the text gives these contents again.
    package func check() throws(GroceryError) {
        _ = try ItemText.line(name, "name")
        if !quantity.isEmpty { _ = try ItemText.line(quantity, "quantity") }
        guard tags.count <= GroceryLimits.tags else {
            throw GroceryError(
                .invalid, "an item has at most \(GroceryLimits.tags) tags, and this one has \(tags.count)")
        }
        for tag in tags {
            _ = try ItemText.tag(tag)
            // Line ends around it, too, would begin a line of the file.
            _ = try ItemText.line(tag, "tag")
        }
        if let picture {
            _ = try ItemText.line(picture, "picture")
            guard !picture.contains("/"), picture != ".", picture != ".." else {
                throw GroceryError(.invalid, "a picture is a file beside the item, and '\(picture)' is not")
            }
        }
        guard note.utf8.count <= GroceryLimits.noteBytes else {
            throw GroceryError(
                .invalid, "a note has at most \(GroceryLimits.noteBytes) bytes, and this one has \(note.utf8.count)")
        }
        let text = fileText
        guard text.utf8.count <= GroceryLimits.fileBytes else {
            throw GroceryError(
                .invalid, "an item has at most \(GroceryLimits.fileBytes) bytes, and this one has \(text.utf8.count)")
        }
        // Each other line is read again as the line that it is, and as no field.
        let read = ItemContents(text: text)
        guard read.otherLines.elementsEqual(otherLines, by: { $0.utf8.elementsEqual($1.utf8) }),
            read.isBought == isBought
        else {
            throw GroceryError(
                .invalid,
                "the other lines of an item are 'key: value' with keys that it has no field for, and one here is not: "
                    + DisplayText.escaped(otherLines.joined(separator: "\n")))
        }
    }

    // MARK: Queries

    /// Returns the tags for `tags`, and the summary.
    package func derivedAttributes(_ stamp: ContentsStamp) -> [DerivedAttribute] {
        let tags = tags.isEmpty ? nil : Array(self.tags.joined(separator: ",").utf8)
        var attributes = [DerivedAttribute(ItemSummary.attributeName, ItemSummary(self).bytes(stamp))]
        if let name = ExtendedAttributeName("xdg.tags") { attributes.append(DerivedAttribute(name, tags)) }
        return attributes
    }
}
