// How many conflict versions an item has.
// SPDX-License-Identifier: Apache-2.0

/// How many conflict versions an item has (`ConflictName`).
package struct ConflictCount: Sendable, Hashable {
    /// Those of the item: they lie in its directory, under names that come from its own.
    package var beside: UInt32 = 0
    /// Those inside of a package, at any depth, whatever files they belong to.
    package var inside: UInt32 = 0

    package init() {}

    init(beside: UInt32, inside: UInt32) { (self.beside, self.inside) = (beside, inside) }

    /// Whether there are none.
    package var isNone: Bool { beside == 0 && inside == 0 }

    /// All of them.
    package var all: Int64 { Int64(beside) + Int64(inside) }
}
