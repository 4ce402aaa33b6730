// The order of names for people.
// SPDX-License-Identifier: Apache-2.0

internal import PredicateLanguage

/// The place of a name in a sorted list. This is the one rule for items, tags and lists, in commands, on the full screen and on the
/// page. It knows no language, so every program and every browser sorts alike:
///
/// 1. Marks on letters do not count, nor does upper or lower case. ``letters`` has the letters that have no mark to drop.
/// 2. A run of the digits 0 to 9 is a number, whatever its length and its leading zeros. It stands where its first digit would.
/// 3. All else is compared by code points.
/// 4. Names that are equal so far are compared by the code points of the names themselves.
///
/// The page has the same rule in JavaScript (`orderOf` in `page.html`). `sorted-names.txt` beside the tests is the list on which
/// both are tested.
package struct NameOrder: Sendable, Hashable, Comparable {
    /// The numbers that are compared: the folded name with its runs of digits replaced, a zero, and the name.
    private let units: [UInt32]

    /// Letters that stand for others and have no canonical decomposition.
    private static let letters: [Unicode.Scalar: String] = [
        "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "ħ": "h", "ł": "l", "þ": "th", "ŧ": "t",
    ]

    package init(_ name: String) {
        var units: [UInt32] = []
        units.reserveCapacity(2 * name.utf8.count + 1)
        var rest = NameOrder.folded(name)[...]
        while let scalar = rest.popFirst() {
            units.append(scalar)
            guard NameOrder.isDigit(scalar) else { continue }
            // A number is its length and its digits: longer ones are larger.
            let digits = (CollectionOfOne(scalar) + rest.prefix(while: NameOrder.isDigit)).drop { $0 == 0x30 }
            rest = rest.drop(while: NameOrder.isDigit)
            units[units.count - 1] = 0x30
            units.append(UInt32(digits.count))
            units += digits
        }
        self.units = units + [0] + name.unicodeScalars.map(\.value)
    }

    package static func < (a: NameOrder, b: NameOrder) -> Bool { a.units.lexicographicallyPrecedes(b.units) }

    private static func isDigit(_ scalar: UInt32) -> Bool { (0x30...0x39).contains(scalar) }

    /// Returns the scalars of a name without marks and case (``ItemText/caseless(_:)``).
    private static func folded(_ name: String) -> [UInt32] {
        if name.utf8.allSatisfy({ $0 < 0x80 }) {
            return name.utf8.map { UInt32((0x41...0x5A).contains($0) ? $0 | 0x20 : $0) }
        }
        var scalars: [UInt32] = []
        for scalar in ItemText.caseless(TextFolding.withoutMarks(name)).unicodeScalars {
            if let others = letters[scalar] {
                scalars += others.unicodeScalars.map(\.value)
            } else {
                scalars.append(scalar.value)
            }
        }
        return scalars
    }
}
