// Directories that are renamed onto empty ones, whose identities they take over.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata

extension TreeWatcher {
    /// A directory that is not known here was renamed onto one that is, which must have been empty: it takes over that one's
    /// identity, as a file does. For `rename(2)` the name itself is never unlinked, so only the event of the move tells
    /// this from a directory that was removed and another made.
    /// `file` is the one that came, where that is known; what lies there now may be another. `isLeft`: the name is left at once.
    func takeOver(
        _ name: UnsafeRawBufferPointer, in id: DirectoryID, by file: FileStatus?, origin: Origin, isLeft: Bool = false
    ) {
        guard let target = replacedDirectory(name, in: id) else { return }
        var source: FileStatus
        if let file {
            source = file
            source.kind = .directory
        } else {
            guard let found = status(of: name, in: id), found.file.kind == .directory, !found.isMountRoot else {
                // It has moved on.
                ahead.takenOver(target)
                return
            }
            source = found.file
        }
        let known = tree.status(of: target)
        guard known.device == source.device, !fileIdentities.isSame(known, source) else { return }
        let other = knownDirectory(source, in: target.container)
        // What has come from another place is here all the same: it has changed places with what was, which is what leaves.
        if isLeft, other != nil { return }
        if let other, !makesWay(other, in: target) {
            // One that has not left its place has come since, and what came before that has moved on.
            if !takeOver(target, by: other, origin: origin), file == nil { ahead.takenOver(target) }
            return
        }
        leave(target)
        removeChildren(of: target, origin: origin)
        // It may have moved on, and what is here be another.
        if file == nil { ahead.takenOver(target) } else { ahead.forget(target) }
        tell(target, source, extras: nil)
        enter(target, source, origin: origin)
    }

    /// What has left its name may wait under another in a directory that has been emptied since, and come onto that.
    private func makesWay(_ node: TreeNode, in directory: TreeNode) -> Bool {
        guard node != directory, isSelfOrAncestor(directory, of: node), let parent = tree.parent(of: node),
            let above = directories.directory(at: parent)
        else { return false }
        var name: [UInt8] = []
        tree.appendName(of: node, to: &name)
        return name.withUnsafeBytes { setAside($0, in: above) }
    }

    /// A look-up has found a directory under the name of one that was taken over by it. False where it is not that.
    func foundTakenOver(
        _ node: TreeNode, _ status: KernelStatus, extras: UnsafeRawBufferPointer?, origin: Origin
    ) -> Bool {
        guard ahead.isTakenOver(node), status.file.kind == .directory, !status.isMountRoot,
            tree.status(of: node).device == status.file.device,
            knownDirectory(status.file, in: node.container).map({ makesWay($0, in: node) }) ?? true
        else { return false }
        leave(node)
        // What is known below may be elsewhere, and comes again as what it was.
        ahead.forget(node)
        removeChildren(of: node, origin: origin)
        tell(node, status.file, extras: extras)
        count(origin) { $0.changed += 1 }
        enter(node, status.file, origin: origin)
        return true
    }

    /// The same by one that has left its name here, to where nobody has heard of it. False where it has not.
    private func takeOver(_ target: TreeNode, by source: TreeNode, origin: Origin) -> Bool {
        guard let parent = tree.parent(of: source), let above = directories.directory(at: parent),
            !isSelfOrAncestor(source, of: target), !isSelfOrAncestor(target, of: source)
        else { return false }
        var name: [UInt8] = []
        tree.appendName(of: source, to: &name)
        return name.withUnsafeBytes { name in
            var cause: Origin?
            if halves.half(above, name)?.identity == likelyIdentity(of: source) {
                cause = halves.take(above, name)?.origin
            } else if directories[above].flags.contains(.reading) {
                // Its leaving is kept until that has been read.
                cause = origin
            }
            guard let cause else { return false }
            replaceDirectory(target, with: source, origin: origin)
            lookUps.addRenamed(name, in: above, origin: cause)
            return true
        }
    }

    /// A directory renamed onto another, which must have been empty: what is known to lie in it is gone.
    func replaceDirectory(_ target: TreeNode, with source: TreeNode, origin: Origin) {
        let known = directories.directory(at: source)
        leave(target)
        removeChildren(of: target, origin: origin)
        tree.replace(target, with: source)
        ahead.replaced(target, by: source, at: origin.cause)
        if let known {
            directories.setNode(known, to: target)
            placeChanged(target)
        }
    }
}
