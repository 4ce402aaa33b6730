// Rows in columns for a terminal.
// SPDX-License-Identifier: Apache-2.0

/// Rows of cells that are printed in columns as wide as their widest cell, in columns of the terminal: an ideograph takes
/// two.
struct Table {
    struct Cell {
        var text: String
        var color: Color?
        var alignsRight = false

        /// Whether it is a number or a date, of which a part would be another one.
        fileprivate var isWhole: Bool { alignsRight || color == .dim }

        init(_ text: String, _ color: Color? = nil, alignsRight: Bool = false) {
            self.text = text
            self.color = color
            self.alignsRight = alignsRight
        }
    }

    /// The blanks between columns.
    private static let gap = 2
    /// A column that is cut to fit keeps so much.
    private static let leastCut = 8

    private let header: [Cell]
    private var rows: [[Cell]] = []

    /// A table with a header, which is printed if there is a row; without names there is none.
    init(header: [(name: String, alignsRight: Bool)] = []) {
        self.header = header.map { Cell($0.name.uppercased(), .bold, alignsRight: $0.alignsRight) }
    }

    mutating func add(_ row: [Cell]) { rows.append(row) }

    /// The lines, without blanks at their ends. If they are wider than `width`, columns of text are cut, the widest first, and
    /// then the last one, mostly a path, of which the end stays. Numbers and dates stay whole.
    func lines(color: Bool, width: Int = .max) -> [String] {
        guard !self.rows.isEmpty else { return [] }
        let rows = header.isEmpty ? self.rows : [header] + self.rows
        let widths = Table.widths(of: rows, isWhole: isWhole, within: width)
        return rows.map { row in
            var line = ""
            for (column, cell) in row.enumerated() {
                let isLast = column == row.count - 1
                let text =
                    isLast
                    ? DisplayWidth.cutFront(cell.text, to: widths[column])
                    : DisplayWidth.cut(cell.text, to: widths[column])
                let padding = String(repeating: " ", count: max(0, widths[column] - DisplayWidth.of(text)))
                let painted = cell.color?.paint(text, if: color) ?? text
                if column > 0 { line += String(repeating: " ", count: Table.gap) }
                line += cell.alignsRight ? padding + painted : painted
                if !cell.alignsRight, !isLast { line += padding }
            }
            while line.utf8.last == UInt8(ascii: " ") { line.removeLast() }
            return line
        }
    }

    /// Whether a column has numbers or dates alone.
    private func isWhole(_ column: Int) -> Bool { rows.allSatisfy { $0.count <= column || $0[column].isWhole } }

    private static func widths(of rows: [[Cell]], isWhole: (Int) -> Bool, within width: Int) -> [Int] {
        var widths: [Int] = []
        for row in rows {
            while widths.count < row.count { widths.append(0) }
            for (column, cell) in row.enumerated() { widths[column] = max(widths[column], DisplayWidth.of(cell.text)) }
        }
        var excess = widths.reduce(0, +) + gap * max(0, widths.count - 1) - width
        // Cut to the width of the next widest, so that equal columns stay equal.
        while excess > 0 {
            var cuttable = widths.indices.dropLast().filter { widths[$0] > leastCut && !isWhole($0) }
            if cuttable.isEmpty { cuttable = widths.indices.suffix(1).filter { widths[$0] > leastCut && !isWhole($0) } }
            guard let widest = cuttable.map({ widths[$0] }).max() else { break }
            let columns = cuttable.filter { widths[$0] == widest }
            let next = max(leastCut, cuttable.map { widths[$0] }.filter { $0 < widest }.max() ?? leastCut)
            let step = min(widest - next, (excess + columns.count - 1) / columns.count)
            for column in columns { widths[column] -= step }
            excess -= step * columns.count
        }
        return widths
    }
}
