// The measurements of one live query.
// SPDX-License-Identifier: Apache-2.0

/// Measures the changes that a live query sent, their delays, and how busy it is.
struct QueryActivity {
    /// The number of the live query, in the order of their starts.
    let number: UInt64
    /// The beginning of the predicate.
    let predicate: String
    /// The number of replies with changes, and of the items in them.
    private(set) var deltas: UInt64 = 0
    private(set) var items: UInt64 = 0
    /// The number of measured latencies (``ServiceActivity/deltaLatency``).
    private(set) var latencies: UInt64 = 0
    private(set) var latencyNanoseconds: UInt64 = 0
    private(set) var longestLatency: UInt64 = 0
    /// When the oldest undelivered event was read; 0 for none, or if that is not measured.
    private var newsSince: UInt64 = 0
    /// Recent load: delivered items, halved for each elapsed ``halfTime``.
    private var busyness: UInt64 = 0
    private let halfTime: UInt64
    private var lastPublished: UInt64 = 0

    /// The longest kept beginning of a predicate, in bytes.
    private static let predicateBytes = 200

    init(number: UInt64, predicate: String, halfTime: UInt64) {
        self.number = number
        self.halfTime = halfTime
        guard predicate.utf8.count > QueryActivity.predicateBytes else {
            self.predicate = predicate
            return
        }
        var text = String(decoding: predicate.utf8.prefix(QueryActivity.predicateBytes), as: UTF8.self)
        if text.last == "\u{FFFD}" { text.removeLast() }
        self.predicate = text + "…"
    }

    /// Notes that changes are pending from an event that was read at `time`. The oldest one counts.
    mutating func noteNews(read time: UInt64) {
        if newsSince == 0 { newsSince = time }
    }

    /// Notes a reply with changes.
    mutating func notePublished(items count: Int, now: UInt64) {
        deltas &+= 1
        items &+= UInt64(count)
        busyness = busyness(now: now) &+ UInt64(count)
        lastPublished = now
    }

    /// Notes that all pending changes are told. Returns for how long the oldest was pending; nil if that was not measured.
    mutating func noteCaughtUp(now: @autoclosure () -> UInt64) -> UInt64? {
        guard newsSince != 0 else { return nil }
        let latency = now() &- newsSince
        newsSince = 0
        latencies &+= 1
        latencyNanoseconds &+= latency
        longestLatency = max(longestLatency, latency)
        return latency
    }

    /// Drops the measurement of pending changes.
    mutating func dropNews() { newsSince = 0 }

    /// Returns the recent load.
    func busyness(now: UInt64) -> UInt64 {
        let spans = (now &- lastPublished) / halfTime
        return spans < 64 ? busyness >> spans : 0
    }
}
