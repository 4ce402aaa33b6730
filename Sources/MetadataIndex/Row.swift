// The handle of an entry of one index.
// SPDX-License-Identifier: Apache-2.0

/// A row of one ``MetadataIndex``: where an entry's values stand. A row is good while its entry lives; afterwards its slot
/// is given to another entry, told apart by the generation (``ItemIdentifier``).
package struct Row: Hashable, Sendable, Comparable {
    /// The number of the row: block × 4,096 + place in the block.
    package let number: UInt32

    /// The row with this number.
    @inlinable
    package init(_ number: UInt32) { self.number = number }

    /// The container's own directory. It carries a status but is not an item: it is in no count, bitmap or change set.
    @inlinable
    package static var root: Row { Row(0) }

    @inlinable
    package static func < (a: Row, b: Row) -> Bool { a.number < b.number }
}

extension Row {
    /// No row: the end of a list, or no first child.
    static let none: UInt32 = .max
}
