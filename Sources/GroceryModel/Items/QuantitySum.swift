// The sum of two quantities.
// SPDX-License-Identifier: Apache-2.0

/// The sum of two quantities. The page has the same rules.
package enum QuantitySum {
    /// Returns the sum as a person would write it: `2 l` and `1 l` are `3 l`. Quantities of different units, and those that are
    /// more than a number and a unit, stand beside each other: `2 l + 3 bottles`.
    ///
    /// - Parameters:
    ///   - one: A quantity; empty for none.
    ///   - other: The quantity that is added; empty for none.
    package static func text(_ one: String, _ other: String) -> String {
        guard !one.isEmpty, !other.isEmpty else { return one + other }
        guard let first = Part(one), let second = Part(other), let unit = unit(first.unit, second.unit) else {
            return "\(one) + \(other)"
        }
        let total = first.hundredths + second.hundredths
        var text = "\(total / 100)"
        if total % 100 != 0 {
            let fraction = total % 100 < 10 ? "0\(total % 100)" : "\(total % 100)"
            text += first.separator ?? second.separator ?? "."
            text += fraction.hasSuffix("0") ? String(fraction.dropLast()) : fraction
        }
        return text + (first.hasBlank || second.hasBlank ? " " : "") + unit
    }

    /// A number with a unit. A number with three digits behind a point or a comma may mean thousands, and is none.
    private struct Part {
        let hundredths: Int
        let separator: String?
        let hasBlank: Bool
        let unit: String

        init?(_ text: String) {
            let form = /([0-9]{1,3}(?: [0-9]{3}){1,2}|[0-9]{1,9})(?:([.,])([0-9]{1,2}))?( ?)(\p{L}[\p{L}. ]*)?/
            guard let match = text.wholeMatch(of: form), let whole = Int(match.1.filter { $0 != " " }) else {
                return nil
            }
            let fraction = match.3.map { $0.count == 1 ? $0 + "0" : String($0) } ?? "0"
            hundredths = whole * 100 + (Int(fraction) ?? 0)
            separator = match.2.map(String.init)
            hasBlank = !match.4.isEmpty
            unit = match.5.map(String.init) ?? ""
        }
    }

    /// Returns the unit of a sum: the longer one of a singular and its plural. Nil for different units.
    private static func unit(_ one: String, _ other: String) -> String? {
        let (short, long) = one.count <= other.count ? (one, other) : (other, one)
        let (a, b) = (short.lowercased(), long.lowercased())
        return a == b || !a.isEmpty && b.hasPrefix(a) && ["s", "es", "n", "en"].contains(b.dropFirst(a.count))
            ? long : nil
    }
}
