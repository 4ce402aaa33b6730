// Text as characters that a terminal shows in columns.
// SPDX-License-Identifier: Apache-2.0

internal import CNcurses
internal import GatherKit

/// A character with the marks that join it, and its columns: 1 or 2.
struct Glyph: Sendable, Hashable {
    /// More marks than ncurses takes in one cell are left out.
    static let mostScalars = 5

    var scalars: [Unicode.Scalar]
    var width: Int

    static let blank = Glyph(scalars: [" "], width: 1)
    var text: String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }
}

/// Text for a terminal. Control characters are escaped. Characters that join emoji are left out, since terminals do not agree
/// about the width of a joined one. Outside of UTF-8 locales each other character is a question mark.
enum Glyphs {
    static func of(_ text: String, isUnicode: Bool) -> [Glyph] {
        // Most text is ASCII.
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) {
            return text.unicodeScalars.map { Glyph(scalars: [$0], width: 1) }
        }
        let text = DisplayText.escaped(text)
        if !isUnicode {
            return text.map { character in
                Glyph(scalars: [character.isASCII ? character.unicodeScalars.first ?? "?" : "?"], width: 1)
            }
        }
        var glyphs: [Glyph] = []
        for scalar in text.unicodeScalars where !isLeftOut(scalar) {
            switch cncurses_width(scalar.value) {
            case 0:
                if glyphs.isEmpty { glyphs.append(.blank) }
                if glyphs[glyphs.count - 1].scalars.count < Glyph.mostScalars {
                    glyphs[glyphs.count - 1].scalars.append(scalar)
                }
            case let width where width > 0: glyphs.append(Glyph(scalars: [scalar], width: min(Int(width), 2)))
            default: glyphs.append(Glyph(scalars: ["\u{FFFD}"], width: 1))
            }
        }
        return glyphs
    }

    static func width(_ glyphs: some Sequence<Glyph>) -> Int { glyphs.reduce(0) { $0 + $1.width } }

    /// Format characters, selectors of emoji forms, and modifiers of skin tones.
    private static func isLeftOut(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0xFE00...0xFE0F, 0x1F3FB...0x1F3FF, 0xE0000...0xE01EF: true
        default: scalar.properties.generalCategory == .format
        }
    }

    /// Returns as many glyphs as fit, with an ellipsis if some do not.
    static func cut(_ glyphs: [Glyph], to width: Int, isUnicode: Bool) -> [Glyph] {
        guard self.width(glyphs) > width else { return glyphs }
        guard width > 0 else { return [] }
        var room = width - 1
        var result: [Glyph] = []
        for glyph in glyphs {
            guard glyph.width <= room else { break }
            room -= glyph.width
            result.append(glyph)
        }
        result.append(Glyph(scalars: [isUnicode ? "\u{2026}" : "~"], width: 1))
        return result
    }

    /// Returns the lines of a text in `width` columns, broken at blanks where possible.
    static func wrapped(_ text: String, to width: Int, isUnicode: Bool) -> [[Glyph]] {
        guard width > 0 else { return [] }
        var lines: [[Glyph]] = []
        for paragraph in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            let expanded = paragraph.split(separator: "\t", omittingEmptySubsequences: false).joined(separator: "    ")
            var rest = of(expanded, isUnicode: isUnicode)[...]
            repeat {
                let end = lineEnd(rest, width)
                lines.append(Array(rest[rest.startIndex..<end]))
                rest = rest[end...]
                if end < rest.endIndex, rest.first == .blank { rest = rest.dropFirst() }
            } while !rest.isEmpty
        }
        return lines
    }

    private static func lineEnd(_ glyphs: ArraySlice<Glyph>, _ width: Int) -> Int {
        var room = width
        var lastBlank: Int?
        for index in glyphs.indices {
            if glyphs[index] == .blank { lastBlank = index }
            // A wide character in a single column is left whole, and clipped when it is drawn.
            if glyphs[index].width > room, index > glyphs.startIndex {
                return lastBlank.flatMap { $0 > glyphs.startIndex ? $0 : nil } ?? index
            }
            room -= glyphs[index].width
        }
        return glyphs.endIndex
    }
}
