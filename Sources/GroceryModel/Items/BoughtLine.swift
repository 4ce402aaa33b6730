// The line that says whether an item is bought.
// SPDX-License-Identifier: Apache-2.0

/// The line that says whether an item is bought. If there are several, the last one counts. Buying and the opposite
/// give the lines back that a person wrote.
enum BoughtLine {
    /// The line of an item without one that is bought now.
    static let new = "bought: yes"
    /// Stands for `bought: no` that is bought now. The second blank tells it from ``new``.
    private static let spaced = "bought:  yes"
    private static let pairs = [("no", "yes"), ("false", "true"), ("0", "1"), ("", "x")]

    /// Returns whether a value says that the item is bought; nil for a value that says neither.
    static func isBought(_ value: String) -> Bool? {
        let value = value.lowercased()
        return pairs.contains { $0.1 == value } ? true : pairs.contains { $0.0 == value } ? false : nil
    }

    /// Returns the lines in place of the last of several with another value. Buying changes the line if that can be undone, and else
    /// adds ``new`` behind it, which the opposite removes.
    static func changed(_ lines: [String], to isBought: Bool) -> [String] {
        guard let line = lines.last else { return [] }
        if isBought {
            let changed = opposite(of: line, isBought: true)
            return changed != new && opposite(of: changed, isBought: false).utf8.elementsEqual(line.utf8)
                ? [changed] : [line, new]
        }
        guard line == new else { return [opposite(of: line, isBought: false)] }
        let earlier = lines.dropLast().last.flatMap { FieldLine($0) }.flatMap { BoughtLine.isBought($0.value) }
        return earlier ?? false ? ["bought: no"] : []
    }

    /// Returns a line with the opposite value.
    private static func opposite(of line: String, isBought: Bool) -> String {
        if line == (isBought ? "bought: no" : spaced) { return isBought ? spaced : "bought: no" }
        guard let value = FieldLine(line)?.value,
            let pair = pairs.first(where: { value.lowercased() == (isBought ? $0.0 : $0.1) })
        else { return line }
        if pair.0.isEmpty, isBought { return line + " x" }
        let end = line.lastIndex { !$0.isWhitespace }.map { line.index(after: $0) } ?? line.startIndex
        let (head, tail) = (line[..<line.index(end, offsetBy: -value.count)], line[end...])
        if pair.0.isEmpty { return "\(head.dropLast())\(tail)" }
        return "\(head)\(BoughtLine.word(isBought ? pair.1 : pair.0, like: value))\(tail)"
    }

    /// Returns a word in capitals where the other one has them.
    private static func word(_ word: String, like other: String) -> String {
        guard other.first?.isUppercase ?? false else { return word }
        return other.last?.isUppercase ?? false ? word.uppercased() : word.prefix(1).uppercased() + word.dropFirst()
    }
}
