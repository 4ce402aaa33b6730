// Versions of an item side by side.
// SPDX-License-Identifier: Apache-2.0

internal import GatherDocuments
internal import GroceryModel

/// Versions of an item side by side: a column for each, a line for each field, and a `*` at the lines that differ.
struct VersionTable {
    private let versions: [ItemVersion]
    private static let width = 28

    init(_ versions: [ItemVersion]) { self.versions = versions }

    var lines: [String] {
        let rows: [(String, [String])] = [
            ("version", versions.enumerated().map { "\($0.offset + 1)\($0.element.isCurrent ? " (current)" : "")" }),
            ("device", versions.map { $0.device ?? "unknown" }), ("saved", versions.map { $0.modified.localText }),
            ("name", versions.map(\.contents.name)), ("quantity", versions.map(\.contents.quantity)),
            ("bought", versions.map { $0.contents.isBought ? "yes" : "no" }),
            ("tags", versions.map { $0.contents.tags.joined(separator: ", ") }),
            ("picture", versions.map { $0.contents.picture ?? "" }), ("note", versions.map(\.contents.note)),
        ]
        return rows.enumerated().flatMap { number, row in
            let (title, values) = row
            let isDifferent = number > 2 && Set(values).count > 1
            let cells = values.map { VersionTable.wrapped($0) }
            let height = cells.map(\.count).max() ?? 1
            return (0..<height).map { line in
                let head = line == 0 ? (isDifferent ? "* " : "  ") + title : ""
                var text = VersionTable.padded(head, 12)
                for cell in cells {
                    text += VersionTable.padded(line < cell.count ? cell[line] : "", VersionTable.width + 2)
                }
                while text.last == " " { text.removeLast() }
                return text
            }
        }
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    /// Breaks a value into lines of the column's width.
    private static func wrapped(_ text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line in
            var (lines, rest) = ([String](), Substring(DisplayText.escaped(String(line))))
            repeat {
                lines.append(String(rest.prefix(width)))
                rest = rest.dropFirst(width)
            } while !rest.isEmpty
            return lines
        }
    }
}
