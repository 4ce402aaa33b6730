// What became of one item since the subscriber of a live query was told last.
// SPDX-License-Identifier: Apache-2.0

package import MetadataIndex

/// What became of one item since the subscriber was told last. Rows are live in the index as it was processed last; paths are
/// bytes from the container's root, without a slash in front.
package enum DeltaItem: Sendable {
    /// An item that matched and matches now, and that changed meanwhile. One that did not match for a while in between
    /// counts as changed: what happened to it then was nobody's business.
    package struct Changed: Sendable, Hashable {
        package let row: Row
        /// The path that the subscriber knows, where path was asked for and is another now.
        package let previousPath: [UInt8]?
    }

    /// An item that matched and no longer does, or is gone.
    package struct Removed: Sendable, Hashable {
        package let identifier: ItemIdentifier
        /// The path it had last.
        package let path: [UInt8]
    }

    /// One that matches now, and of which the subscriber was not told.
    case added(Row)
    case changed(Changed)
    case removed(Removed)
}
