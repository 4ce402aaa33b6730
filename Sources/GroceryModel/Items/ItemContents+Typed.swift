// Items as a person types them.
// SPDX-License-Identifier: Apache-2.0

extension ItemContents {
    /// Reads an item as a person types it, such as `2 kg flour #market`: a quantity at the beginning, tags with `#`, and the name.
    package init(typed text: String) throws(GroceryError) {
        var (words, tags): ([Substring], [String]) = ([], [])
        for word in text.split(whereSeparator: \.isWhitespace) {
            if word.hasPrefix("#"), word.count > 1 { tags.append(try ItemText.tag(word)) } else { words.append(word) }
        }
        // Control characters that are blanks for Swift, such as a line end, are refused all the same.
        _ = try ItemText.line(ItemText.trimmed(text), "name")
        var quantity: [Substring] = []
        if let first = words.first, words.count > 1, let (number, unit) = ItemContents.number(first) {
            quantity = [words.removeFirst()]
            if unit.isEmpty, words.count > 1, ItemContents.units.contains(words[0].lowercased()) {
                quantity.append(words.removeFirst())
            } else if ["x", "×"].contains(unit) {
                quantity = [number]
            }
        }
        self.init(name: try ItemText.name(words.joined(separator: " ")))
        self.quantity = quantity.joined(separator: " ")
        self.tags = tags.withoutRepetition
    }

    /// Splits a word such as `2`, `1.5`, `1/2` or `500g` into its number and unit. Nil for a word that is no quantity.
    private static func number(_ word: Substring) -> (number: Substring, unit: Substring)? {
        let number = word.prefix { "0123456789.,/½¼¾".contains($0) }
        guard let first = number.first, first.isNumber, let last = number.last, last.isNumber else { return nil }
        let unit = word[number.endIndex...]
        guard unit.isEmpty || ["x", "×"].contains(unit) || units.contains(unit.lowercased()) else { return nil }
        return (number, unit)
    }

    /// The units after a number.
    private static let units: Set<String> = [
        "kg", "g", "mg", "lb", "lbs", "oz", "l", "ml", "cl", "dl", "gal", "pt", "qt", "cup", "cups", "tbsp", "tsp",
        "pack",
        "packs", "packet", "packets", "box", "boxes", "bag", "bags", "bottle", "bottles", "can", "cans", "tin", "tins",
        "jar", "jars", "bunch", "bunches", "loaf", "loaves", "dozen", "piece", "pieces", "pcs", "slice", "slices",
        "roll",
        "rolls", "liter", "liters", "litre", "litres", "stück", "stk", "packung", "packungen", "dose", "dosen",
        "flasche",
        "flaschen", "becher", "bund", "glas", "gläser", "beutel", "el", "tl",
    ]
}
