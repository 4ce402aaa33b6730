// Replies of the feed, and the report that is left of them.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SyncService

@Suite struct FeedProgressTests {
    private var feed = FeedProgress(after: "zero")

    private mutating func reply(_ paths: [String] = [], clock: String? = nil, listsAll: Bool? = nil) {
        feed.beginReply(listsAll: listsAll)
        for path in paths { feed.note(path) }
        _ = feed.endReply(clock: clock, isGathered: false)
    }

    @Test mutating func scansMayStartAfterTheFirstReply() {
        #expect(!feed.hasBegun && feed.sequence == 0)
        reply(listsAll: false)
        #expect(feed.hasBegun && feed.sequence == 1)
    }

    @Test mutating func scansWaitForTheEndOfAListing() {
        reply(["a"], listsAll: true)
        reply(["b"])
        #expect(feed.isListing && !feed.hasBegun)
        feed.beginReply(listsAll: nil)
        let hasEnded = feed.endReply(clock: "now", isGathered: true)
        #expect(hasEnded && !feed.isListing && feed.hasBegun && feed.sequence == 3)
        feed.beginReply(listsAll: nil)
        let endsAgain = feed.endReply(clock: nil, isGathered: true)
        #expect(!endsAgain)
    }

    @Test mutating func aReportHasTheNewestClockOfWhatIsInTheDatabase() {
        reply(["a", "b"], clock: "one", listsAll: false)
        reply(["b"])
        reply(["c"], clock: "three")
        #expect(feed.news(through: 0)?.clock == "zero" && feed.news(through: 0)?.changed == [])
        #expect(feed.news(through: 1)?.clock == "one" && feed.news(through: 1)?.changed == ["a"])
        #expect(feed.news(through: 2)?.clock == "one" && feed.news(through: 2)?.changed == ["a", "b"])
        #expect(feed.news(through: 3)?.clock == "three" && feed.news(through: 3)?.changed == ["a", "b", "c"])
    }

    @Test mutating func nothingIsReportedTwice() {
        reply(["a", "b"], clock: "one", listsAll: false)
        feed.note(reportedThrough: 1)
        #expect(feed.news(through: 1) == nil && feed.news(through: 0) == nil)
        reply(["b"])
        // The database has more, and no reply told a clock of that.
        #expect(feed.news(through: 2)?.clock == "one" && feed.news(through: 2)?.changed == ["b"])
        reply(["c"], clock: "three")
        feed.note(reportedThrough: 2)
        #expect(feed.news(through: 3)?.clock == "three" && feed.news(through: 3)?.changed == ["c"])
    }

    @Test func withoutAClockNothingIsReported() {
        #expect(FeedProgress().news(through: 5) == nil)
    }
}
