// The date in the name of a conflict version as a point in time.
// SPDX-License-Identifier: Apache-2.0

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
        return Timestamp(seconds: LocalZone.process.seconds(ofLocal: local), nanoseconds: 0)
    }
}
