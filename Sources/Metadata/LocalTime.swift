// Moments as clocks show them.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A moment as clocks show it in some place.
package struct LocalTime: Sendable, Hashable {
    package let year: Int
    /// From 1 to 12.
    package let month: Int
    package let day: Int
    package let hour: Int
    package let minute: Int
    package let second: Int
    /// The seconds by which it is ahead of UTC.
    package let offset: Int

    /// Returns a moment in the zone of this process (`TZ`, `/etc/localtime`); nil if its year is none that the C library has.
    ///
    /// - Parameter seconds: Seconds since 1970.
    package init?(_ seconds: Int64) {
        var (moment, parts) = (time_t(seconds), tm())
        // localtime_r(3) reads the zone once, and tzset(3) reads a replaced /etc/localtime anew.
        tzset()
        guard localtime_r(&moment, &parts) != nil else { return nil }
        self.init(parts)
    }

    /// Returns a moment in UTC; nil if its year is none that the C library has.
    ///
    /// - Parameter seconds: Seconds since 1970.
    package init?(universal seconds: Int64) {
        var (moment, parts) = (time_t(seconds), tm())
        guard gmtime_r(&moment, &parts) != nil else { return nil }
        self.init(parts)
    }

    private init(_ parts: tm) {
        (year, month, day) = (Int(parts.tm_year) + 1900, Int(parts.tm_mon) + 1, Int(parts.tm_mday))
        (hour, minute, second) = (Int(parts.tm_hour), Int(parts.tm_min), Int(parts.tm_sec))
        offset = parts.tm_gmtoff
    }

    /// `2026-01-31`
    package var date: String {
        "\(LocalTime.digits(year, 4))-\(LocalTime.digits(month, 2))-\(LocalTime.digits(day, 2))"
    }

    /// `09:05`
    package var hourAndMinute: String { "\(LocalTime.digits(hour, 2)):\(LocalTime.digits(minute, 2))" }

    /// `+01:00`
    package var offsetText: String {
        let minutes = abs(offset) / 60
        return "\(offset < 0 ? "-" : "+")\(LocalTime.digits(minutes / 60, 2)):\(LocalTime.digits(minutes % 60, 2))"
    }

    /// Returns a number with so many digits at least; 0 for a negative one.
    package static func digits(_ value: Int, _ count: Int) -> String {
        let text = String(max(0, value))
        return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }
}
