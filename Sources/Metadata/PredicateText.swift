// Text as a predicate has it.
// SPDX-License-Identifier: Apache-2.0

/// Writes parts of predicates.
public enum PredicateText {
    /// `text` as a literal, whatever it holds: in single quotes, with escapes for quotes, backslashes and what is no visible
    /// character, so that it reads back as the same scalars.
    public static func literal(_ text: String) -> String {
        var literal = "'"
        // By scalars: a quote with a mark behind it is one `Character`, and still a quote to the parser.
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
