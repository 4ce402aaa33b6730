// The details of one item, which are read from its files.
// SPDX-License-Identifier: Apache-2.0

internal import GroceryModel

struct ItemDetails: Sendable {
    let contents: ItemContents
    /// The current version and those in conflict with it; empty without a conflict.
    let versions: [ItemVersion]
}

/// The state of an item for which details are read: another state needs them again.
struct DetailsKey: Sendable, Hashable {
    let item: GroceryItem
    /// Counts explicit reloads.
    let generation: Int
}
