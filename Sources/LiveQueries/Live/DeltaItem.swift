// A change of one item since the last one published to a subscriber.
// SPDX-License-Identifier: Apache-2.0

package import MetadataIndex

/// A change of one item since the last one published to a subscriber. Rows exist in the index as processed last. Paths
/// are bytes from the container's root, without a leading slash.
package enum DeltaItem: Sendable {
    /// An item that matched, matches now and changed. An item that did not match for a while in between counts as
    /// changed.
    package struct Changed: Sendable, Hashable {
        package let row: Row
        /// The path that the subscriber knows, if it requested paths and the path has changed.
        package let previousPath: [UInt8]?
    }

    /// An item that matched and no longer does, or is gone.
    package struct Removed: Sendable, Hashable {
        package let identifier: ItemIdentifier
        /// Its last path.
        package let path: [UInt8]
    }

    /// An item that matches now and is new to the subscriber.
    case added(Row)
    case changed(Changed)
    case removed(Removed)
}
