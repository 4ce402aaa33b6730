// Results that have a value in common.
// SPDX-License-Identifier: Apache-2.0

/// The results that have one value of an attribute, as ``MetadataQuery/groupedResults`` tells them.
public struct ResultGroup: Sendable, Hashable {
    /// What they are grouped by.
    public let attribute: Attribute
    /// What they have in common; `MetadataValue.none` for those that have no value.
    public let value: MetadataValue
    /// The results, in the query's order.
    public let results: [MetadataItem]
    /// The same results, grouped by the next attribute; empty where there is none.
    public let subgroups: [ResultGroup]
}
