// The lines of `grocery list`.
// SPDX-License-Identifier: Apache-2.0

/// A line of `grocery list`: a mark, an identifier of eight characters, and the item.
enum ListedItem {
    /// Returns the items without marks and identifiers.
    static func texts(_ lines: [String]) -> [String] {
        lines.map { line in
            let match = line.wholeMatch(of: /[ x!] [0-9A-Fa-f]{8}  (.*)/)
            return match.map { String($0.1) } ?? "no item: \(line)"
        }
    }
}
