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
        // It does not wait for what left the name before: it may have left another, and the time for that be over first.
        if setAside(name, in: id) { return }
        guard let target = tree.child(of: directories[id].node, named: name), !tree.status(of: target).kind.isDirectory
        else { return }
        // The row stands for a file that nobody has seen; or for what it was, where that has changed places with it.
        if leaving ?? (queuedBytes() > 0), let file = likelyFile(of: target, at: origin.cause) {
            ahead.mayBeReplaced(target, file)
        } else {
            ahead.doubt(target)
        }
    }

    /// Whether the next that was read of a directory is that a name is left, as the second pair of an exchange tells at once;
    /// nil where nothing was read of it.
    private func isLeft(
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
