// Items as a person edits them as text.
// SPDX-License-Identifier: Apache-2.0

internal import GatherDocuments

extension ItemContents {
    /// Reads text that a person edited. A file may hold any text, and all of it is kept. In an editor, a line that is none of the fields is
    /// a slip, which would make the fields after it a note.
    ///
    /// - Throws: ``GroceryError/Code/invalid`` with the line that cannot be read.
    package init(edited bytes: [UInt8]) throws {
        try self.init(bytes: bytes)
        guard !ItemText.trimmed(name).isEmpty else {
            let isEmpty = ItemText.trimmed(text).isEmpty
            throw GroceryError(
                .invalid, isEmpty ? "the text is empty" : "the first line is the name of the item, and it is empty")
        }
        if let field = FieldLine(name), FieldLine.known.contains(field.key) {
            throw GroceryError(.invalid, "the first line is the name of the item, and this one is its \(field.key)")
        }
        var keys: Set<Substring> = []
        let lines = String(decoding: bytes, as: UTF8.self).split(
            omittingEmptySubsequences: false
        ) { $0 == "\n" || $0 == "\r\n" }
        for (number, line) in lines.enumerated().dropFirst() {
            // The note begins.
            guard !ItemText.trimmed(line).isEmpty else { break }
            func refusal(_ reason: String) -> GroceryError {
                GroceryError(.invalid, "line \(number + 1), '\(DisplayText.escaped(String(line)))', \(reason)")
            }
            guard let field = FieldLine(String(line)) else {
                throw refusal("is no field such as 'quantity: 2 kg'. A note begins after an empty line")
            }
            guard FieldLine.known.contains(field.key) else { continue }
            guard ItemContents(text: "\n\(line)").otherLines.isEmpty else {
                throw refusal(field.key == "bought" ? "is neither yes nor no" : "has no value")
            }
            guard keys.insert(field.key).inserted || field.key == "tags" else {
                throw refusal("is a second \(field.key)")
            }
        }
        try check()
    }
}
