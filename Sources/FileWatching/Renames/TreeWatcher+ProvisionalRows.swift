// The files of rows whose names were looked at before all their events were read.
// SPDX-License-Identifier: Apache-2.0

import Metadata

// A look-up gives a row the file that has its name now. The event that brought this file may be queued still, and until
// it is read the row stands for the file that lay there before: when that moves, the row goes with it, and is not
// looked for by its new file. So for identities a row's file is the one by the events read, as far as that is known.
extension TreeWatcher {
    /// The file of a row by the events before a position, for certain; nil where it is not known.
    func receivedFile(of node: TreeNode, at position: UInt64) -> FileStatus? {
        guard let record = uncertain.provisional.record(of: node, at: position) else { return tree.status(of: node) }
        return record.isLikely ? nil : record.file
    }

    /// Whether a row was made by a look-up of a name that was free by the events before a position.
    func isNew(_ node: TreeNode, at position: UInt64) -> Bool {
        uncertain.provisional.record(of: node, at: position)?.isNew == true
    }

    /// The same where the best guess will do, by the events read until now.
    func likelyFile(of node: TreeNode, at position: UInt64) -> FileStatus? {
        guard let record = uncertain.provisional.record(of: node, at: position) else { return tree.status(of: node) }
        return record.isLikely ? record.file ?? tree.status(of: node) : record.file
    }

    func likelyFile(of node: TreeNode) -> FileStatus? { likelyFile(of: node, at: position) }

    func likelyIdentity(of node: TreeNode) -> FileIdentity? {
        likelyFile(of: node).map { fileIdentities.identity(of: $0) }
    }

    /// A look-up has set the file of a row.
    func noteFound(_ node: TreeNode, _ found: FileStatus, known: FileStatus?, isExpected: Bool) {
        uncertain.provisional.found(
            node, { fileIdentities.isSame($0, found) }, known: known, isExpected: isExpected, at: position)
    }

    /// All looks of this iteration were made, or the stream is about to be read on.
    func settleProvisionalRows() {
        guard !uncertain.provisional.isEmpty || uncertain.provisional.hasLooked else { return }
        uncertain.provisional.reads(
            from: position, to: uncertain.provisional.hasLooked ? position + queuedBytes() : position)
    }

    /// Forgets the records of rows below a directory that leaves the tree. If it may come again, each row gets back the
    /// file that it stands for, and is recognised by that. A row of unknown file is known by its name, where its
    /// directory is.
    func forgetProvisionalRows(below node: TreeNode, mayComeAgain: Bool) {
        guard !uncertain.provisional.isEmpty else { return }
        let below = uncertain.provisional.nodes {
            $0.container == node.container && $0 != node && isSelfOrAncestor(node, of: $0)
        }
        for child in below {
            if mayComeAgain, !tree.status(of: child).kind.isDirectory, !becomeLikely(child) {
                var status = tree.status(of: child)
                status.identity = .unknown
                tree.update(child, status: status)
            }
            uncertain.provisional.forget(child)
        }
    }

    /// Gives a row back the file that it stands for. False where that is not known.
    func becomeLikely(_ node: TreeNode) -> Bool {
        guard let file = likelyFile(of: node) else { return false }
        if !fileIdentities.isSame(file, tree.status(of: node)) { tree.update(node, status: file) }
        return true
    }

    /// Notes where a row has its place, before a rename gives it another.
    func noteBackup(_ node: TreeNode, leaving name: [UInt8], in id: DirectoryID, at position: UInt64) {
        let file = tree.status(of: node)
        guard file.kind == .file else { return }
        let backup = Backup(
            directory: id, name: name, file: file, time: kernel.now(), position: position,
            barrier: position < events.forcedPosition ? events.forcedPosition : nil)
        applied.note(backup, of: node, limit: settings.limits.backups, now: iteration.began)
    }

    /// Notes both files of an exchange. The first pair of its events is `rename` and the other name.
    func noteExchange(
        _ source: TreeNode?, _ rename: PendingRename, _ target: TreeNode, _ name: UnsafeRawBufferPointer,
        in id: DirectoryID
    ) {
        if let source { noteBackup(source, leaving: rename.name, in: rename.directory, at: rename.origin.position) }
        noteBackup(target, leaving: Array(name), in: id, at: rename.origin.position)
    }
}
