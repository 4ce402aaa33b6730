// The hybrid logical clock of a store.
// SPDX-License-Identifier: Apache-2.0

/// A hybrid logical clock that leads the time of day by at most ``KeyValueLimits/longestLead``.
struct KeyValueClock: Sendable, Hashable {
    private(set) var time: Int64 = 0
    private(set) var counter: Int64 = 0

    /// Takes notice of a stamp, so that the next one is later, as far as the lead allows.
    mutating func observe(time: Int64, counter: Int64) {
        if (time, counter) > (self.time, self.counter) { (self.time, self.counter) = (time, counter) }
    }

    /// Returns the stamp of a change.
    ///
    /// It is later than the stamp of the value that it replaces, whatever lead that one has. Otherwise a device that has seen a
    /// value could not replace it. Nil if no stamp is later.
    mutating func next(now: Int64, replacing seen: KeyValueStamp?, device: String) -> KeyValueStamp? {
        let now = min(max(now, 0), KeyValueLimits.latestTime)
        let limit = min(now + KeyValueLimits.longestLead, KeyValueLimits.latestTime)
        if time > limit { (time, counter) = (limit, 0) }
        (time, counter) = now > time ? (now, 0) : KeyValueClock.successor(of: (time, counter)) ?? (time, counter)
        guard let seen, (seen.time, seen.counter) >= (time, counter) else {
            return KeyValueStamp(time: time, counter: counter, device: device)
        }
        return KeyValueClock.successor(of: (seen.time, seen.counter)).map {
            KeyValueStamp(time: $0.time, counter: $0.counter, device: device)
        }
    }

    private static func successor(of reading: (Int64, Int64)) -> (time: Int64, counter: Int64)? {
        if reading.1 < KeyValueLimits.largestCounter { return (reading.0, reading.1 + 1) }
        return reading.0 < KeyValueLimits.latestTime ? (reading.0 + 1, 0) : nil
    }
}
