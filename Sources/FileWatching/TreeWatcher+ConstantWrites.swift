// Constant writes: look-ups that may wait, so that what is written all the time holds up nothing else.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

// Changes of what lies in a file, of its mode and its times come in any number; names come and go much less often. So
// an event that tells of the former has its entry looked at in one of three ways:
//
// - at once (`lookUps`), where there is little to do, and always for a directory of which nothing else waits: a change
//   elsewhere does not stand in line behind a million files that are touched in a loop;
// - when there is time (`patientLookUps`), after what is to be made at once, in the order of their coming;
// - for an entry that was looked at again and again of late (`hotLookUps`), some milliseconds after the last time.
//
// Whatever waits merges with what comes after it, and is looked at before a barrier that was made meanwhile is reached.
extension TreeWatcher {
    /// Has an entry looked at whose content, mode or times have changed. Returns whether it waits as a hot one.
    func lookPatiently(at name: UnsafeRawBufferPointer, in id: DirectoryID, origin: Origin) -> Bool {
        let hash = LookUpQueue.hash(name, id.slot)
        if lookUps.merge(name, hash: hash, in: id, origin: origin, isExpected: true) { return false }
        if origin.cause >= forcedPosition,
            let time = hotEntries.notBefore(hash, now: turnTime, interval: settings.hotInterval)
        {
            hotLookUps.add(name, hash: hash, in: id, origin: origin, isExpected: true)
            hotDeadline = min(hotDeadline ?? .max, time)
            counters.lookUpsMerged += 1
            return true
        }
        if lookUps.count < WatchLimits.promptLookUps || isSparse(id) {
            lookUps.add(name, hash: hash, in: id, origin: origin, isExpected: true)
        } else {
            patientLookUps.add(name, hash: hash, in: id, origin: origin, isExpected: true)
        }
        return false
    }

    /// Whether nothing of a directory waits, and nothing of it was let past in this turn.
    private func isSparse(_ id: DirectoryID) -> Bool {
        let slot = Int(id.slot)
        if slot >= promptTurns.count {
            promptTurns.append(contentsOf: repeatElement(0, count: directories.records.count - promptTurns.count))
        }
        guard promptTurns[slot] != turnNumber, patientLookUps.waiting(in: id) == 0 else { return false }
        promptTurns[slot] = turnNumber
        return true
    }

    /// Has the hot entries looked at whose time has come, or which a barrier waits for: all of them, so that they go on
    /// in step and wake the loop once.
    func releaseHotLookUps() {
        guard let time = hotDeadline else { return }
        let isForced = hotLookUps.oldestCause.map { $0 < forcedPosition } ?? false
        guard turnTime >= time || isForced else { return }
        hotDeadline = nil
        // Events alone have asked for them.
        lookUps.isHearing = true
        defer { lookUps.isHearing = false }
        while let entry = hotLookUps.take(into: nameBuffer) {
            let name = UnsafeRawBufferPointer(rebasing: nameBuffer[..<Int(entry.length)])
            lookUps.add(name, in: entry.directory, origin: entry.origin, isExpected: entry.isExpected)
        }
    }

    /// Makes the look-ups that could wait: as long as the turn has time, and a few in any case.
    func runPatientLookUps() {
        guard !patientLookUps.isEmpty else { return }
        turnDeadline = max(turnDeadline, kernel.now() &+ settings.turnBudget / 4)
        (lookUpsOfTurn, stepsOfTurn) = (0, 0)
        while !isTurnOver, let entry = patientLookUps.take(into: nameBuffer) { look(at: entry) }
        (lookUpsOfTurn, stepsOfTurn) = (0, 0)
        runLookUps()
    }

    /// Whether the loop iteration has had its time. A few look-ups are made in any case, fewer in deep trees. The clock is not
    /// asked for each.
    var isTurnOver: Bool {
        if stepsOfTurn >= WatchLimits.stepsPerTurn { return kernel.now() >= turnDeadline }
        guard lookUpsOfTurn >= WatchLimits.lookUpsPerTurn else { return false }
        return lookUpsOfTurn % 16 == 0 && kernel.now() >= turnDeadline
    }

    /// Whether so much waits that nothing more is read: the kernel's queue then takes what comes, until it overflows.
    var isFull: Bool { lookUps.count + patientLookUps.count >= settings.limits.lookUpsAhead }
}
