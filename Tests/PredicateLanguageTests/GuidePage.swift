// gather-predicates(7) as its tests read it: displays, each with what the comment before it says of it.
// SPDX-License-Identifier: Apache-2.0

import ContentTypes
import Metadata
import PredicateLanguage
import TestSupport
import Testing

/// The manual page, read from its source in mdoc(7).
struct GuidePage {
    /// The lines between `.Bd` and `.Ed`, and the comment before.
    struct Display {
        var kind: String
        var lines: [String] = []

        /// Without the remarks to their right.
        var examples: [String] { lines.compactMap { GuidePage.columns($0[...]).first } }
    }

    private(set) var displays: [Display] = []
    /// Everything, as it is shown.
    let text: String

    init() throws {
        let source = try SourceTree.text("Packaging/man/gather-predicates.7")
        var comment = ""
        var isInside = false
        var shown = ""
        for line in source.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix(".\\\" ") {
                comment = String(line.dropFirst(4))
                continue
            }
            shown += GuidePage.characters(of: line) + "\n"
            if line.hasPrefix(".Bd") {
                displays.append(Display(kind: comment))
                isInside = true
            } else if line.hasPrefix(".Ed") {
                isInside = false
            } else if isInside {
                displays[displays.count - 1].lines.append(GuidePage.characters(of: line))
            }
        }
        text = shown
    }

    func examples(_ kind: String) -> [String] { displays.filter { $0.kind == kind }.flatMap(\.examples) }

    /// The file that the page describes.
    func item() throws -> PlayedItem {
        let lines = try #require(displays.first { $0.kind == "item" }).lines
        var item = PlayedItem()
        for line in lines {
            let columns = GuidePage.columns(line[...])
            let attribute = try #require(Attribute(name: columns[0]))
            let text = columns[1]
            switch attribute.type {
            case .string: item.values[attribute] = .string(text)
            case .integer: item.values[attribute] = .integer(try #require(Int64(text)))
            case .date: item.values[attribute] = .date(try #require(Timestamp(rfc3339: text)))
            case .boolean: item.values[attribute] = .boolean(text == "TRUE")
            case .strings:
                item.values[attribute] = .array(text.split(separator: ", ").map { .string(String($0)) })
            }
            if attribute == .name {
                item.nameBytes = Array(text.utf8)
                item.values[.fileExtension] = .string(String(text.split(separator: ".").last ?? ""))
            }
        }
        return item
    }

    @discardableResult
    static func parse(_ text: String) throws -> PredicateLanguage.Predicate {
        try PredicateLanguage.Predicate(parsing: text, mode: .metadata)
    }

    /// The columns of a line, with three blanks or more between them.
    static func columns(_ line: Substring) -> [String] {
        line.split(separator: /\s{3,}/).map { String($0) }
    }

    /// A line of roff with the characters that its escapes stand for.
    private static func characters(of line: Substring) -> String {
        var text = String(line)
        for (escape, character) in [
            ("\\&", ""), ("\\(aq", "'"), ("\\(dq", "\""), ("\\(ga", "`"), ("\\(ha", "^"), ("\\(ti", "~"), ("\\-", "-"),
            ("\\(`e", "\u{E8}"), ("\\e", "\\"),
        ] {
            text = text.split(separator: escape, omittingEmptySubsequences: false).joined(separator: character)
        }
        return text
    }
}
