// Counters of the service.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol

/// Counters since the start of the daemon. They never decrease. Event loop only.
struct ServiceActivity {
    /// The time from the read of an event to the reply with the change, for live queries without a batch interval. For
    /// each reply, the oldest event counts.
    private(set) var deltaLatency = LatencyHistogram()
    /// The number of replies with changes, and of the items in them.
    private(set) var deltas: UInt64 = 0
    private(set) var deltaItems: UInt64 = 0
    /// How often changes waited because a subscriber had not read earlier ones.
    private(set) var heldBack: UInt64 = 0
    private(set) var liveQueriesBegun: UInt64 = 0
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

    /// Notes the begin of a live query. Returns its number.
    mutating func noteLiveQuery() -> UInt64 {
        liveQueriesBegun += 1
        return liveQueriesBegun
    }

    /// Notes a reply with changes.
    mutating func noteReply(items: Int) {
        deltas &+= 1
        deltaItems &+= UInt64(items)
    }

    /// Notes the time from the read of an event to the reply with the change, in nanoseconds.
    mutating func noteLatency(_ duration: UInt64) { deltaLatency.note(duration) }

    /// Notes changes that wait because a subscriber has not read earlier ones.
    mutating func noteHeldBack() { heldBack &+= 1 }
}
