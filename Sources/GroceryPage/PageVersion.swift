// A version of an item as the page shows it.
// SPDX-License-Identifier: Apache-2.0

package import GroceryModel
package import Metadata

/// A version of an item that is in conflict.
package struct PageVersion: Sendable, Hashable {
    /// The name of its file. All versions of an item are in one folder.
    package let name: String
    package let contents: ItemContents
    package let isCurrent: Bool
    /// The device that saved it, if that is known.
    package let device: String?
    package let modified: Timestamp

    package init(name: String, contents: ItemContents, isCurrent: Bool, device: String?, modified: Timestamp) {
        self.name = name
        self.contents = contents
        self.isCurrent = isCurrent
        self.device = device
        self.modified = modified
    }
}

/// The way in which the page resolves a conflict.
package enum PageResolution: Sendable, Hashable {
    /// The version with this name becomes the current one.
    case version(String)
    /// Each version becomes an item.
    case both
    /// These contents become the current version.
    case merged(ItemContents)
}
