// Files that have lost one of several names and may have got another that nobody has looked at yet.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// A file one of whose names was lost while there was more to hear, or to read.
struct StrayLink {
    var status: FileStatus
    /// The position of the event that it was lost by; the largest, for which no barrier waits, where only other containers' tasks
    /// are waited for.
    var cause: UInt64
    /// The containers of its names: questions about others do not wait for it.
    var containers: Set<UInt32>
    /// When the stream has been read up to here, and these tasks are done, the name that it had got by then was come by.
    var position: UInt64
    var tasks: Set<UInt32>
    /// Tasks of other containers, which may find the name too.
    var otherTasks: Set<UInt32>
    /// The earliest cause to look once more, of what has come while this waited.
    var again: UInt64?
    /// The look-ups that waited when that had been heard, those that are made at once and patient ones: one of them may have a
    /// directory read in which the name is.
    var lookUps: (prompt: UInt64, patient: UInt64)?
    /// How often its names were looked at again.
    var attempts: UInt8
}

// A name that came from elsewhere may have gone on before its look-up: it was never in the tree, so what becomes of the file
// under it is told of no file that is known, and the other names of the file show what it was. They are looked at again, then,
// when what was queued has been heard and what was being read is known, as long as the file has more names than are known.
extension TreeWatcher {
    /// Has the names of a file looked at again when what is under way now is done. What waits already keeps its time: with one
    /// more name lost each millisecond it would never come, nor any barrier behind it. `areOthersWaiting`: other look-ups.
    func noteStray(
        _ status: FileStatus, cause: UInt64, in numbers: Set<UInt32>, areOthersWaiting: Bool, attempts: UInt8 = 0
    ) {
        let file = InodeNumber(device: status.device, inode: status.inode)
        if let waiting = linkedFiles.strays[file], waiting.cause != .max {
            linkedFiles.strays[file]?.status = status
            linkedFiles.strays[file]?.containers.formUnion(numbers)
            linkedFiles.strays[file]?.again = min(waiting.again ?? .max, cause)
            return
        }
        let queued = queuedBytes()
        // No barrier waits for a poll.
        let reading = readings.tasks.filter { $0.value.cause != .max }
        guard queued > 0 || areOthersWaiting || !halves.isEmpty || !reading.isEmpty,
            attempts < settings.limits.lookUpAttempts
        else { return }
        let own = reading.filter { numbers.contains($0.value.container.number) }.keys
        linkedFiles.strays[file] = StrayLink(
            status: status, cause: cause, containers: numbers, position: position + queued,
            tasks: Set(own), otherTasks: Set(reading.keys).subtracting(own), attempts: attempts)
    }

    /// Whether look-ups wait by which a directory may be found that was not read yet, in which there may be other names.
    var mayFindDirectories: Bool {
        !lookUps.isEmpty || !deferredLookUps.isEmpty || (!directories.unreadable.isEmpty && lookUps.hasPatient)
    }

    func isDue(_ stray: StrayLink) -> Bool {
        guard isHeard(stray.position), !stray.tasks.contains(where: { readings[$0] != nil }) else { return false }
        guard let end = stray.lookUps else { return true }
        return lookUps.taken >= end.prompt && lookUps.takenPatient >= end.patient
    }

    /// Looks again at the names of those for which nothing more is under way.
    func lookForStrays() {
        guard !linkedFiles.strays.isEmpty else { return }
        let areOthersWaiting = mayFindDirectories
        let end = (lookUps.end, directories.unreadable.isEmpty ? lookUps.takenPatient : lookUps.endOfPatient)
        for (file, stray) in linkedFiles.strays where isDue(stray) {
            if areOthersWaiting, stray.lookUps == nil {
                linkedFiles.strays[file]?.lookUps = end
                continue
            }
            linkedFiles.strays[file] = nil
            let known = links(of: stray.status)
            let lacksNames = known.first.map { known.count < tree.status(of: $0).links } ?? false
            if lacksNames { for node in known { lookAt(node, origin: Origin(cause: stray.cause)) } }
            if let again = stray.again {
                // Its own looks find names lost that came since, with its cause. A barrier does not wait for that for ever.
                let isOld = stray.attempts + 1 >= settings.limits.lookUpAttempts
                noteStray(
                    stray.status, cause: isOld ? causeNow : again, in: stray.containers,
                    areOthersWaiting: areOthersWaiting, attempts: isOld ? 0 : stray.attempts + 1)
            } else if lacksNames, stray.cause != .max {
                // Barriers for what was heard until now wait for this look only, which sees all that was done before them.
                noteStray(
                    stray.status, cause: causeNow, in: stray.containers, areOthersWaiting: areOthersWaiting,
                    attempts: stray.attempts + 1)
            }
            let others = stray.otherTasks.filter { readings[$0] != nil }
            if lacksNames, linkedFiles.strays[file] == nil, !others.isEmpty {
                // No question about this file's containers waits until another one has been read.
                linkedFiles.strays[file] = StrayLink(
                    status: stray.status, cause: .max, containers: stray.containers, position: position,
                    tasks: others, otherTasks: [], attempts: stray.attempts)
            }
        }
    }
}
