// Entries of which something could not be found out, looked at once more.
// SPDX-License-Identifier: Apache-2.0

import Metadata

extension TreeWatcher {
    /// Has entries looked at again, of which something could not be found out or not be kept; for a container's own directory
    /// those above it are too. It is told by no event, so no barrier waits for it.
    package func lookAgain(at nodes: [TreeNode]) {
        var name: [UInt8] = []
        for node in nodes {
            guard let parent = tree.parent(of: node) else {
                suspect(node.container, cause: causeNow)
                continue
            }
            guard let directory = directories.directory(at: parent) else { continue }
            name.removeAll(keepingCapacity: true)
            tree.appendName(of: node, to: &name)
            name.withUnsafeBytes { lookUps.add($0, in: directory, origin: .untold) }
        }
    }
}
