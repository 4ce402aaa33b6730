// A line of a text that scrolls.
// SPDX-License-Identifier: Apache-2.0

/// Pieces of text, each with a style.
struct ScreenLine: Sendable {
    struct Piece: Sendable {
        var glyphs: [Glyph]
        var style: CellStyle
    }

    var pieces: [Piece] = []
    var isSelected = false
}

/// Lines of text in a width.
struct ScreenText: Sendable {
    let width: Int
    let isUnicode: Bool
    private(set) var lines: [ScreenLine] = []

    init(width: Int, isUnicode: Bool) {
        self.width = width
        self.isUnicode = isUnicode
    }

    /// Adds a text with a label before its first line, wrapped. The further lines are indented as far as the label is wide.
    mutating func add(
        _ text: String, label: String = "", style: CellStyle = .plain, labelStyle: CellStyle = .dim,
        isSelected: Bool = false
    ) {
        let label = Glyphs.cut(Glyphs.of(label, isUnicode: isUnicode), to: width / 2, isUnicode: isUnicode)
        let indent = Glyphs.width(label)
        let wrapped = Glyphs.wrapped(text, to: max(1, width - indent), isUnicode: isUnicode)
        for (index, glyphs) in wrapped.enumerated() {
            let first = index == 0 ? label : Array(repeating: .blank, count: indent)
            lines.append(
                ScreenLine(
                    pieces: [.init(glyphs: first, style: labelStyle), .init(glyphs: glyphs, style: style)],
                    isSelected: isSelected))
        }
    }

    mutating func addEmpty() { lines.append(ScreenLine()) }
}

extension Grid {
    /// Draws the part of a text that begins at a line.
    mutating func put(_ text: [ScreenLine], from first: Int, lines: Range<Int>, columns: Range<Int>) {
        for (line, content) in zip(lines, text.dropFirst(max(0, first))) {
            var column = columns.lowerBound
            for piece in content.pieces {
                column = put(
                    piece.glyphs, line: line, column: column, room: columns.upperBound - column, style: piece.style)
            }
            if content.isSelected { style(.reversed, line: line, columns: columns) }
        }
    }
}
