// What a text has to hold for a pattern to have a chance.
// SPDX-License-Identifier: Apache-2.0

/// Bytes that every matching text has, and where. Scans and the registry of live queries narrow by it.
package struct RequiredLiteral: Sendable, Hashable {
    package enum Place: Sendable, Hashable {
        case whole, prefix, suffix, infix
    }

    package let place: Place
    package let bytes: [UInt8]
    /// Whether having the literal is enough to match, so that nothing else needs to be tested.
    package let isSufficient: Bool

    init(_ place: Place, _ bytes: [UInt8], isSufficient: Bool) {
        self.place = place
        self.bytes = bytes
        self.isSufficient = isSufficient
    }
}
