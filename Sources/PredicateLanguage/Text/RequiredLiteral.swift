// A literal that every match of a pattern has.
// SPDX-License-Identifier: Apache-2.0

/// The bytes that every matching text has, and their place. Scans and the registry of live queries use it to narrow
/// items.
package struct RequiredLiteral: Sendable, Hashable {
    package enum Place: Sendable, Hashable {
        case whole, prefix, suffix, infix
    }

    package let place: Place
    package let bytes: [UInt8]
    /// Whether a text with the literal matches without a further test.
    package let isSufficient: Bool

    init(_ place: Place, _ bytes: [UInt8], isSufficient: Bool) {
        self.place = place
        self.bytes = bytes
        self.isSufficient = isSufficient
    }
}
