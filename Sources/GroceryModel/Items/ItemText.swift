// The rules for names, quantities and tags.
// SPDX-License-Identifier: Apache-2.0

/// The rules for names, quantities and tags: one line of text each.
package enum ItemText {
    /// Returns text without blanks around it.
    package static func trimmed(_ text: some StringProtocol) -> String {
        var text = Substring(text)
        while let first = text.first, first.isWhitespace { text.removeFirst() }
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return String(text)
    }

    /// Returns a name that a person typed, without blanks around it.
    package static func name(_ text: some StringProtocol) throws(GroceryError) -> String {
        let text = trimmed(text)
        guard !text.isEmpty else { throw noName }
        return try line(text, "name")
    }

    static let noName = GroceryError(.invalid, "an item needs a name that is not empty")

    /// Returns a quantity that a person typed, without blanks around it. It may be empty.
    package static func quantity(_ text: some StringProtocol) throws(GroceryError) -> String {
        try line(trimmed(text), "quantity")
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
}
