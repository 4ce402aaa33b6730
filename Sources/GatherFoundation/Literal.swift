// Constants as the language writes them.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit

/// Writes constants so that they read back as the same value.
enum Literal {
    static func text(of value: MetadataValue) -> String {
        switch value {
        case .none, .dictionary: "NIL"
        case .boolean(let value): value ? "TRUE" : "FALSE"
        case .integer(let value): String(value)
        case .number(let value): String(value)
        case .string(let text): PredicateText.literal(text)
        // A date that stands beside something else than a date would be text.
        case .date(let date): "CAST(\(PredicateText.literal(date.rfc3339)), 'NSDate')"
        case .array(let elements): "{" + elements.map(text(of:)).joined(separator: ", ") + "}"
        }
    }

    /// Whether no other text than this one itself is equal to it for Swift, whose strings are equal where they are
    /// canonically equivalent. Of ASCII all but three characters decompose from nothing else: U+212A is K, U+037E is ; and
    /// U+1FEF is a grave accent, in Unicode's table of canonical decompositions.
    static func isAloneInItsClass(_ text: String) -> Bool {
        // Alone, `name == '*'` asks for any name.
        text != "*"
            && text.utf8.allSatisfy {
                $0 < 0x80 && $0 != UInt8(ascii: "K") && $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: "`")
            }
    }
}
