// Detached rows that may come again, as the indexes keep them.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import Metadata
import MetadataIndex

extension IndexTree {
    @discardableResult
    func detach(_ node: TreeNode, isOutdated: Bool) -> Int {
        if keepsAsAbsent(node) { return 0 }
        return removing(node) { index in
            { (row) throws(IndexError) in try index.detach(row, isOutdated: isOutdated) }
        }
    }

    @discardableResult
    func detachChildren(of directory: TreeNode) -> Int { removing(directory, MetadataIndex.detachChildren) }

    func endDetached(_ container: UInt32) { entry(container).index.endDetached() }

    func savedDetached(of container: UInt32, limit: Int) -> [UInt8] {
        entry(container).index.savedDetached(limit: limit)
    }

    func restoreDetached(saved bytes: [UInt8], in container: UInt32) {
        entry(container).index.restoreDetached(saved: bytes)
    }

    @discardableResult
    func detachInaccessible(_ directory: TreeNode) -> Int { removing(directory, MetadataIndex.detachInaccessible) }

    func endInaccessible(_ container: UInt32) { entry(container).index.endInaccessible() }

    func endInaccessible(_ file: FileIdentity, in container: UInt32) { entry(container).index.endInaccessible(file) }
}
