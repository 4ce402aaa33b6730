// The line that says whether an item is bought.
// SPDX-License-Identifier: Apache-2.0

/// The line that says whether an item is bought. A change and the opposite one give the line back that a person wrote.
enum BoughtLine {
    /// The line of an item without one that is bought now.
    static let new = "bought: yes"
    private static let pairs = [("no", "yes"), ("false", "true"), ("0", "1"), ("", "x")]

    /// Returns a line with another value; nil if there is no line for it, as before ``new`` was added. The opposite of `bought: no`
    /// has a second blank, which tells it from that.
    static func changed(_ line: String, to isBought: Bool) -> String? {
        guard let value = FieldLine(line)?.value else { return line }
        let word = value.lowercased()
        guard let pair = pairs.first(where: { word == (isBought ? $0.0 : $0.1) }) else { return line }
        if line == new { return nil }
        let end = line.lastIndex { !$0.isWhitespace }.map { line.index(after: $0) } ?? line.startIndex
        let (head, tail) = (line[..<line.index(end, offsetBy: -value.count)], line[end...])
        if pair.0.isEmpty { return isBought ? line + " x" : String(head.dropLast()) }
        let changed = "\(head)\(BoughtLine.word(isBought ? pair.1 : pair.0, like: value))\(tail)"
        if changed == new { return "\(head) \(pair.1)" }
        return value == "yes" && head.hasSuffix("  ") ? "\(head.dropLast())\(pair.0)\(tail)" : changed
    }

    /// Returns a word in capitals where the other one has them.
    private static func word(_ word: String, like other: String) -> String {
        guard other.first?.isUppercase ?? false else { return word }
        return other.last?.isUppercase ?? false ? word.uppercased() : word.prefix(1).uppercased() + word.dropFirst()
    }
}
