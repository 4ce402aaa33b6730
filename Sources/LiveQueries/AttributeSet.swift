// A set of attributes in one number.
// SPDX-License-Identifier: Apache-2.0

package import Metadata

/// A set of attributes: those that a predicate reads, or that a caller asked for.
package struct AttributeSet: Sendable, Hashable, ExpressibleByArrayLiteral {
    private var bits: UInt64 = 0

    /// No attributes.
    package init() {}

    /// These attributes.
    package init(_ attributes: some Sequence<Attribute>) {
        for attribute in attributes { insert(attribute) }
    }

    package init(arrayLiteral attributes: Attribute...) { self.init(attributes) }

    /// Whether there are none.
    package var isEmpty: Bool { bits == 0 }

    /// How many there are.
    package var count: Int { bits.nonzeroBitCount }

    /// Whether the attribute is in it.
    package func contains(_ attribute: Attribute) -> Bool { bits >> UInt64(attribute.rawValue) & 1 != 0 }

    /// Adds an attribute.
    package mutating func insert(_ attribute: Attribute) { bits |= 1 << UInt64(attribute.rawValue) }

    /// Takes an attribute away.
    package mutating func remove(_ attribute: Attribute) { bits &= ~(1 << UInt64(attribute.rawValue)) }

    /// What is in one or the other.
    package func union(_ other: AttributeSet) -> AttributeSet {
        var result = self
        result.bits |= other.bits
        return result
    }

    /// The attributes in the order of ``Attribute/allCases``.
    package var attributes: [Attribute] { Attribute.allCases.filter(contains) }

    /// Whether one of them follows from where an item lies (``Attribute/followsFromPlace``).
    package var followFromPlace: Bool { contains(.path) || contains(.depth) || contains(.scope) }
}
