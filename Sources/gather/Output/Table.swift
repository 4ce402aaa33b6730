// Rows in columns for a terminal.
// SPDX-License-Identifier: Apache-2.0

/// Rows of cells that are printed in columns as wide as their widest cell.
struct Table {
    struct Cell {
        var text: String
        var color: Color?
        var alignsRight = false

        init(_ text: String, _ color: Color? = nil, alignsRight: Bool = false) {
            self.text = text
            self.color = color
            self.alignsRight = alignsRight
        }
    }

    private var rows: [[Cell]] = []
    private var widths: [Int] = []

    mutating func add(_ row: [Cell]) {
        while widths.count < row.count { widths.append(0) }
        for (column, cell) in row.enumerated() { widths[column] = max(widths[column], cell.text.count) }
        rows.append(row)
    }

    /// The lines, without blanks at their ends.
    func lines(color: Bool) -> [String] {
        rows.map { row in
            var line = ""
            for (column, cell) in row.enumerated() {
                let padding = String(repeating: " ", count: widths[column] - cell.text.count)
                let text = cell.color?.paint(cell.text, if: color) ?? cell.text
                if column > 0 { line += "  " }
                line += cell.alignsRight ? padding + text : text
                if !cell.alignsRight, column < row.count - 1 { line += padding }
            }
            return line
        }
    }
}
