// A value with its number of items.
// SPDX-License-Identifier: Apache-2.0

/// The number of items with one value of an attribute.
public struct AttributeValueCount: Sendable, Hashable {
    /// The value; `MetadataValue.none` for items without one. Each value of a list, such as tags, counts by itself.
    public let value: MetadataValue
    /// The number of items.
    public let count: Int

    /// Makes a value with its number of items.
    public init(value: MetadataValue, count: Int) {
        self.value = value
        self.count = count
    }
}
