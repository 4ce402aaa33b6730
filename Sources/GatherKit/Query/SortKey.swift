// Sort keys of results.
// SPDX-License-Identifier: Apache-2.0

/// A key of an order. The first of several keys is the primary one. Items without the attribute come first.
public struct SortKey: Sendable, Hashable {
    /// The attribute to sort by.
    public let attribute: Attribute
    /// Whether the smallest value comes first.
    public let ascending: Bool

    /// Makes a key, ascending by default.
    public init(_ attribute: Attribute, ascending: Bool = true) {
        self.attribute = attribute
        self.ascending = ascending
    }
}
