// Check lists of Markdown.
// SPDX-License-Identifier: Apache-2.0

/// Check lists of Markdown: lines such as `- [x] Milk`. Plain bullets and numbers are items too, at any depth.
enum CheckList {
    /// A line of a text.
    private enum Line {
        case item(String, isBought: Bool?)
        case other

        init(_ line: String) {
            var rest = line.utf8.drop(while: CheckList.isBlank)
            let hasBullet = Line.takeBullet(&rest)
            let isBought = Line.takeBox(&rest)
            let text = CheckList.unescaped(rest)
            self = !text.isEmpty && (hasBullet || isBought != nil) ? .item(text, isBought: isBought) : .other
        }

        /// Takes a bullet or a number with the blank after it.
        private static func takeBullet(_ text: inout Substring.UTF8View) -> Bool {
            var rest = text
            for bullet in ["-", "*", "+", "•"] where rest.starts(with: bullet.utf8) {
                rest = rest.dropFirst(bullet.utf8.count)
                return takeBlanks(&rest, &text)
            }
            let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            rest = rest.dropFirst(digits.count)
            // As CommonMark has it, a longer number begins no list.
            guard (1...9).contains(digits.count), let mark = rest.popFirst(), ".)".utf8.contains(mark) else {
                return false
            }
            return takeBlanks(&rest, &text)
        }

        /// Takes a box, and returns whether it is ticked; nil if there is none.
        private static func takeBox(_ text: inout Substring.UTF8View) -> Bool? {
            for (box, isTicked) in [("[ ]", false), ("[x]", true), ("[X]", true)] where text.starts(with: box.utf8) {
                var rest = text.dropFirst(box.utf8.count)
                return takeBlanks(&rest, &text) ? isTicked : nil
            }
            return nil
        }

        /// Goes on after the blanks that `rest` begins with, or at its end. Returns false if it begins with another character.
        private static func takeBlanks(_ rest: inout Substring.UTF8View, _ text: inout Substring.UTF8View) -> Bool {
            guard rest.first.map(CheckList.isBlank) ?? true else { return false }
            text = rest.drop(while: CheckList.isBlank)
            return true
        }
    }

    /// Whether a text is meant as a check list: it has a box, or nothing but bullets.
    static func isOne(_ text: String) -> Bool {
        var (hasBullet, hasOther) = (false, false)
        for (_, line) in text.numberedLines where !line.utf8.allSatisfy(isBlank) {
            switch Line(line) {
            case .item(_, .some): return true
            case .item: hasBullet = true
            case .other: hasOther = true
            }
        }
        return hasBullet && !hasOther
    }

    /// Reads a text.
    static func file(_ text: String) throws(GroceryError) -> ImportedFile {
        var file = ImportedFile()
        for (number, line) in text.numberedLines where !line.utf8.allSatisfy(isBlank) {
            guard case .item(let text, let isBought) = Line(line) else {
                file.leftOutLines.append("line \(number): \(line)")
                continue
            }
            var contents = ItemContents(name: text)
            contents.isBought = isBought ?? false
            file.items.append(
                ImportedItem(
                    contents: contents, fields: isBought == nil ? [.name] : [.name, .bought], place: "line \(number)"))
        }
        guard !file.items.isEmpty else {
            throw GroceryError(.invalid, "the file has no line of a list, such as '- [ ] Milk'")
        }
        return file
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

    /// Returns text without blanks around it, and without the backslashes before punctuation that Markdown has.
    private static func unescaped(_ text: Substring.UTF8View) -> String {
        let scalars = Substring(text).unicodeScalars
        var (result, isEscaped) = (String.UnicodeScalarView(), false)
        for scalar in scalars {
            if isEscaped, scalar.isASCII, scalar.properties.isPatternSyntax || scalar == "_" { result.removeLast() }
            isEscaped = scalar == "\\" && !isEscaped
            result.append(scalar)
        }
        return ItemText.trimmed(String(result))
    }
}
