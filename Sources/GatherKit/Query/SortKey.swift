// By what results are sorted.
// SPDX-License-Identifier: Apache-2.0

/// One key of an order; the first of several is the primary one. Items that lack the attribute come first.
public struct SortKey: Sendable, Hashable {
    /// The attribute to sort by.
    public let attribute: Attribute
    /// Whether the smallest value comes first.
    public let ascending: Bool

    /// A key, ascending unless said otherwise.
    public init(_ attribute: Attribute, ascending: Bool = true) {
        self.attribute = attribute
        self.ascending = ascending
    }
}
