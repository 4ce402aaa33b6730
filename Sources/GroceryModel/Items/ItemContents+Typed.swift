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
        let text = words.joined(separator: " ")
        let amount = TypedAmount(text)
        self.init(name: try ItemText.name(amount?.name ?? text))
        quantity = amount?.quantity ?? ""
        self.tags = tags.tagsWithoutRepetition
    }
}
