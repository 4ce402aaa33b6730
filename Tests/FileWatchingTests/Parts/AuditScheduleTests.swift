// The times of the self-audit.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import FileWatching

@Suite struct AuditScheduleTests {
    private var schedule = AuditSchedule()

    @Test mutating func slicesKeepAPause() {
        #expect(schedule.isDue(at: 0), "the first is due at once")
        schedule.schedule(100, now: 50, pause: 10)
        #expect(schedule.next == 100 && !schedule.isBehind && !schedule.isDue(at: 99) && schedule.isDue(at: 100))
        schedule.schedule(40, now: 50, pause: 10)
        #expect(schedule.next == 60 && schedule.isBehind, "more is due than was seen")
        schedule.schedule(.max, now: 50, pause: 10)
        #expect(schedule.next == nil && !schedule.isBehind)
    }

    @Test(arguments: [(0.5, 200), (0.01, 10_000), (0, 1_000_000)] as [(Double, UInt64)])
    mutating func theCostOfASlicePutsTheNextOff(share: Double, pause: UInt64) {
        schedule.schedule(10, now: 0, pause: 0)
        schedule.addCost(60)
        schedule.addCost(40)
        schedule.endSlice(share: share, now: 1_000)
        #expect(schedule.next == 1_000 + pause)
        schedule.endSlice(share: share, now: 0)
        #expect(schedule.next == 1_000 + pause, "its cost counts once")
    }

    @Test mutating func otherSettingsBeginAnew() {
        schedule.schedule(40, now: 50, pause: 10)
        schedule.reset()
        #expect(schedule.next == nil && !schedule.isBehind && schedule.isDue(at: 0))
    }
}
