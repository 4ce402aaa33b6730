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
                lies(status, removal.name, in: removal.directory)
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

    /// Whether a file has this name now. Whatever name is being looked at stays in its buffer.
    private func lies(_ file: FileStatus, _ name: [UInt8], in id: DirectoryID) -> Bool {
        guard let directory = try? descriptor(of: id) else { return false }
        let found = (name + [0]).withUnsafeBytes {
            $0.baseAddress.flatMap { try? kernel.status(of: $0.assumingMemoryBound(to: CChar.self), in: directory) }
        }
        return found.map { isSameFile($0.file, file) } ?? false
    }
}
