// When which part of the stream of events was read.
// SPDX-License-Identifier: Apache-2.0

/// When the last reads of the stream of events were made, so that it is known how old the news is that led to a look-up.
struct ReadTimes {
    private var ends: [UInt64] = Array(repeating: 0, count: ReadTimes.kept)
    private var times: [UInt64] = Array(repeating: 0, count: ReadTimes.kept)
    private var count = 0

    /// Reads that are remembered: the longest wait, for an entry that changes all the time, is some 25 of them.
    private static let kept = 64

    /// A read has ended at this position of the stream.
    mutating func note(end: UInt64, time: UInt64) {
        ends[count % ReadTimes.kept] = end
        times[count % ReadTimes.kept] = time
        count += 1
    }

    /// When the event at a position was read; of one from before all that is remembered, when the oldest of these was. Nil
    /// before the first.
    func time(of position: UInt64) -> UInt64? {
        guard count > 0 else { return nil }
        for number in max(0, count - ReadTimes.kept)..<count where ends[number % ReadTimes.kept] > position {
            return times[number % ReadTimes.kept]
        }
        return nil
    }
}
