// A line of a field in an item's file.
// SPDX-License-Identifier: Apache-2.0

/// A line `key: value`. The key begins with a letter in lower case, and goes on with such letters, digits and hyphens.
struct FieldLine {
    /// The keys that are fields of an item.
    static let known: Set<Substring> = ["quantity", "bought", "tags", "picture"]

    let key: Substring
    let value: String

    init?(_ line: String) {
        guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let rest = line[line.index(after: colon)...]
        guard rest.isEmpty || rest.hasPrefix(" ") else { return nil }
        key = line[..<colon]
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        guard let first = key.utf8.first, letters.contains(first),
            key.utf8.allSatisfy({
                letters.contains($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: "-")
            })
        else { return nil }
        value = ItemText.trimmed(rest)
    }
}
