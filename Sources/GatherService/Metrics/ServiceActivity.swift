// Counters of the service.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol

/// Counters since the start of the daemon. They never decrease. Event loop only.
struct ServiceActivity {
    /// The time from the read of an event to the reply with the change, for live queries without a batch interval. For
    /// each reply, the oldest event counts.
    var deltaLatency = LatencyHistogram()
    /// The number of replies with changes, and of the items in them.
    var deltas: UInt64 = 0
    var deltaItems: UInt64 = 0
    /// How often changes waited because a subscriber had not read earlier ones.
    var heldBack: UInt64 = 0
    var liveQueriesBegun: UInt64 = 0
    /// The number of calls of each method in ``methods``.
    private(set) var questions = [UInt64](repeating: 0, count: methods.count)
    /// The methods that are counted.
    static let methods = [
        QueryInterface.Find.name, QueryInterface.Count.name, QueryInterface.Values.name, QueryInterface.Watch.name,
        QueryInterface.Explain.name, QueryInterface.Flush.name,
    ]

    mutating func noteQuestion(_ method: String) {
        if let place = ServiceActivity.methods.firstIndex(of: method) { questions[place] += 1 }
    }
}

/// The activity of one live query. Event loop only.
struct QueryActivity {
    /// The number of the live query, in the order of their starts.
    var number: UInt64 = 0
    /// The beginning of the predicate.
    var predicate = ""
    var deltas: UInt64 = 0
    var items: UInt64 = 0
    /// The number of measured latencies (``ServiceActivity/deltaLatency``).
    var latencies: UInt64 = 0
    var latencyNanoseconds: UInt64 = 0
    var longestLatency: UInt64 = 0
    /// When the oldest undelivered event was read; 0 for none, or if that is not measured.
    var newsSince: UInt64 = 0
    /// Recent load: delivered items, halved for each elapsed ``halfTime``.
    private var busyness: UInt64 = 0
    private let halfTime: UInt64
    private var lastTold: UInt64 = 0

    /// The longest kept beginning of a predicate, in bytes.
    private static let predicateBytes = 200

    init(number: UInt64 = 0, predicate: String = "", halfTime: UInt64 = Limits.loadHalfTime) {
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

    mutating func noteTold(items count: Int, now: UInt64) {
        deltas &+= 1
        items &+= UInt64(count)
        busyness = busyness(now: now) &+ UInt64(count)
        lastTold = now
    }

    mutating func noteLatency(_ duration: UInt64) {
        latencies &+= 1
        latencyNanoseconds &+= duration
        longestLatency = max(longestLatency, duration)
    }

    /// Returns the recent load.
    func busyness(now: UInt64) -> UInt64 {
        let spans = (now &- lastTold) / halfTime
        return spans < 64 ? busyness >> spans : 0
    }
}
