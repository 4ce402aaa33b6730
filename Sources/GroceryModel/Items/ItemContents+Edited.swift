// Items as a person edits them as text.
// SPDX-License-Identifier: Apache-2.0

internal import GatherDocuments

extension ItemContents {
    /// Reads text that a person edited. A file may hold any text, and all of it is kept. In an editor, a line that is none of the fields is
    /// a slip, which would make the fields after it a note. A line that was in the text before is no slip.
    ///
    /// - Throws: ``GroceryError/Code/invalid`` with the line that cannot be read.
    package init(edited bytes: [UInt8], base: ItemContents) throws {
        // Some editors begin a file with a byte order mark.
        let bytes = Array(bytes.withoutByteOrderMark)
        try self.init(bytes: bytes)
        guard self != base else { return }
        guard !ItemText.isBlank(name) else {
            let isEmpty = ItemText.isBlank(text)
            throw GroceryError(
                .invalid, isEmpty ? "the text is empty" : "the first line is the name of the item, and it is empty")
        }
        if name != base.name, let field = FieldLine(name.lowercased()), FieldLine.known.contains(field.key) {
            throw GroceryError(.invalid, "the first line is the name of the item, and this one is its \(field.key)")
        }
        let lines = String(decoding: bytes, as: UTF8.self).split(omittingEmptySubsequences: false) {
            $0 == "\n" || $0 == "\r\n"
        }
        var keys: Set<Substring> = []
        for (number, line) in lines.enumerated().dropFirst() {
            // The note begins.
            guard !ItemText.trimmed(line).isEmpty else { break }
            if base.otherLines.contains(String(line)) { continue }
            do throws(GroceryError) {
                try checkField(String(line), &keys, base)
            } catch {
                let text = DisplayText.escaped(String(line))
                throw GroceryError(.invalid, "line \(number + 1), '\(text)', \(error.message)")
            }
        }
        try check()
    }

    /// Checks a line before the note.
    private func checkField(_ line: String, _ keys: inout Set<Substring>, _ base: ItemContents) throws(GroceryError) {
        guard let field = FieldLine(line) else {
            throw GroceryError(.invalid, "is no field such as 'quantity: 2 kg'. A note begins after an empty line")
        }
        guard FieldLine.known.contains(field.key) else {
            // Other keys are kept, but a field does not become one of them.
            let lost = base.fieldKeys.subtracting(fieldKeys).min()
            guard let lost else { return }
            throw GroceryError(.invalid, "is no field that items have, and the \(lost) is gone")
        }
        guard ItemContents(text: "\n\(line)").otherLines.isEmpty else {
            throw GroceryError(.invalid, field.key == "bought" ? "is neither yes nor no" : "has no value")
        }
        guard keys.insert(field.key).inserted || field.key == "tags" else {
            throw GroceryError(.invalid, "is a second \(field.key)")
        }
    }

    /// The keys of the fields that have a value.
    private var fieldKeys: Set<String> {
        let all = [
            ("quantity", !quantity.isEmpty), ("bought", isBought), ("tags", !tags.isEmpty), ("picture", picture != nil),
        ]
        return Set(all.filter(\.1).map(\.0))
    }
}
