// `IN_MOVED_TO` without an `IN_MOVED_FROM`: files that come from directories without a watch.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata

/// The fate of a directory that has come from elsewhere onto one that is known.
enum Arrival {
    case stays
    /// It changes places with the known directory there, which leaves the name.
    case changesPlaces
    /// It has left the name at once.
    case movesOn
    /// One of these two, and nothing after it that tells: `isAll` where that is all that was read.
    case isLeft(isAll: Bool)
    /// Nothing was read of its directory since.
    case unread

    /// Whether more that follows may say otherwise.
    var isOpen: Bool {
        switch self {
        case .isLeft(let isAll): isAll
        case .unread: true
        case .stays, .changesPlaces, .movesOn: false
        }
    }
}

extension TreeWatcher {
    /// A file has come to a name from a directory without a watch.
    func cameFromElsewhere(
        _ name: UnsafeRawBufferPointer, in id: DirectoryID, _ event: InotifyEvent, _ origin: Origin,
        _ following: UnsafeRawBufferPointer
    ) {
        if event.mask.contains(.isDirectory) {
            guard let target = replacedDirectory(name, in: id) else { return }
            switch arrival(name, event.watch, following) {
            case .changesPlaces: break
            case .movesOn: uncertain.provisional.takenOver(target)
            case .isLeft:
                // Two renames have left the name free.
                if !isQuiet(id) || status(of: name, in: id) == nil {
                    takeOver(name, in: id, by: nil, origin: origin, isLeft: true)
                }
            case .stays, .unread: takeOver(name, in: id, by: nil, origin: origin)
            }
            return
        }
        let leaving = isLeft(name, event.watch, following)
        guard let target = replacedFile(name, in: id) else { return }
        // The row stands for a file that no look-up has seen; or for its former file, where the two have changed
        // places.
        if leaving ?? (queuedBytes() > 0), let file = likelyFile(of: target, at: origin.position) {
            uncertain.provisional.allowReplacement(target, file)
        } else {
            uncertain.provisional.doubt(target)
        }
    }

    /// Something has come to a name from another container. `file` is its status, where it is known.
    func cameFromContainer(
        _ name: UnsafeRawBufferPointer, in id: DirectoryID, by file: FileStatus?, _ event: InotifyEvent,
        _ origin: Origin
    ) {
        if event.mask.contains(.isDirectory) {
            takeOver(name, in: id, by: file, origin: origin)
        } else if let target = replacedFile(name, in: id) {
            uncertain.provisional.doubt(target, file: file)
        }
    }

    /// The row of a file onto which another has come, that was not known here.
    private func replacedFile(_ name: UnsafeRawBufferPointer, in id: DirectoryID) -> TreeNode? {
        // It does not wait for a file that left the name before: it may have left another, and the time for that be over first.
        if directoryWaits(name, in: id) || detach(name, in: id) { return nil }
        guard let target = tree.child(of: directories[id].node, named: name), !tree.status(of: target).kind.isDirectory
        else { return nil }
        return target
    }

    /// Looks for the events after a directory that has come from elsewhere onto one that is known. That one's leaving
    /// at once is the second pair of an exchange, or the new one's moving on: whatever is told of the name next tells
    /// which it was, as for ``exchangeSign(_:_:_:_:)``.
    func arrival(
        _ name: UnsafeRawBufferPointer, _ watch: Int32, _ following: UnsafeRawBufferPointer
    ) -> Arrival {
        var offset = 0
        var hasLeft = false
        var isLeaving = false
        for _ in 0..<settings.limits.eventsAhead {
            guard let event = InotifyEvent(in: following, at: &offset) else {
                return hasLeft ? .isLeft(isAll: true) : .unread
            }
            guard event.watch == watch, event.mask.rawValue & ~InotifyMask.contentChanges != 0 else { continue }
            let isSame = event.name(in: following).elementsEqual(name)
            if !hasLeft {
                guard isSame, event.mask.contains(.movedFrom) else { return .stays }
                hasLeft = true
                continue
            }
            guard isSame else { continue }
            if isLeaving {
                isLeaving = !event.mask.contains(.movedFrom)
                continue
            }
            if event.mask.contains(.movedTo) {
                isLeaving =
                    isLeft(name, watch, UnsafeRawBufferPointer(rebasing: following[offset...])) ?? (queuedBytes() > 0)
                if isLeaving { continue }
            }
            return event.mask.isDisjoint(with: [.create, .movedTo]) ? .changesPlaces : .movesOn
        }
        return hasLeft ? .isLeft(isAll: false) : .stays
    }

    /// The row of a directory onto which another has come, that was not known here: it must have been empty.
    func replacedDirectory(_ name: UnsafeRawBufferPointer, in id: DirectoryID) -> TreeNode? {
        guard let target = tree.child(of: directories[id].node, named: name), tree.status(of: target).kind.isDirectory,
            // It may have left this name before.
            renames.pending(id, name)?.hasRow != true
        else { return nil }
        return target
    }

    /// Whether the next that was read of a directory is that a name is left, as the second pair of an exchange tells at once;
    /// nil where nothing was read of it.
    func isLeft(
        _ name: UnsafeRawBufferPointer, _ watch: Int32, _ following: UnsafeRawBufferPointer
    ) -> Bool? {
        var offset = 0
        for _ in 0..<settings.limits.eventsAhead {
            guard let event = InotifyEvent(in: following, at: &offset) else { return nil }
            guard event.watch == watch, event.mask.rawValue & ~InotifyMask.contentChanges != 0 else { continue }
            return event.mask.contains(.movedFrom) && event.name(in: following).elementsEqual(name)
        }
        return nil
    }

    /// The entry that an appearing file was before: one that has left its name by a pending rename, or one
    /// that a comparison misses.
    func movedSource(of status: FileStatus, in container: UInt32) -> TreeNode? {
        var place: (directory: DirectoryID, name: [UInt8])?
        if let rename = renames.take(fileIdentities.identity(of: status), in: container) {
            place = (rename.directory, rename.name)
            if directories.isAlive(rename.directory) {
                rename.name.withUnsafeBytes { lookUps.addRenamed($0, in: rename.directory, origin: rename.origin) }
            }
        } else if let comparison = containers[container]?.comparison,
            let removal = comparison.missing.entry(of: fileIdentities.identity(of: status))
        {
            place = removal
            // The comparison's reading may be older than the name that it misses, and this be another link.
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
        return fileIdentities.isSame(known, status) && known.kind == status.kind ? node : nil
    }

    /// Whether all that was made in a directory until now has been read.
    func isQuiet(_ id: DirectoryID) -> Bool {
        if let directory = try? descriptor(of: id) { kernel.finishRenames(in: directory) }
        return queuedBytes() == 0
    }

    /// A directory that is not known here was renamed onto one that is, which must have been empty: it takes over that
    /// one's identity, as a file does. For `rename(2)` the name itself is never unlinked, so only the event of the move
    /// tells this from a directory that was removed and another made. `file` is the one that came, where that is known;
    /// another may lie there now. `isLeft`: the name is left at once.
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
                uncertain.provisional.takenOver(target)
                return
            }
            source = found.file
        }
        let known = tree.status(of: target)
        guard known.device == source.device, !fileIdentities.isSame(known, source) else { return }
        let other = knownDirectory(source, in: target.container)
        // The directory came from another place and is here all the same: it has changed places with the row's, which
        // is the one that leaves.
        if isLeft, other != nil { return }
        if let other, !makesWay(other, in: target) {
            // One that has not left its place has come since, and the one that came before it has moved on.
            if !takeOver(target, by: other, origin: origin), file == nil { uncertain.provisional.takenOver(target) }
            return
        }
        leave(target)
        removeChildren(of: target, origin: origin)
        // It may have moved on, and another may be here.
        if file == nil { uncertain.provisional.takenOver(target) } else { uncertain.provisional.forget(target) }
        publish(target, source, xattrs: nil)
        enter(target, source, origin: origin)
    }

    /// A directory that left its name may wait under another in a directory that has been emptied since, and come onto
    /// that.
    private func makesWay(_ node: TreeNode, in directory: TreeNode) -> Bool {
        guard node != directory, isSelfOrAncestor(directory, of: node), let parent = tree.parent(of: node),
            let above = directories.directory(at: parent)
        else { return false }
        var name: [UInt8] = []
        tree.appendName(of: node, to: &name)
        return name.withUnsafeBytes { detach($0, in: above) }
    }

    /// A look-up has found a directory under the name of one that was taken over by it. False where it is not that.
    func foundTakenOver(
        _ node: TreeNode, _ status: KernelStatus, xattrs: UnsafeRawBufferPointer?, origin: Origin
    ) -> Bool {
        guard uncertain.provisional.isTakenOver(node), status.file.kind == .directory, !status.isMountRoot,
            tree.status(of: node).device == status.file.device,
            knownDirectory(status.file, in: node.container).map({ makesWay($0, in: node) }) ?? true
        else { return false }
        leave(node)
        // The known entries below may be elsewhere, and come again as the same items.
        uncertain.provisional.forget(node)
        removeChildren(of: node, origin: origin)
        publish(node, status.file, xattrs: xattrs)
        count(origin) { $0.changed += 1 }
        enter(node, status.file, origin: origin)
        return true
    }

    /// The same by a directory that has left its name here for an unknown place. False where it has not.
    private func takeOver(_ target: TreeNode, by source: TreeNode, origin: Origin) -> Bool {
        guard let parent = tree.parent(of: source), let above = directories.directory(at: parent),
            !isSelfOrAncestor(source, of: target), !isSelfOrAncestor(target, of: source)
        else { return false }
        var name: [UInt8] = []
        tree.appendName(of: source, to: &name)
        return name.withUnsafeBytes { name in
            var left: Origin?
            if renames.pending(above, name)?.identity == likelyIdentity(of: source) {
                left = renames.take(above, name)?.origin
            } else if directories[above].flags.contains(.reading) {
                // Its leaving is kept until that has been read.
                left = origin
            }
            guard let left else { return false }
            replaceDirectory(target, with: source, origin: origin)
            lookUps.addRenamed(name, in: above, origin: left)
            return true
        }
    }

    /// A directory renamed onto another, which must have been empty: its known entries are gone.
    func replaceDirectory(_ target: TreeNode, with source: TreeNode, origin: Origin) {
        let known = directories.directory(at: source)
        leave(target)
        removeChildren(of: target, origin: origin)
        tree.replace(target, with: source)
        uncertain.provisional.replaced(target, by: source, at: origin.position)
        if let known {
            directories.setNode(known, to: target)
            placeChanged(target)
        }
    }
}
