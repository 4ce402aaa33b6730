// The part of one container's index that is saved.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import NIOCore

/// Tells how far the saved index of a container and the journal lead, and when it is to be saved again.
struct SnapshotMark {
    /// Whether the journal leads on from the saved index, or from the one that is being saved.
    private(set) var isJournaled = false
    /// The size of the saved index in bytes.
    private(set) var savedBytes = 0
    /// The segment of the journal that begins with the saved index; nil if nothing is saved.
    private(set) var segment: UInt64?
    /// The time of the last save.
    private(set) var time: Timestamp?
    /// Whether the container was ever read as a whole: until then there is nothing worth saving.
    private(set) var wasRead = false
    /// Whether there are changes beyond the saved index.
    private var isDirty = false
    /// The bytes of these changes in the journal.
    private var journaledBytes = 0
    /// When these changes were first seen.
    private var dirtySince: NIODeadline?
    /// Whether the size of a change set keeps it from being journaled, and when the index may be saved for that.
    private var isPausing = false
    private var pausesUntil = NIODeadline.uptimeNanoseconds(0)

    /// Nothing is saved.
    init() {}

    /// An index and its journal as they were loaded.
    init(_ saved: RecoveredState.Container) {
        isJournaled = saved.isJournaled
        isDirty = saved.isDirty
        savedBytes = saved.savedBytes
        journaledBytes = saved.journaledBytes
        segment = saved.description.segment
        time = saved.description.time
        wasRead = true
    }

    /// Whether there is more than the saved index, or the journal does not lead on from it.
    var isUnsaved: Bool { wasRead && (isDirty || !isJournaled) }

    /// The first segment of the journal that the saved index needs; nil if it needs none.
    ///
    /// The journal has nothing for a container that was never saved. For one from which it does not lead on, it says so.
    var neededSegment: UInt64? { isDirty || !isJournaled ? segment : nil }

    mutating func noteRead() { wasRead = true }

    /// Notes a change beside the change sets.
    mutating func noteChange() { isDirty = true }

    /// Notes a change set in the journal, with its size there.
    mutating func noteJournaled(bytes: Int) {
        isDirty = true
        journaledBytes += bytes
    }

    /// Notes a change set that the journal does not have: because of its size, or of a failure. A set of a detached index counts
    /// even if another is missing already.
    mutating func noteUnjournaled(isLarge: Bool, isDetached: Bool) {
        if isJournaled || isDetached { isPausing = isLarge }
        isJournaled = false
    }

    /// Notes that the journal is not written at present.
    mutating func noteSuspended() { (isJournaled, isDirty, isPausing) = (false, true, false) }

    /// Returns when to save an index of which there is more than is saved. To save it costs as much as it is large, so if little
    /// has changed it waits: the journal has that, and a restart reads it in no time.
    ///
    /// `isJournalFull` tells whether the journal since a segment is longer than it may be.
    mutating func dueTime(interval: TimeAmount, isJournalFull: (UInt64) -> Bool) -> NIODeadline {
        guard isJournaled else { return isPausing ? pausesUntil : .uptimeNanoseconds(0) }
        let since = dirtySince ?? .now()
        dirtySince = since
        // Not when the interval is over: a million changes a minute would fill the journal's room before that.
        if isJournalFull(segment ?? 0) { return .uptimeNanoseconds(0) }
        let part = max(PersistenceLimits.leastJournaled, savedBytes / PersistenceLimits.savedParts)
        return since + (journaledBytes > part ? interval : max(interval, PersistenceLimits.longestInterval))
    }

    /// Begins a save: the journal leads on from now. Returns the mark before, for ``endSnapshot(failedAfter:)``.
    mutating func beginSnapshot() -> SnapshotMark {
        defer {
            isJournaled = true
            isDirty = false
            journaledBytes = 0
            dirtySince = nil
        }
        return self
    }

    /// Ends a save. If change sets were too large for the journal, the next one begins after `pause` at the earliest.
    mutating func endSnapshot(bytes: Int, segment: UInt64, time: Timestamp, pause: TimeAmount) {
        savedBytes = bytes
        self.segment = segment
        self.time = time
        pausesUntil = .now() + pause
    }

    /// Ends a save that failed. The index saved before still leads up to now if the journal did before this.
    mutating func endSnapshot(failedAfter before: SnapshotMark) {
        isJournaled = isJournaled && before.isJournaled
        isDirty = true
        journaledBytes += before.journaledBytes
        dirtySince = before.dirtySince
    }
}
