// What moves into a directory that may not be read any more, as its watch still tells.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata

extension TreeWatcher {
    /// The second half of a rename into a closed directory: what came there is out of sight like all that lies in it, and comes
    /// back as what it was.
    func movedIntoClosed(_ id: DirectoryID, _ event: InotifyEvent, name: UnsafeRawBufferPointer) {
        guard let half = halves.take(cookie: event.cookie) else { return }
        counters.movesPaired += 1
        guard directories.isAlive(half.directory) else { return }
        half.name.withUnsafeBytes { lookUps.addRenamed($0, in: half.directory, origin: half.origin) }
        let closed = directories[id].node
        guard !half.isAside,
            let node = half.name.withUnsafeBytes({ tree.child(of: directories[half.directory].node, named: $0) }),
            isRow(node, of: half), !isSelfOrAncestor(node, of: closed)
        else { return }
        let isDirectory = tree.status(of: node).kind.isDirectory
        guard half.container == closed.container, isDirectory || becomeLikely(node),
            tree.child(of: closed, named: name) == nil
        else {
            // It is another item elsewhere; or nobody knows which it was.
            removeNode(node, origin: half.origin)
            return
        }
        if isDirectory {
            setAsideWhatLeft(node)
            leave(node)
        }
        ahead.forget(node)
        moveRow(node, to: closed, named: name)
        setAsideBelow(closed, half.origin)
    }
}
