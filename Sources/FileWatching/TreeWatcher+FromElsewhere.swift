// Second halves of renames whose first were not heard of: what comes from where nobody watches.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata

extension TreeWatcher {
    /// Something has come to a name from where nobody watches.
    func cameFromElsewhere(
        _ name: UnsafeRawBufferPointer, in id: DirectoryID, _ event: InotifyEvent, _ origin: Origin,
        _ following: UnsafeRawBufferPointer
    ) {
        let leaving = isLeft(name, event.watch, following)
        if event.mask.contains(.isDirectory) {
            takeOver(name, in: id, by: nil, origin: origin, isLeft: leaving == true)
            return
        }
        guard let target = replacedFile(name, in: id) else { return }
        // The row stands for a file that nobody has seen; or for what it was, where that has changed places with it.
        if leaving ?? (queuedBytes() > 0), let file = likelyFile(of: target, at: origin.cause) {
            ahead.mayBeReplaced(target, file)
        } else {
            ahead.doubt(target)
        }
    }

    /// Something has come to a name from another container. `file` is what that was, where it is known.
    func cameFromContainer(
        _ name: UnsafeRawBufferPointer, in id: DirectoryID, by file: FileStatus?, _ event: InotifyEvent,
        _ origin: Origin
    ) {
        if event.mask.contains(.isDirectory) {
            takeOver(name, in: id, by: file, origin: origin)
        } else if let target = replacedFile(name, in: id) {
            ahead.doubt(target, file: file)
        }
    }

    /// The row of a file onto which another has come, that was not known here.
    private func replacedFile(_ name: UnsafeRawBufferPointer, in id: DirectoryID) -> TreeNode? {
        // It does not wait for a file that left the name before: it may have left another, and the time for that be over first.
        if directoryWaits(name, in: id) || setAside(name, in: id) { return nil }
        guard let target = tree.child(of: directories[id].node, named: name), !tree.status(of: target).kind.isDirectory
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
}
