// A set of attributes in one number, and the names of extended ones.
// SPDX-License-Identifier: Apache-2.0

package import Metadata

/// A set of attributes: those that a predicate reads, or that a caller wants.
package struct AttributeSet: Sendable, Hashable, ExpressibleByArrayLiteral {
    /// The fixed attributes, as bits by ordinal.
    private var bits: UInt64 = 0
    /// The extended attributes, sorted, without duplicates.
    package private(set) var extended: [ExtendedAttributeName] = []

    /// No attributes.
    package init() {}

    /// These attributes.
    package init(_ attributes: some Sequence<Attribute>) {
        for attribute in attributes { insert(attribute) }
    }

    package init(arrayLiteral attributes: Attribute...) { self.init(attributes) }

    /// Whether there are none.
    package var isEmpty: Bool { bits == 0 && extended.isEmpty }

    /// How many there are.
    package var count: Int { bits.nonzeroBitCount + extended.count }

    /// Whether the attribute is in it.
    package func contains(_ attribute: Attribute) -> Bool {
        switch attribute {
        case .extended(let name):
            let place = place(of: name)
            return place < extended.count && extended[place] == name
        default: return bits & AttributeSet.bit(attribute) != 0
        }
    }

    /// Adds an attribute.
    package mutating func insert(_ attribute: Attribute) {
        switch attribute {
        case .extended(let name):
            let place = place(of: name)
            if place == extended.count || extended[place] != name { extended.insert(name, at: place) }
        default: bits |= AttributeSet.bit(attribute)
        }
    }

    /// Removes an attribute.
    package mutating func remove(_ attribute: Attribute) {
        switch attribute {
        case .extended(let name): extended.removeAll { $0 == name }
        default: bits &= ~AttributeSet.bit(attribute)
        }
    }

    /// The attributes of either set.
    package func union(_ other: AttributeSet) -> AttributeSet {
        var result = self
        result.bits |= other.bits
        for name in other.extended { result.insert(.extended(name)) }
        return result
    }

    /// The attributes: fixed ones in the order of ``Attribute/fixed``, then extended ones by name.
    package var attributes: [Attribute] {
        Attribute.fixed.filter(contains) + extended.map { .extended($0) }
    }

    /// Whether any of its fixed attributes is in another set.
    package func meets(_ other: AttributeSet) -> Bool { bits & other.bits != 0 }

    /// Whether one of them follows from an item's path.
    package var followFromPlace: Bool { bits & AttributeSet.ofPlace != 0 }

    /// Whether one of them takes system calls of its own (``Attribute/isExtra``).
    package var containsXattrs: Bool { bits & AttributeSet.xattrs != 0 || !extended.isEmpty }

    private static let xattrs = Attribute.fixed.reduce(into: UInt64(0)) { if $1.isExtra { $0 |= bit($1) } }
    private static let ofPlace = bit(.path) | bit(.depth) | bit(.scope) | bit(.conflictOf)

    private static func bit(_ attribute: Attribute) -> UInt64 {
        attribute.ordinal.map { 1 << UInt64($0) } ?? 0
    }

    /// The place of a name, or the place to insert it.
    private func place(of name: ExtendedAttributeName) -> Int {
        var (low, high) = (0, extended.count)
        while low < high {
            let middle = (low + high) / 2
            if extended[middle] < name { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
