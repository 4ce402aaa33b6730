// Text as a predicate has it.
// SPDX-License-Identifier: Apache-2.0

/// Writes parts of predicates.
package enum PredicateText {
    /// `text` as a literal, whatever it holds: in single quotes, with the quotes and backslashes in it escaped.
    package static func literal(_ text: String) -> String {
        var literal = "'"
        for scalar in text.unicodeScalars {
            if scalar == "'" || scalar == "\\" { literal += "\\" }
            literal.unicodeScalars.append(scalar)
        }
        return literal + "'"
    }
}
