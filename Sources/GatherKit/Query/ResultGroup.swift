// Results with a common value.
// SPDX-License-Identifier: Apache-2.0

/// The results with one value of an attribute, in ``MetadataQuery/groupedResults``.
public struct ResultGroup: Sendable, Hashable {
    /// The attribute of the grouping.
    public let attribute: Attribute
    /// The common value of the group; `MetadataValue.none` for items without one.
    public let value: MetadataValue
    /// The results, in the query's order.
    public let results: [MetadataItem]
    /// These results, grouped by the next attribute; empty after the last one.
    public let subgroups: [ResultGroup]
}
