// Regular expressions that are searched for, beside MATCHES, which compares the whole text.
// SPDX-License-Identifier: Apache-2.0

/// Regular expressions as `fd` and `grep` take them: they hold where a part of the text fits. `MATCHES` compares the whole text.
package enum SearchExpression {
    private static let signs = [".+", "|", "\\"]

    /// Whether a text is a regular expression that is more than text. A word such as `c++` or `photo (1)` is text.
    package static func looksLike(_ text: String) -> Bool {
        let hasClass = text.firstIndex(of: "[").map { text[$0...].contains("]") } ?? false
        // At the end, it is more often the pattern of a name with any extension.
        let hasRepetition = text.dropLast().contains(".*")
        guard text.utf8.count > 1,
            hasClass || hasRepetition || text.hasPrefix("^") || text.hasSuffix("$")
                || signs.contains(where: text.contains)
        else { return false }
        return (try? TextPattern(.matches, whole(text))) != nil
    }

    /// Whether a text of letters and digits has an optional letter inside, such as `jpe?g`. As a pattern, `?` is one character, which is
    /// more often at the end or beside other signs.
    package static func hasOptionalLetter(_ text: String) -> Bool {
        let parts = text.split(separator: "?", omittingEmptySubsequences: false)
        return parts.count > 1 && parts.allSatisfy { !$0.isEmpty && $0.allSatisfy { $0.isLetter || $0.isNumber } }
    }

    /// Returns the expression that fits a whole text if `text` fits a part of it.
    package static func whole(_ text: String) -> String {
        // An anchor belongs to its own alternative.
        if text.contains("|") { return ".*(?:\(text)).*" }
        var body = Substring(text)
        var (head, tail) = (body.hasPrefix(".*") ? "" : ".*", body.hasSuffix(".*") ? "" : ".*")
        if body.hasPrefix("^") { (body, head) = (body.dropFirst(), "") }
        if body.hasSuffix("$"), !body.hasSuffix("\\$") { (body, tail) = (body.dropLast(), "") }
        return head + body + tail
    }
}
