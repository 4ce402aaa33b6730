// The event-loop time that one user's costly live queries may take.
// SPDX-License-Identifier: Apache-2.0

/// The event-loop time that the tests of one user's costly live queries have taken, and may take. Quick tests are free.
/// The time beyond that is drawn from an allowance that refills over time. Event loop only.
package final class WorkMeter {
    /// The allowance of a meter.
    package struct Allowance: Sendable {
        /// The duration up to which a test is free, in nanoseconds.
        package var free: UInt64
        /// The most that is counted for one test, in nanoseconds: the thread may have been preempted.
        package var most: UInt64
        /// The most that may be taken at once, in nanoseconds.
        package var capacity: UInt64
        /// The refill for each second, in nanoseconds.
        package var perSecond: UInt64

        package init(free: UInt64, most: UInt64, capacity: UInt64, perSecond: UInt64) {
            self.free = free
            self.most = most
            self.capacity = capacity
            self.perSecond = perSecond
        }
    }

    private let allowance: Allowance
    /// The remaining allowance. A negative value is the time of queries that were not counted before, so that the
    /// costliest query ends first.
    private var left: Int64
    private var filled: UInt64 = 0
    private let onOverwork: (LiveQuery) -> Void

    /// `onOverwork` is called once for each query that finds no allowance left, in the middle of a change set.
    package init(_ allowance: Allowance, onOverwork: @escaping (LiveQuery) -> Void) {
        self.allowance = allowance
        self.onOverwork = onOverwork
        left = Int64(clamping: allowance.capacity)
    }

    /// Whether a query may be tested now. A query that may not must end.
    func admits(_ query: LiveQuery, at now: UInt64) -> Bool {
        if query.isOverworked { return false }
        if left > 0 { return true }
        fill(now)
        if left > (query.wasCharged ? 0 : -Int64(clamping: allowance.capacity)) { return true }
        query.isOverworked = true
        onOverwork(query)
        return false
    }

    /// Counts a test between two moments.
    func charge(_ query: LiveQuery, from start: UInt64, to end: UInt64) {
        let taken = min(end &- start, allowance.most)
        guard taken > allowance.free else { return }
        query.wasCharged = true
        fill(end)
        left = max(-Int64(clamping: allowance.capacity), left - Int64(clamping: taken - allowance.free))
    }

    private func fill(_ now: UInt64) {
        if filled != 0, now > filled {
            // Microseconds of at most an hour, so that nothing overflows.
            let elapsed = min(now - filled, 3_600_000_000_000) / 1_000
            let more = elapsed.multipliedReportingOverflow(by: allowance.perSecond)
            let gained = more.overflow ? allowance.capacity : more.partialValue / 1_000_000
            left = min(Int64(clamping: allowance.capacity), left + Int64(clamping: min(gained, 2 * allowance.capacity)))
        }
        filled = now
    }
}
