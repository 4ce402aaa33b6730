// How often a value occurs.
// SPDX-License-Identifier: Apache-2.0

/// How many items have one value of an attribute.
public struct AttributeValueCount: Sendable, Hashable {
    /// The value; `MetadataValue.none` for items that have none. Of a list, such as tags, each is counted by itself.
    public let value: MetadataValue
    /// How many items have it.
    public let count: Int

    /// A value and how often it occurs.
    public init(value: MetadataValue, count: Int) {
        self.value = value
        self.count = count
    }
}
