// The width of text on a terminal.
// SPDX-License-Identifier: Apache-2.0

/// The width of text in columns of a terminal: two for the ideographs of East Asia and for emoji, none for marks that join
/// the character before (Unicode Standard Annex 11).
enum DisplayWidth {
    static func of(_ text: some StringProtocol) -> Int {
        // Most text is ASCII.
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text.utf8.count }
        return text.reduce(0) { $0 + of($1) }
    }

    static func of(_ character: Character) -> Int {
        var width = 0
        for scalar in character.unicodeScalars {
            // The selector of the emoji form (Unicode Technical Standard 51).
            if scalar.value == 0xFE0F, width > 0 { return 2 }
            width = max(width, of(scalar))
        }
        return width
    }

    private static func of(_ scalar: Unicode.Scalar) -> Int {
        if scalar.value < 0x300 { return scalar.value == 0xAD ? 0 : 1 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        if scalar.properties.isEmojiPresentation { return 2 }
        return wide.contains { $0.contains(scalar.value) } ? 2 : 1
    }

    /// The wide and full-width characters of `EastAsianWidth.txt`, by blocks.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
        0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60,
        0xFFE0...0xFFE6, 0x1F200...0x1F265, 0x20000...0x3FFFD,
    ]

    /// Returns as much of the text as fits, with an ellipsis if it is cut.
    static func cut(_ text: String, to width: Int) -> String {
        guard of(text) > width else { return text }
        guard width > 0 else { return "" }
        var result = ""
        var room = width - 1
        for character in text {
            let needed = of(character)
            guard needed <= room else { break }
            room -= needed
            result.append(character)
        }
        return result + "…"
    }

    /// Returns as much of the end of the text as fits, with an ellipsis if it is cut. The end of a path has the name.
    static func cutFront(_ text: String, to width: Int) -> String {
        guard of(text) > width else { return text }
        guard width > 0 else { return "" }
        var room = width - 1
        var start = text.endIndex
        while start > text.startIndex {
            let before = text.index(before: start)
            room -= of(text[before])
            if room < 0 { break }
            start = before
        }
        return "…" + text[start...]
    }

    /// Returns the text in exactly this many columns, cut or padded with blanks.
    static func fitted(_ text: String, to width: Int, alignsRight: Bool = false) -> String {
        let text = cut(text, to: width)
        let blanks = String(repeating: " ", count: max(0, width - of(text)))
        return alignsRight ? blanks + text : text + blanks
    }
}
