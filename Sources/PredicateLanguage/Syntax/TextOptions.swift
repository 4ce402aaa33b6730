// The options of a text comparison, in brackets after an operator.
// SPDX-License-Identifier: Apache-2.0

/// The options of a text comparison, in brackets after an operator, as in `LIKE[cd]`.
package struct TextOptions: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// `c`: upper and lower case are the same.
    package static let caseInsensitive = TextOptions(rawValue: 1)
    /// `d`: accents and other marks are ignored.
    package static let diacriticInsensitive = TextOptions(rawValue: 2)
    /// `n`: both sides are normalised to NFC and then compared exactly; `c` and `d` beside it have no effect.
    package static let normalized = TextOptions(rawValue: 4)
    /// `l`: accepted and printed; comparisons know no locale.
    package static let localeSensitive = TextOptions(rawValue: 8)

    static let letters: [(TextOptions, Character)] = [
        (.caseInsensitive, "c"), (.diacriticInsensitive, "d"), (.normalized, "n"), (.localeSensitive, "l"),
    ]

    /// The canonical text, `[cd]`; empty when there are none.
    package var text: String {
        isEmpty ? "" : "[" + String(TextOptions.letters.filter { contains($0.0) }.map(\.1)) + "]"
    }
}
