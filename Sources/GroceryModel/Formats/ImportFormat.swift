// The formats of files that can be imported, and telling them apart.
// SPDX-License-Identifier: Apache-2.0

internal import GatherDocuments

/// A format that can be imported.
package enum ImportFormat: String, Sendable, Hashable, CaseIterable {
    case json, todo, csv, markdown

    /// The formats, for messages.
    package static let all = "JSON, todo.txt, CSV and Markdown check lists"

    /// Returns the format of a file by its contents and its ending.
    ///
    /// - Parameters:
    ///   - name: The name of the file; nil for standard input.
    /// - Throws: An error with the name of the format for a file of another format, whatever its ending, and for an ending of
    ///   another format. An unknown ending is an error too, unless the contents can be nothing else.
    package init(guessing bytes: [UInt8], name: String?) throws(GroceryError) {
        let shown = name.map { "'\(DisplayText.escaped($0))'" } ?? "standard input"
        let ending = name.flatMap(ImportFormat.ending)
        if let format = ForeignFormat.name(ofContents: bytes) ?? ending.flatMap({ ForeignFormat.endings[$0] }) {
            throw GroceryError(.invalid, "\(shown) is \(format); grocery reads \(ImportFormat.all)")
        }
        if let format = ending.flatMap({ ImportFormat.endings[$0] }) {
            self = format
            return
        }
        let format = ImportFormat(ofText: String(decoding: bytes.withoutByteOrderMark, as: UTF8.self))
        guard let format, format != .todo || ending.map(ImportFormat.plainEndings.contains) ?? true else {
            throw GroceryError(
                .invalid,
                "grocery does not know \(ending.map { "files that end with .\(DisplayText.escaped($0))" } ?? "this format"). It reads "
                    + "\(ImportFormat.all). If \(shown) is one of them, name it, such as --format todo")
        }
        self = format
    }

    /// Returns the format that a text without an ending is in; nil for another format. Any text that begins as none can be todo.txt.
    init?(ofText text: String) {
        if ForeignFormat.isMarkup(text) || ForeignFormat.name(ofContents: Array(text.utf8)) != nil { return nil }
        if ImportFormat.beginsAsJSON(text) {
            self = .json
        } else if CheckList.isOne(text) {
            self = .markdown
        } else if ItemsCSV.hasHeader(text) {
            self = .csv
        } else {
            self = .todo
        }
    }

    private static let endings: [String: ImportFormat] = [
        "json": .json, "csv": .csv, "tsv": .csv, "tab": .csv, "md": .markdown, "markdown": .markdown,
        "mkd": .markdown,
    ]
    /// Endings of text in no special format.
    private static let plainEndings: Set<String> = ["txt", "text", "todo", "list", "bak", "old"]

    /// Returns the ending of a file's name in lower case, without the dot; nil if it has none.
    private static func ending(_ path: String) -> String? {
        let name = path.utf8.split(separator: UInt8(ascii: "/")).last ?? ""[...].utf8
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else { return nil }
        let ending = String(Substring(name[name.index(after: dot)...])).lowercased()
        return ending.isEmpty ? nil : ending
    }

    /// Whether a text begins as JSON: an object, or an array of objects, texts or nothing. The text `[ ] Milk` does not.
    private static func beginsAsJSON(_ text: String) -> Bool {
        var rest = text.utf8[...]
        func next() -> UInt8? {
            rest = rest.drop { " \t\r\n".utf8.contains($0) }
            return rest.popFirst()
        }
        switch next() {
        case UInt8(ascii: "{"):
            let second = next()
            return second == nil || second == UInt8(ascii: "\"") || second == UInt8(ascii: "}")
        case UInt8(ascii: "["):
            let second = next()
            if second == UInt8(ascii: "]") { return next() == nil }
            return second == nil || second == UInt8(ascii: "{") || second == UInt8(ascii: "\"")
        default: return false
        }
    }
}

extension [UInt8] {
    /// The bytes without the byte order mark of UTF-8, which spreadsheets write.
    var withoutByteOrderMark: ArraySlice<UInt8> { starts(with: Self.byteOrderMark) ? dropFirst(3) : self[...] }

    static var byteOrderMark: [UInt8] { [0xEF, 0xBB, 0xBF] }
}
