// A live query is measured from the oldest event that it has not told.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatherService

struct QueryActivityTests {
    private static func activity(_ predicate: String = "", halfTime: UInt64 = 100) -> QueryActivity {
        QueryActivity(number: 7, predicate: predicate, halfTime: halfTime)
    }

    @Test func theOldestEventCounts() {
        var activity = Self.activity()
        #expect(activity.noteCaughtUp(now: 5) == nil, "nothing was pending")
        activity.noteNews(read: 10)
        activity.noteNews(read: 20)
        #expect(activity.noteCaughtUp(now: 40) == 30)
        #expect(activity.noteCaughtUp(now: 50) == nil)
        activity.noteNews(read: 60)
        #expect(activity.noteCaughtUp(now: 70) == 10)
        #expect(activity.latencies == 2 && activity.latencyNanoseconds == 40 && activity.longestLatency == 30)
    }

    @Test func aReplyThatIsNotReadIsNotMeasured() {
        var activity = Self.activity()
        activity.noteNews(read: 10)
        activity.dropNews()
        #expect(activity.noteCaughtUp(now: 40) == nil && activity.latencies == 0)
        activity.noteNews(read: 50)
        #expect(activity.noteCaughtUp(now: 51) == 1)
    }

    @Test func theLoadHalvesWithTime() {
        var activity = Self.activity()
        activity.notePublished(items: 80, now: 1_000)
        activity.notePublished(items: 20, now: 1_099)
        #expect(activity.deltas == 2 && activity.items == 100)
        #expect(
            [1_099, 1_198, 1_199, 1_399, 1_099 + 6_400, .max].map { activity.busyness(now: $0) }
                == [100, 100, 50, 12, 0, 0])
        activity.notePublished(items: 1, now: 1_299)
        #expect(activity.busyness(now: 1_299) == 26)
    }

    @Test(arguments: [199, 200, 201, 300])
    func theBeginningOfAPredicateIsKept(length: Int) {
        let text = String(repeating: "x", count: length)
        let activity = Self.activity(text)
        #expect(activity.number == 7)
        #expect(activity.predicate == (length > 200 ? String(repeating: "x", count: 200) + "…" : text))
    }

    @Test func noCharacterIsCutInTwo() {
        let activity = Self.activity(String(repeating: "x", count: 199) + "äää")
        #expect(activity.predicate == String(repeating: "x", count: 199) + "…")
    }
}
