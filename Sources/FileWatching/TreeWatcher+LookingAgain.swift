// Entries of which something could not be found out, looked at once more.
// SPDX-License-Identifier: Apache-2.0

import Metadata

extension TreeWatcher {
    /// Has entries looked at again, of which something could not be found out or not be kept; for a container's own directory
    /// those above it are too. It is told by no event, so no barrier waits for it, but for that of a container's own directory.
    package func lookAgain(at nodes: [TreeNode]) {
        for node in nodes {
            guard let parent = tree.parent(of: node) else {
                suspect(node.container, cause: causeNow)
                continue
            }
            guard let directory = directories.directory(at: parent) else { continue }
            withName(of: node) { lookUps.add($0, in: directory, origin: .untold) }
        }
    }
}
