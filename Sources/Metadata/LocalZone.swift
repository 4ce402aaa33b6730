// The time zone of local times, and local times as points in time.
// SPDX-License-Identifier: Apache-2.0

/// The time zone of local times. A local time is given as seconds since 1970, as if it were UTC.
///
/// mktime(3) is not used: which of two moments it returns depends on earlier calls.
package struct LocalZone: Sendable, Hashable {
    /// The rules; nil for those that the C library has for this process.
    private let rules: ZoneRules?

    /// The zone of this process (`TZ`, `/etc/localtime`), by the C library.
    package static let process = LocalZone(rules: nil)

    /// A zone with these rules.
    package init(_ rules: ZoneRules) { self.rules = rules }

    private init(rules: ZoneRules?) { self.rules = rules }

    /// A number that equal rules have in every run; 0 for the zone of this process.
    package var fingerprint: UInt64 { rules?.fingerprint ?? 0 }

    /// Returns the moment of a local time. Where clocks are set back, a local time occurs twice, and the earlier moment counts.
    /// Where they are set forward, a skipped local time counts as many seconds after midnight as without the change. Complexity:
    /// O(1), some microseconds.
    package func seconds(ofLocal local: Int64) -> Int64 {
        let (before, after) = candidates(local)
        for moment in [min(before, after), max(before, after)] where moment + offset(at: moment) == local {
            return moment
        }
        return before
    }

    /// Returns the first moment whose local time is this or a later one, such as that of midnight. It differs from
    /// ``seconds(ofLocal:)`` where the local time is skipped: then it is the moment of the change.
    package func first(ofLocal local: Int64) -> Int64 {
        let moment = seconds(ofLocal: local)
        guard moment + offset(at: moment) != local else { return moment }
        let (before, after) = candidates(local)
        // The change lies between the two, and local time is too early before it.
        var (early, late) = (min(before, after) - 1, max(before, after))
        while late - early > 1 {
            let middle = early + (late - early) / 2
            if middle + offset(at: middle) < local { early = middle } else { late = middle }
        }
        return late
    }

    /// Returns the local time of a moment.
    package func local(at moment: Int64) -> Int64 { moment + offset(at: moment) }

    /// The moments by the offsets before and after a change that may be near. No zone is more than a day from UTC, and none changes
    /// twice within two days.
    private func candidates(_ local: Int64) -> (before: Int64, after: Int64) {
        (local - offset(at: local - 86_400), local - offset(at: local + 86_400))
    }

    /// The seconds by which local time is ahead of UTC.
    private func offset(at moment: Int64) -> Int64 {
        if let rules { return rules.offset(at: moment) }
        return Int64(LocalTime(moment)?.offset ?? 0)
    }
}
