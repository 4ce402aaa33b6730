// Detached rows that may come again, as the indexes keep them.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import Metadata
import MetadataIndex

extension IndexTree {
    @discardableResult
    func setAside(_ node: TreeNode, isOutdated: Bool) -> Int {
        if keepsAsAbsent(node) { return 0 }
        return removing(node) { index in
            { (row) throws(IndexError) in try index.setAside(row, isOutdated: isOutdated) }
        }
    }

    @discardableResult
    func setAsideChildren(of directory: TreeNode) -> Int { removing(directory, MetadataIndex.setAsideChildren) }

    func endAside(_ container: UInt32) { entry(container).index.endAside() }

    func savedAside(of container: UInt32, limit: Int) -> [UInt8] { entry(container).index.savedAside(limit: limit) }

    func setAside(saved bytes: [UInt8], in container: UInt32) { entry(container).index.setAside(saved: bytes) }

    @discardableResult
    func setAsideClosed(_ directory: TreeNode) -> Int { removing(directory, MetadataIndex.setAsideClosed) }

    func endClosed(_ container: UInt32) { entry(container).index.endClosed() }

    func endClosed(_ file: FileIdentity, in container: UInt32) { entry(container).index.endClosed(file) }
}
