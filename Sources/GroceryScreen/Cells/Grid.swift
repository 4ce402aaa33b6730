// The screen as cells, before a terminal shows it.
// SPDX-License-Identifier: Apache-2.0

/// One cell of a grid. The second half of a wide character has no scalars.
struct Cell: Sendable, Hashable {
    var scalars: [Unicode.Scalar] = [" "]
    var style = CellStyle.plain
}

/// A place on the screen.
struct CellPlace: Sendable, Hashable {
    var column: Int
    var line: Int
}

/// Styled cells in lines of one width. Drawing outside of it has no effect, and no wide character is ever cut in half.
struct Grid: Sendable, Hashable {
    /// The largest width and height that is drawn.
    static let largest = 4096

    let width: Int
    let height: Int
    let isUnicode: Bool
    private(set) var cells: [Cell]
    /// Where the cursor is shown.
    var cursor: CellPlace?

    init(width: Int, height: Int, isUnicode: Bool) {
        self.width = min(max(width, 0), Grid.largest)
        self.height = min(max(height, 0), Grid.largest)
        self.isUnicode = isUnicode
        cells = Array(repeating: Cell(), count: self.width * self.height)
    }

    subscript(line: Int, column: Int) -> Cell { cells[line * width + column] }

    /// Draws text in at most `room` columns, and returns the column after it. Text that does not fit ends with an ellipsis.
    @discardableResult
    mutating func put(
        _ text: String, line: Int, column: Int, room: Int = Grid.largest, style: CellStyle = .plain
    ) -> Int {
        put(Glyphs.of(text, isUnicode: isUnicode), line: line, column: column, room: room, style: style)
    }

    @discardableResult
    mutating func put(
        _ glyphs: [Glyph], line: Int, column: Int, room: Int = Grid.largest, style: CellStyle = .plain
    ) -> Int {
        guard line >= 0, line < height, column >= 0, column < width else { return column }
        var column = column
        for glyph in Glyphs.cut(glyphs, to: min(room, width - column), isUnicode: isUnicode) {
            set(line, column, Cell(scalars: glyph.scalars, style: style), width: glyph.width)
            column += glyph.width
        }
        return column
    }

    /// Gives cells a style, and leaves their characters.
    mutating func style(_ style: CellStyle, line: Int, columns: Range<Int>) {
        guard line >= 0, line < height else { return }
        for column in columns.clamped(to: 0..<width) { cells[line * width + column].style = style }
    }

    /// Blanks cells.
    mutating func clear(line: Int, columns: Range<Int>, style: CellStyle = .plain) {
        guard line >= 0, line < height else { return }
        for column in columns.clamped(to: 0..<width) { set(line, column, Cell(style: style), width: 1) }
    }

    private mutating func set(_ line: Int, _ column: Int, _ cell: Cell, width: Int) {
        let index = line * self.width + column
        // A half of a wide character does not stay alone.
        if cells[index].scalars.isEmpty, column > 0 { cells[index - 1].scalars = [" "] }
        let last = index + width - 1
        if column + width < self.width, cells[last + 1].scalars.isEmpty { cells[last + 1].scalars = [" "] }
        cells[index] = cell
        if width == 2 { cells[last] = Cell(scalars: [], style: cell.style) }
    }

    /// The text of a line, without blanks at its end.
    func text(line: Int) -> String {
        var view = String.UnicodeScalarView()
        for column in 0..<width { view.append(contentsOf: self[line, column].scalars) }
        var text = String(view)
        while text.last == " " { text.removeLast() }
        return text
    }
}
