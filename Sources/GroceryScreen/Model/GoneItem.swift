// An item that was removed elsewhere while it was selected.
// SPDX-License-Identifier: Apache-2.0

internal import GroceryModel

/// An item that was removed elsewhere while it was selected. Until its person goes on, no key acts on the item that has come to its
/// place.
struct GoneItem: Sendable {
    let item: GroceryItem
    /// The user who removed it, as far as that is known.
    var remover: String?

    /// A sentence for the message line.
    var text: String { "\(item.name) was removed\(remover.map { " by \($0)" } ?? ""); u brings it back" }
}
