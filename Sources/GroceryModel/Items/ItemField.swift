// The fields of an item that are merged one by one.
// SPDX-License-Identifier: Apache-2.0

/// A field of an item.
package enum ItemField: String, Sendable, Hashable, CaseIterable {
    case name, quantity, bought, tags, picture, note, others
}
