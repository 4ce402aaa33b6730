// The letters in brackets after an operator: how text is compared.
// SPDX-License-Identifier: Apache-2.0

/// How text is compared: the letters in brackets after an operator, as in `LIKE[cd]`.
package struct TextOptions: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// `c`: upper and lower case are the same.
    package static let caseInsensitive = TextOptions(rawValue: 1)
    /// `d`: accents do not count.
    package static let diacriticInsensitive = TextOptions(rawValue: 2)
    /// `n`: both sides are brought to NFC, and then compared exactly; `c` and `d` beside it have no effect.
    package static let normalized = TextOptions(rawValue: 4)
    /// `l`: accepted and kept; there is no locale to be sensitive to.
    package static let localeSensitive = TextOptions(rawValue: 8)

    static let letters: [(TextOptions, Character)] = [
        (.caseInsensitive, "c"), (.diacriticInsensitive, "d"), (.normalized, "n"), (.localeSensitive, "l"),
    ]

    /// The canonical text, `[cd]`; empty when there are none.
    package var text: String {
        isEmpty ? "" : "[" + String(TextOptions.letters.filter { contains($0.0) }.map(\.1)) + "]"
    }
}
