// The date in the name of a conflict version as a point in time.
// SPDX-License-Identifier: Apache-2.0

import Glibc

extension ConflictName {
    /// The date and time in the name, in the time zone of this process (`TZ`, `/etc/localtime`). The machine that made the
    /// version may have another.
    ///
    /// Where clocks are set back, a local time occurs twice, and the earlier moment counts. Where they are set forward, a
    /// skipped local time counts as many seconds after midnight as without the change. A day that a month does not have is
    /// one of the next month. So a name has one date, whatever was asked before. Complexity: O(1), some microseconds.
    public var date: Timestamp {
        let digits = Array(time.utf8).map { Int64($0) - 48 }
        func number(_ range: Range<Int>) -> Int64 { digits[range].reduce(0) { $0 * 10 + $1 } }
        let days = Timestamp.days(fromYear: number(0..<4), month: number(4..<6), day: number(6..<8))
        let local = days * 86_400 + number(9..<11) * 3_600 + number(11..<13) * 60 + number(13..<15)
        return Timestamp(seconds: ConflictName.moment(ofLocal: local), nanoseconds: 0)
    }

    /// The seconds since 1970 of a local time, given as if it were UTC. mktime(3) is not used: which of two moments it
    /// returns depends on earlier calls.
    private static func moment(ofLocal local: Int64) -> Int64 {
        // No zone is more than a day from UTC, and none changes twice within two days.
        let before = local - offset(at: local - 86_400)
        let after = local - offset(at: local + 86_400)
        for moment in [min(before, after), max(before, after)] where moment + offset(at: moment) == local {
            return moment
        }
        return before
    }

    /// The seconds by which local time is ahead of UTC.
    private static func offset(at moment: Int64) -> Int64 {
        var seconds = time_t(moment)
        var parts = tm()
        return localtime_r(&seconds, &parts) == nil ? 0 : Int64(parts.tm_gmtoff)
    }
}
