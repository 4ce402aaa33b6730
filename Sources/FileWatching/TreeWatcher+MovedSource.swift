// What a file that appears was before.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata

extension TreeWatcher {
    /// The entry that an appearing file was before: one that has left its name by the first half of a rename, or one
    /// that a comparison misses.
    func movedSource(of status: FileStatus, in container: UInt32) -> TreeNode? {
        var place: (directory: DirectoryID, name: [UInt8])?
        if let half = halves.take(identity(of: status), in: container) {
            place = (half.directory, half.name)
            if directories.isAlive(half.directory) {
                half.name.withUnsafeBytes { lookUps.addRenamed($0, in: half.directory, origin: half.origin) }
            }
        } else if let comparison = containers[container]?.comparison,
            let index = comparison.removalOfFile[identity(of: status)]
        {
            let removal = comparison.removals[index]
            place = removal
            // What the comparison has read may be older than the name that it misses, and this be another link.
            if status.links > 1, directories.isAlive(removal.directory),
                removal.name.withUnsafeBytes({ lies(status, $0, in: removal.directory) })
            {
                return nil
            }
        }
        guard let place, directories.isAlive(place.directory) else { return nil }
        let parent = directories[place.directory].node
        guard let node = place.name.withUnsafeBytes({ tree.child(of: parent, named: $0) }) else { return nil }
        guard let known = likelyFile(of: node) else { return nil }
        return isSameFile(known, status) && known.kind == status.kind ? node : nil
    }
}
