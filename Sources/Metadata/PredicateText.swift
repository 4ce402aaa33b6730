// Text for predicates.
// SPDX-License-Identifier: Apache-2.0

/// Writes parts of predicates.
public enum PredicateText {
    /// Returns `text` as a literal in single quotes. Quotes, backslashes and invisible characters are escaped, so that
    /// the literal reads back as the same scalars.
    public static func literal(_ text: String) -> String {
        var literal = "'"
        // Goes by scalars. A quote with a combining mark is one `Character`, but still a quote for the parser.
        for scalar in text.unicodeScalars {
            switch scalar {
            case "'", "\\":
                literal += "\\"
                literal.unicodeScalars.append(scalar)
            case "\n": literal += "\\n"
            case "\t": literal += "\\t"
            case "\r": literal += "\\r"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                literal += "\\x" + (scalar.value < 0x10 ? "0" : "") + String(scalar.value, radix: 16)
            default: literal.unicodeScalars.append(scalar)
            }
        }
        return literal + "'"
    }
}
