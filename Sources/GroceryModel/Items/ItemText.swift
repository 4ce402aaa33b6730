// The rules for names, quantities and tags.
// SPDX-License-Identifier: Apache-2.0

/// The rules for names, quantities and tags: one line of text each.
package enum ItemText {
    /// Returns text without blanks around it. An accent behind a blank makes one character of both, and is no blank.
    package static func trimmed(_ text: some StringProtocol) -> String {
        var scalars = Substring(text).unicodeScalars
        while scalars.first?.properties.isWhitespace == true { scalars.removeFirst() }
        while scalars.last?.properties.isWhitespace == true { scalars.removeLast() }
        return String(Substring(scalars))
    }

    /// Returns a name that a person typed, without blanks around it.
    package static func name(_ text: some StringProtocol) throws(GroceryError) -> String {
        let text = trimmed(text)
        try requireName(text)
        return try line(text, "name")
    }

    /// Refuses a name that is shown as nothing.
    static func requireName(_ name: String) throws(GroceryError) { if isBlank(name) { throw noName } }

    /// Whether a text is shown as nothing: it is empty, or has blanks and characters without a width alone.
    static func isBlank(_ text: some StringProtocol) -> Bool { !text.unicodeScalars.contains(where: isVisible) }

    static let noName = GroceryError(.invalid, "an item needs a name that is not empty")

    /// Returns a quantity that a person typed, without blanks around it. It may be empty.
    package static func quantity(_ text: some StringProtocol) throws(GroceryError) -> String {
        try line(trimmed(text), "quantity")
    }

    /// Returns the text by which tags are compared: `#Aldi` and `#aldi` are one tag.
    package static func tagKey(_ tag: String) -> String { caseless(tag) }

    /// Returns the text by which names are compared without regard to case. Each scalar is changed to lower, upper and lower case
    /// again, by itself: ß and ẞ are ss, and all forms of sigma are one. The page computes the same (`caseless` in `page.html`).
    static func caseless(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.lowercased() }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            for lower in scalar.properties.lowercaseMapping.unicodeScalars {
                for upper in lower.properties.uppercaseMapping.unicodeScalars {
                    result += upper.properties.lowercaseMapping.unicodeScalars
                }
            }
        }
        return String(result)
    }

    /// Returns a tag that a person typed, without `#` and blanks around it.
    package static func tag(_ text: some StringProtocol) throws(GroceryError) -> String {
        var tag = trimmed(text)
        if tag.hasPrefix("#") { tag.removeFirst() }
        guard !tag.isEmpty else { throw GroceryError(.invalid, "a tag is not empty") }
        // It separates tags.
        guard !tag.contains(",") else { throw GroceryError(.invalid, "a tag has no comma in it") }
        return try line(tag, "tag")
    }

    /// Checks that text is one line.
    static func line(_ text: String, _ kind: String) throws(GroceryError) -> String {
        guard text.utf8.count <= GroceryLimits.lineBytes else {
            throw GroceryError(
                .invalid, "a \(kind) has \(GroceryLimits.lineBytes) bytes at most, and this one has \(text.utf8.count)")
        }
        guard !text.unicodeScalars.contains(where: endsLine) else {
            throw GroceryError(
                .invalid, "a \(kind) is one line, and this one has a line end or another control character")
        }
        return text
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .spaceSeparator, .lineSeparator, .paragraphSeparator: false
        // Unicode has the empty pattern of Braille among the symbols.
        default: !scalar.properties.isDefaultIgnorableCodePoint && scalar != "\u{2800}"
        }
    }

    private static func endsLine(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}

extension [String] {
    /// The elements without repetition, in the order of their first occurrence.
    package var withoutRepetition: [String] {
        var seen: Set<String> = []
        return filter { seen.insert($0).inserted }
    }

    /// Tags without repetition in upper or lower case, in the order of their first occurrence.
    package var tagsWithoutRepetition: [String] {
        var seen: Set<String> = []
        return filter { seen.insert(ItemText.tagKey($0)).inserted }
    }

    /// Returns whether a tag is among these, in upper or lower case.
    ///
    /// - Parameter tag: The tag.
    package func hasTag(_ tag: String) -> Bool {
        let key = ItemText.tagKey(tag)
        return contains { ItemText.tagKey($0) == key }
    }
}
