// Items as CSV with a header.
// SPDX-License-Identifier: Apache-2.0

internal import GatherDocuments

/// Items as CSV (RFC 4180) with a header, separated by commas, semicolons or tabs. Columns are found by their names
/// (``ForeignField``).
enum ItemsCSV {
    private static let separators = [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t")]

    /// Whether the first line of a text is the header of a table: it has a column for the name and another one that items have. A line
    /// with ``TodoWord/beginning`` is one of todo.txt, whatever the name is.
    static func hasHeader(_ text: String) -> Bool {
        guard let header = Header(text),
            // By bytes, since a blank and an accent are one character.
            !header.columns.contains(where: { column in
                column.utf8.split(separator: UInt8(ascii: " ")).contains { $0.elementsEqual(TodoWord.beginning.utf8) }
            })
        else { return false }
        return header.columns.count { ForeignField.named($0) != nil } > 1
    }

    /// Reads a text.
    static func file(_ text: String) throws(GroceryError) -> ImportedFile {
        guard let header = Header(text) else {
            throw GroceryError(
                .invalid,
                "the file's first line has no column for the name of an item. It has to be a header, such as: name,quantity,tags,note,bought"
            )
        }
        var reader = CSVReader(text, separator: header.separator, line: header.firstLine)
        var (file, identifiers) = (ImportedFile(), [String: String]())
        _ = try reader.next()
        while let record = try reader.next() {
            guard !record.cells.allSatisfy({ ItemText.trimmed($0).isEmpty }) else { continue }
            var item = ForeignItem(place: "line \(record.line)")
            for (index, cell) in record.cells.enumerated() {
                if index < header.columns.count {
                    try item.take(header.columns[index], .text(cell))
                } else if !ItemText.trimmed(cell).isEmpty {
                    // A separator that is not in quotes would move the values of all later columns.
                    throw GroceryError(
                        .invalid,
                        "line \(record.line) has \(record.cells.count == 1 ? "1 cell" : "\(record.cells.count) cells"), and the header \(header.columns.count)"
                    )
                }
            }
            try item.add(to: &file, &identifiers)
        }
        return file
    }

    /// The first record of a text.
    private struct Header {
        var separator: UInt8
        var columns: [String]
        /// The line that it is on.
        var firstLine: Int

        /// Finds the separator with which the first line has a column for the name, and most columns. Nil if there is none. A line
        /// such as `sep=;` before it is that of a spreadsheet.
        init?(_ text: String) {
            let first = text.utf8.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
            let isNamed = first.count == 5 && first.starts(with: "sep=".utf8)
            let line = isNamed ? 2 : 1
            var best: (separator: UInt8, columns: [String])?
            for separator in isNamed ? [first.last ?? 0] : ItemsCSV.separators {
                var reader = CSVReader(text, separator: separator, line: line)
                guard let record = try? reader.next() else { continue }
                let columns = record.cells.map { ItemText.trimmed($0) }
                if columns.contains(where: { ForeignField.named($0)?.field == .name }),
                    columns.count > best?.columns.count ?? 0
                {
                    best = (separator, columns)
                }
            }
            guard let best else { return nil }
            (separator, columns, firstLine) = (best.separator, best.columns, line)
            // Columns without a name are told by their numbers, which are different.
            for index in columns.indices where columns[index].isEmpty { columns[index] = "column \(index + 1)" }
        }
    }
}
