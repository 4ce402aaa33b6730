// How far the feed of changes has come.
// SPDX-License-Identifier: Apache-2.0

/// Numbers the replies of gatherd's feed, and keeps what a report needs of them: the clocks, and the paths that changed since the last
/// report.
struct FeedProgress {
    /// The number of the last reply; 0 before the first.
    private(set) var sequence = 0
    /// Whether the feed lists all items, since it does not know what changed.
    private(set) var isListing = false
    /// The clocks of replies, by number, in order. Those before the last report are dropped.
    private var clocks: [(number: Int, clock: String)] = []
    /// The changed paths below the container since the last report, by the number of the last change.
    private var changed: [String: Int] = [:]
    private var reported = -1

    /// Makes the progress of a feed that begins after a clock.
    init(after clock: String? = nil) { if let clock { clocks = [(0, clock)] } }

    /// Whether scans may start: the first one belongs to the feed, and a listing ends with one of everything.
    var hasBegun: Bool { sequence > 0 && !isListing }

    /// Begins a reply. `listsAll` says whether a listing begins; nil for any reply but the first.
    mutating func beginReply(listsAll: Bool?) {
        if let listsAll { isListing = listsAll }
        sequence += 1
    }

    /// Notes that an item below the container changed in this reply.
    mutating func note(_ path: String) { changed[path] = sequence }

    /// Ends a reply. Returns whether a listing has ended with it.
    mutating func endReply(clock: String?, isGathered: Bool) -> Bool {
        if let clock { clocks.append((sequence, clock)) }
        guard isGathered, isListing else { return false }
        isListing = false
        return true
    }

    /// Returns the newest clock up to a number, and the paths that changed up to there since the last report; nil if none is newer than
    /// the last report.
    func news(through number: Int) -> (clock: String, changed: Set<String>)? {
        guard number > reported, let clock = clocks.last(where: { $0.number <= number })?.clock else { return nil }
        return (clock, Set(changed.filter { $0.value <= number }.keys))
    }

    /// Notes that the clock up to a number was reported.
    mutating func note(reportedThrough number: Int) {
        reported = number
        changed = changed.filter { $0.value > number }
        if let kept = clocks.lastIndex(where: { $0.number <= number }) { clocks.removeSubrange(..<kept) }
    }
}
