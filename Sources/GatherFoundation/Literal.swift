// Writes constants as literals.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit

/// Writes constants that read back as the same value.
enum Literal {
    static func text(of value: MetadataValue) -> String {
        switch value {
        case .none, .dictionary: "NIL"
        case .boolean(let value): value ? "TRUE" : "FALSE"
        case .integer(let value): String(value)
        case .unsigned(let value): String(value)
        case .number(let value): String(value)
        case .string(let text): PredicateText.literal(text)
        // A plain literal is a date only beside a date.
        case .date(let date): "CAST(\(PredicateText.literal(date.rfc3339)), 'NSDate')"
        case .array(let elements): "{" + elements.map(text(of:)).joined(separator: ", ") + "}"
        }
    }

    /// Whether no other text is equal to this one in Swift, where canonically equivalent strings are equal.
    ///
    /// All ASCII characters but three are the decomposition of no other character. The three have U+212A (K), U+037E
    /// (;) and U+1FEF (a grave accent) in Unicode's table of canonical decompositions.
    static func isAloneInItsClass(_ text: String) -> Bool {
        // By itself, `name == '*'` matches any name.
        text != "*"
            && text.utf8.allSatisfy {
                $0 < 0x80 && $0 != UInt8(ascii: "K") && $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: "`")
            }
    }
}
