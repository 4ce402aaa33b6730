// Saving with a backup: the file is renamed, another comes to its name, and the renamed file is removed.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata

// `mv n n.old; mv n.tmp n; rm n.old` replaces the contents of n, as `mv n.tmp n` does by itself, so the item of n goes on. The
// same holds where n is written anew instead of renamed, and where n.tmp and n are exchanged and n.tmp is removed
// (`RENAME_EXCHANGE` of rename(2)). Where the backup is kept, the rename has said that it is the old item.
extension TreeWatcher {
    /// Notes where a row has its place, before a rename gives it another.
    func noteBackup(_ node: TreeNode, leaving name: [UInt8], in id: DirectoryID, at cause: UInt64) {
        let file = tree.status(of: node)
        guard file.kind == .file else { return }
        if backups.count >= settings.limits.backups {
            backups = backups.filter { iteration.began &- $1.time < WatchLimits.backupWindow }
            if backups.count >= settings.limits.backups { backups = [:] }
        }
        backups[node] = Backup(
            directory: id, name: name, file: file, time: kernel.now(), cause: cause,
            barrier: cause < forcedPosition ? forcedPosition : nil)
    }

    /// Notes that a barrier was made. Events behind it find the renames before it final.
    func noteBarrier(at position: UInt64) {
        for node in backups.keys where backups[node]?.barrier == nil { backups[node]?.barrier = position }
    }

    /// Notes both files of an exchange. The first pair of its events is `half` and the other name.
    func noteExchange(
        _ source: TreeNode?, _ half: RenameHalf, _ target: TreeNode, _ name: UnsafeRawBufferPointer, in id: DirectoryID
    ) {
        if let source { noteBackup(source, leaving: half.name, in: half.directory, at: half.origin.cause) }
        noteBackup(target, leaving: Array(name), in: id, at: half.origin.cause)
    }

    /// Gives the row of a removed backup its former name again, with the file that has come there. False where the removed
    /// file is no backup. A barrier between the rename and the removal has made the rename final.
    func takeBack(_ node: TreeNode, _ entry: LookUpQueue.Entry) -> Bool {
        guard !backups.isEmpty, let backup = backups.removeValue(forKey: node), entry.isUnlinked,
            kernel.now() &- backup.time < WatchLimits.backupWindow,
            entry.origin.cause < backup.barrier ?? .max,
            fileIdentities.isSame(tree.status(of: node), backup.file), directories.isAlive(backup.directory)
        else { return false }
        let (id, file) = (backup.directory, tree.status(of: node))
        let directory = directories[id].node
        return backup.name.withUnsafeBytes { name in
            guard directory.container == node.container, halves.half(id, name) == nil,
                let found = status(of: name, in: id), found.file.kind == .file, !fileIdentities.isSame(found.file, file)
            else { return false }
            if let other = tree.child(of: directory, named: name) {
                guard other != node, tree.status(of: other).kind == .file else { return false }
                tree.replace(node, with: other)
                ahead.replaced(node, by: other, at: entry.origin.cause)
                backups[other] = nil
            } else {
                ahead.doubt(node)
            }
            tree.move(node, to: directory, named: name)
            noteLostName(of: node, file)
            if file.links > 1 { lookAtLinks(of: file, origin: entry.origin) }
            lookUps.add(name, in: id, origin: entry.origin)
            return true
        }
    }
}
