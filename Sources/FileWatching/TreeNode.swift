// The tree's handle for an entry, and the number of an inode.
// SPDX-License-Identifier: Apache-2.0

/// A tree's handle for one of its entries, opaque to the watcher: a row of a container. The watcher lets go of it when
/// it has had the tree remove the entry, so rows may be used again after that.
package struct TreeNode: Hashable, Sendable {
    /// The container's number.
    package var container: UInt32
    /// The entry's row in it.
    package var row: UInt32

    /// A handle from its parts.
    package init(container: UInt32, row: UInt32) {
        self.container = container
        self.row = row
    }
}

/// An inode's number and its device.
package struct InodeNumber: Hashable, Sendable {
    package var device: UInt64
    package var inode: UInt64

    package init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }
}
