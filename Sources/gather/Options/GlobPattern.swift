// Patterns for whole names, as fd -g has them.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit

/// A pattern for a whole name: `*`, `?`, classes such as `[a-c]` and `[!0-9]`, and alternatives such as `{py,txt}`. A backslash
/// takes the next character literally.
struct GlobPattern {
    private let text: String

    init(_ text: String) { self.text = text }

    /// Whether `LIKE` has no words for it.
    private var needsExpression: Bool { text.contains { "[]{}".contains($0) } }

    /// Returns the comparison of the name with the pattern. `options` are those of the operator, such as `[c]`.
    ///
    /// - Throws: ``Failure`` for a bracket or a brace without its other half.
    func test(options: String) throws(Failure) -> String {
        guard needsExpression else { return "name LIKE\(options) \(PredicateText.literal(text))" }
        return "name MATCHES\(options) \(PredicateText.literal(try expression()))"
    }

    /// The regular expression for the pattern. A name may have line ends.
    private func expression() throws(Failure) -> String {
        var expression = "(?s)"
        var depth = 0
        var rest = Substring(text)
        while let character = rest.popFirst() {
            switch character {
            case "*":
                // Two are one here: a name has no directories.
                while rest.first == "*" { rest.removeFirst() }
                expression += ".*"
            case "?": expression += "."
            case "[": expression += try GlobPattern.characterClass(&rest, of: text)
            case "{":
                depth += 1
                expression += "(?:"
            case "," where depth > 0: expression += "|"
            case "}" where depth > 0:
                depth -= 1
                expression += ")"
            case "\\": expression += GlobPattern.escaped(rest.popFirst() ?? character)
            default: expression += GlobPattern.escaped(character)
            }
        }
        guard depth == 0 else { throw GlobPattern.unclosed("{", "}", text) }
        return expression
    }

    /// Reads a class behind its `[`. A `]` that comes first is one of the characters.
    private static func characterClass(_ rest: inout Substring, of text: String) throws(Failure) -> String {
        var result = "["
        if rest.first == "!" || rest.first == "^" {
            rest.removeFirst()
            result += "^"
        }
        var isFirst = true
        while let character = rest.popFirst() {
            if character == "]", !isFirst { return result + "]" }
            isFirst = false
            switch character {
            case "-": result += "-"
            case "\\": result += escaped(rest.popFirst() ?? character)
            default: result += escaped(character)
            }
        }
        throw unclosed("[", "]", text)
    }

    private static func unclosed(_ open: String, _ close: String, _ text: String) -> Failure {
        Failure(
            status: ExitStatus.usage,
            "the pattern '\(DisplayText.escaped(text))' has '\(open)' without '\(close)'; '\\\(open)' stands for itself"
        )
    }

    private static func escaped(_ character: Character) -> String {
        "\\^$.|?*+()[]{}-#".contains(character) ? "\\" + String(character) : String(character)
    }
}
