// Items as todo.txt.
// SPDX-License-Identifier: Apache-2.0

/// Items in the format of todo.txt, a line for each. Reading a text gives the items that it was written for, without pictures, notes
/// and other lines that ``lost(_:)`` names.
///
/// ```
/// x 2026-11-05 2026-11-04 Rye bread @bakery qty:2_kg
/// (A) Milk \@home @dairy\_free due:2026-11-09
/// \ x files DVD
/// ```
///
/// Names are as they are. A word of a name that would be a tag or a field has a backslash before it (``TodoWord``). A backslash of
/// its own begins a name that would be read as a mark, a priority, a date or as another format. Tags have `@`, and a quantity is the
/// field `qty`. Blanks in both are `_`. Priorities and dates are lines of the item (``TodoDetail``).
package enum TodoText {
    /// Returns the text.
    package static func text(_ items: [ItemContents]) -> String {
        items.map { TodoLine.text($0) + "\n" }.joined()
    }

    /// Returns the fields of an item that the format cannot hold.
    package static func lost(_ item: ItemContents) -> [ItemField] {
        var fields: [ItemField] = []
        if item.picture != nil { fields.append(.picture) }
        if !item.note.isEmpty { fields.append(.note) }
        if item.otherLines.contains(where: { TodoDetail(line: $0) == nil }) { fields.append(.others) }
        return fields
    }

    /// Reads such a text, also of another program. Contexts (`@`) and projects (`+`) become tags.
    package static func items(_ text: String) throws(GroceryError) -> [ItemContents] {
        try lines(text).map(\.item)
    }

    /// Reads such a text. The items have the numbers of their lines.
    static func lines(_ text: String) throws(GroceryError) -> [(number: Int, item: ItemContents)] {
        var items: [(number: Int, item: ItemContents)] = []
        for (number, line) in text.numberedLines {
            guard !line.utf8.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }) else { continue }
            do throws(GroceryError) {
                items.append((number, try TodoLine.item(line)))
            } catch {
                throw GroceryError(error.code, "line \(number): \(error.message)")
            }
        }
        return items
    }
}

extension String {
    /// The lines with their numbers from 1, without line ends. A line ends with LF or CR LF only, as in the files of items: other
    /// separators of lines that Unicode has may be anywhere in a text.
    var numberedLines: [(number: Int, text: String)] {
        // Views of bytes: a line end of two characters is one Character of Swift.
        utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated().map { index, line in
            (index + 1, String(Substring(line.last == UInt8(ascii: "\r") ? line.dropLast() : line)))
        }
    }
}
