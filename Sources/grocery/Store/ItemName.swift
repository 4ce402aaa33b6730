// What an item may be called.
// SPDX-License-Identifier: Apache-2.0

/// The name of an item: one line of text.
struct ItemName: Sendable, Hashable {
    /// The longest name, in bytes of UTF-8: enough for any shopping, and a line on a terminal.
    static let maximumBytes = 1000

    let text: String

    /// Checks a name that somebody gave; blanks around it do not count.
    init(_ text: String) throws(Problem) {
        var text = Substring(text)
        while let first = text.first, first.isWhitespace { text.removeFirst() }
        while let last = text.last, last.isWhitespace { text.removeLast() }
        guard !text.isEmpty else { throw Problem("an item needs a name that is not empty", status: 64) }
        guard text.utf8.count <= ItemName.maximumBytes else {
            throw Problem(
                "a name has \(ItemName.maximumBytes) bytes at most, and this one has \(text.utf8.count)", status: 64)
        }
        guard !text.unicodeScalars.contains(where: ItemName.endsLine) else {
            throw Problem("a name is one line; this one has a line end or another control character", status: 64)
        }
        self.text = String(text)
    }

    private static func endsLine(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }

    /// The arguments that are no UTF-8 arrive with replacement characters in Swift, so the raw ones are looked at: a name
    /// that would not be what was typed is refused.
    static func requireUTF8Arguments() throws(Problem) {
        for index in 1..<max(1, Int(CommandLine.argc)) {
            guard let argument = CommandLine.unsafeArgv[index] else { continue }
            guard String(validatingCString: argument) != nil else {
                throw Problem("argument \(index) is not UTF-8 text", status: 64)
            }
        }
    }
}

/// A tag: one word or a few, without the comma that stands between tags.
struct TagName: Sendable, Hashable {
    let text: String

    init(_ text: String) throws(Problem) {
        let name = try ItemName(text)
        guard !name.text.contains(",") else { throw Problem("a tag has no comma in it", status: 64) }
        self.text = name.text
    }
}
