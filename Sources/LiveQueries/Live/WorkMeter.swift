// How much of the event loop the costly live queries of one user may take.
// SPDX-License-Identifier: Apache-2.0

/// What the tests of one user's costly live queries have taken of the event loop, and may take. Tests that are quick are
/// free; what they take beyond that is drawn from an allowance which fills again as time passes. Loop only.
package final class WorkMeter {
    /// What a meter allows.
    package struct Allowance: Sendable {
        /// A test may take this long without being counted, in nanoseconds.
        package var free: UInt64
        /// No more than this is counted for one test, in nanoseconds: the thread may have been made to wait meanwhile.
        package var most: UInt64
        /// What may be taken at once, in nanoseconds.
        package var capacity: UInt64
        /// What is filled again in a second, in nanoseconds.
        package var perSecond: UInt64

        package init(free: UInt64, most: UInt64, capacity: UInt64, perSecond: UInt64) {
            self.free = free
            self.most = most
            self.capacity = capacity
            self.perSecond = perSecond
        }
    }

    private let allowance: Allowance
    /// What may still be taken. Below nothing it is what queries have taken that were never counted before: the one that
    /// behaves badly ends first.
    private var left: Int64
    private var filled: UInt64 = 0
    private let onOverwork: (LiveQuery) -> Void

    /// `onOverwork` is called once for each query that finds nothing left, in the middle of a change set.
    package init(_ allowance: Allowance, onOverwork: @escaping (LiveQuery) -> Void) {
        self.allowance = allowance
        self.onOverwork = onOverwork
        left = Int64(clamping: allowance.capacity)
    }

    /// Whether a query may be tested at this moment. One that may not must end.
    func admits(_ query: LiveQuery, at now: UInt64) -> Bool {
        if query.isOverworked { return false }
        if left > 0 { return true }
        fill(now)
        if left > (query.wasCharged ? 0 : -Int64(clamping: allowance.capacity)) { return true }
        query.isOverworked = true
        onOverwork(query)
        return false
    }

    /// Counts a test that took from one moment to another.
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
