// Items as lines of text.
// SPDX-License-Identifier: Apache-2.0

internal import GatherDocuments
internal import Glibc
internal import GroceryModel

/// Items as lines of text: a mark, the short identifier, and the item. The mark is `x` for a bought item, `!` for one in conflict.
enum ListText {
    /// Whether escape sequences are wanted.
    static let hasColor: Bool = {
        guard Output.isTerminal, getenv("NO_COLOR").map({ $0.pointee == 0 }) ?? true else { return false }
        return getenv("TERM").map { String(cString: $0) != "dumb" } ?? false
    }()

    static func line(_ item: GroceryItem) -> String {
        let mark = item.isInConflict ? "!" : item.isBought ? "x" : " "
        guard hasColor else { return "\(mark) \(item.id.short)  \(item.line)" }
        let text = item.isBought ? "\u{1B}[2m\(item.line)\u{1B}[0m" : item.line
        return "\(item.isInConflict ? "\u{1B}[31m!\u{1B}[0m" : mark) \u{1B}[2m\(item.id.short)\u{1B}[0m  \(text)"
    }

    /// Returns the lines of a list. A terminal gets headings.
    static func lines(_ groups: [ItemGroup]) -> [String] {
        var lines: [String] = []
        for group in groups {
            if Output.isTerminal, groups.count > 1 {
                let title = group.isBought ? "bought" : group.tag.map { DisplayText.escaped($0) } ?? "without tag"
                if !lines.isEmpty { lines.append("") }
                lines.append(hasColor ? "\u{1B}[1m\(title)\u{1B}[0m" : title)
            }
            lines += group.items.map(line)
        }
        return lines
    }
}
