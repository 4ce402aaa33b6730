// Files that have lost one of several names and may have got another that nobody has looked at yet.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// A file one of whose names was lost while there was more to hear, or to read.
struct StrayLink {
    var status: FileStatus
    var origin: Origin
    /// When the stream has been read up to here, and these tasks are done, the name that it had got by then was come by.
    var position: UInt64
    var tasks: Set<UInt32>
    /// How often its names were looked at again.
    var attempts: UInt8
}

// A name that came from elsewhere may have gone on before its look-up: it was never in the tree, so what becomes of the file
// under it is told of no file that is known, and the other names of the file show what it was. They are looked at again, then,
// when what was queued has been heard and what was being read is known, as long as the file has more names than are known.
extension TreeWatcher {
    /// Has the names of a file looked at again when what is under way now is done.
    func noteStray(_ status: FileStatus, _ origin: Origin, attempts: UInt8 = 0) {
        let queued = queuedBytes()
        // No barrier waits for a poll.
        let reading = tasks.filter { $0.value.cause != .max }.keys
        guard queued > 0 || !halves.isEmpty || !reading.isEmpty, attempts < WatchLimits.lookUpAttempts else { return }
        let file = InodeNumber(device: status.device, inode: status.inode)
        let cause = min(strays[file]?.origin.cause ?? .max, origin.cause)
        strays[file] = StrayLink(
            status: status, origin: Origin(cause: cause), position: position + queued, tasks: Set(reading),
            attempts: attempts)
    }

    func isDue(_ stray: StrayLink) -> Bool {
        isHeard(stray.position) && !stray.tasks.contains { tasks[$0] != nil }
    }

    /// Looks again at the names of those for which nothing more is under way.
    func lookForStrays() {
        guard !strays.isEmpty else { return }
        for (file, stray) in strays where isDue(stray) {
            strays[file] = nil
            let known = links(of: stray.status)
            guard let first = known.first, known.count < tree.status(of: first).links else { continue }
            for node in known { lookAt(node, origin: stray.origin) }
            // Barriers for what was heard until now wait for this look only.
            noteStray(stray.status, Origin(cause: causeNow), attempts: stray.attempts + 1)
        }
    }
}
