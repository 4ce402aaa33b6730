// A container is saved when the journal does not lead up to now, else when it is worth it.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import NIOCore
import Testing

@testable import GatherService

struct SnapshotMarkTests {
    private static let now = NIODeadline.uptimeNanoseconds(0)
    private static let interval = TimeAmount.minutes(10)

    /// A container that was read and saved, in a segment.
    private func saved(_ segment: UInt64 = 7) -> SnapshotMark {
        var mark = SnapshotMark()
        mark.noteRead()
        _ = mark.beginSnapshot()
        mark.endSnapshot(bytes: 100, segment: segment, time: .now, pause: Self.interval)
        return mark
    }

    private func due(_ mark: inout SnapshotMark, isFull: Bool = false) -> NIODeadline {
        mark.dueTime(interval: Self.interval) { _ in isFull }
    }

    @Test func aContainerIsSavedOnceItWasRead() {
        var mark = SnapshotMark()
        #expect(!mark.isUnsaved)
        mark.noteRead()
        #expect(mark.isUnsaved && due(&mark) == Self.now)
        #expect(!saved().isUnsaved)
    }

    @Test func fewChangesWaitLongerThanMany() {
        var (few, many) = (saved(), saved())
        few.noteJournaled(bytes: 1)
        many.noteJournaled(bytes: PersistenceLimits.leastJournaled + 1)
        #expect(few.isUnsaved && many.isUnsaved)
        let (first, second) = (due(&few), due(&many))
        #expect(first - second > .hours(1))
        #expect(due(&many) == second, "the time counts from the first change")
        #expect(due(&few, isFull: true) == Self.now, "the journal has no room")
    }

    @Test func aLargeChangeSetWaitsForThePause() {
        var mark = saved()
        mark.noteUnjournaled(isLarge: true, isDetached: false)
        #expect(mark.isUnsaved && due(&mark) > .now())
        mark = saved()
        mark.noteUnjournaled(isLarge: false, isDetached: false)
        #expect(due(&mark) == Self.now)
        mark.noteUnjournaled(isLarge: true, isDetached: false)
        #expect(due(&mark) == Self.now, "something else is missing already")
        mark.noteUnjournaled(isLarge: true, isDetached: true)
        #expect(due(&mark) > .now())
        mark.noteSuspended()
        #expect(mark.isUnsaved && due(&mark) == Self.now)
    }

    @Test func theJournalKeepsTheSegmentsThatAreNeeded() {
        var mark = SnapshotMark()
        mark.noteRead()
        #expect(mark.neededSegment == nil, "nothing is saved")
        mark = saved(7)
        #expect(mark.neededSegment == nil, "nothing has changed")
        mark.noteChange()
        #expect(mark.neededSegment == 7)
    }

    @Test func afterAFailureTheChangesAreThereAgain() {
        var mark = saved()
        mark.noteJournaled(bytes: PersistenceLimits.leastJournaled)
        let time = due(&mark)
        let before = mark.beginSnapshot()
        #expect(!mark.isUnsaved)
        mark.noteJournaled(bytes: 1)
        mark.endSnapshot(failedAfter: before)
        #expect(mark.isUnsaved && mark.isJournaled)
        #expect(due(&mark) < time, "more has changed by now")
        mark.noteUnjournaled(isLarge: false, isDetached: false)
        let unjournaled = mark.beginSnapshot()
        #expect(mark.isJournaled)
        mark.endSnapshot(failedAfter: unjournaled)
        #expect(!mark.isJournaled, "the journal does not lead on from what was saved before")
    }
}
