// What the daemon counts of its own work beside what the watcher counts.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol

/// What the daemon has done since it started, ever growing. On the event loop.
struct ServiceActivity {
    /// From the read of an event until the reply that tells of it was made: of live queries that take changes at once, by
    /// the oldest event of each reply.
    var deltaLatency = LatencyHistogram()
    /// Replies with changes, and the items in them.
    var deltas: UInt64 = 0
    var deltaItems: UInt64 = 0
    /// Times that changes waited since a subscriber had not taken those before.
    var heldBack: UInt64 = 0
    var liveQueriesBegun: UInt64 = 0
    /// Timers that were set for live queries that follow the time of day, one at a time for all of them.
    var clockTimers: UInt64 = 0
    /// Questions, by the place of their method in ``methods``.
    private(set) var questions = [UInt64](repeating: 0, count: methods.count)
    var snapshots: UInt64 = 0
    var snapshotFailures: UInt64 = 0
    /// How long the last saving of indexes took, in nanoseconds.
    var snapshotDuration: UInt64 = 0

    /// The methods that are counted.
    static let methods = [
        QueryInterface.Find.name, QueryInterface.Count.name, QueryInterface.Values.name, QueryInterface.Watch.name,
        QueryInterface.Explain.name, QueryInterface.Flush.name,
    ]

    mutating func noteQuestion(_ method: String) {
        if let place = ServiceActivity.methods.firstIndex(of: method) { questions[place] += 1 }
    }
}

/// What one live query has been told. On the event loop.
struct QueryActivity {
    /// Its number, in the order in which they began.
    var number: UInt64 = 0
    /// How its predicate begins.
    var predicate = ""
    var deltas: UInt64 = 0
    var items: UInt64 = 0
    /// Latencies of its deltas, as in ``ServiceActivity/deltaLatency``.
    var latencies: UInt64 = 0
    var latencyNanoseconds: UInt64 = 0
    var longestLatency: UInt64 = 0
    /// When the oldest event was read that it was not told of yet; 0 for none, or where that is not measured.
    var newsSince: UInt64 = 0
    /// How busy it was of late: the items that it was told of, halved for each span that has passed.
    private var busyness: UInt64 = 0
    private var lastTold: UInt64 = 0

    /// Bytes of a predicate that are kept to tell of it.
    private static let predicateBytes = 200
    private static let halfTime: UInt64 = 8_000_000_000

    init() {}

    init(number: UInt64, predicate: String) {
        self.number = number
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

    /// How busy it was of late.
    func busyness(now: UInt64) -> UInt64 {
        let spans = (now &- lastTold) / QueryActivity.halfTime
        return spans < 64 ? busyness >> spans : 0
    }
}
