// Days, weeks, months and years of the local time zone.
// SPDX-License-Identifier: Apache-2.0

import Glibc
package import Metadata

/// The calendar of a time zone.
struct LocalCalendar {
    let zone: LocalZone

    init(_ zone: LocalZone) { self.zone = zone }

    /// The first moment of a day: the first of two midnights, and the first moment after one that is skipped. Month and day outside
    /// their ranges are carried.
    func midnight(year: Int64, month: Int64, day: Int64) -> Timestamp {
        Timestamp(seconds: time(year: year, month: month, day: day), nanoseconds: 0)
    }

    /// The seconds since 1970 of a local time. Fields outside their ranges are carried.
    func time(
        year: Int64, month: Int64, day: Int64, hour: Int64 = 0, minute: Int64 = 0, second: Int64 = 0
    ) -> Int64 {
        let midnight = days(year: year, month: month, day: day) * 86_400
        let second = hour * 3_600 + minute * 60 + second
        return second == 0 ? zone.first(ofLocal: midnight) : zone.seconds(ofLocal: midnight + second)
    }

    private func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let months = month - 1
        let years = (months >= 0 ? months : months - 11) / 12
        // A year outside a timestamp's range is clamped before it can overflow.
        let year = min(max(year + years, -10_000), 20_000)
        return Timestamp.days(fromYear: year, month: months - years * 12 + 1, day: 1) + day - 1
    }

    /// The local date of a moment, with its day of the week (0 is Sunday).
    func date(of moment: Timestamp) -> (year: Int64, month: Int64, day: Int64, weekday: Int64) {
        func floored(_ number: Int64, by divisor: Int64) -> Int64 {
            number / divisor - (number % divisor < 0 ? 1 : 0)
        }
        let days = floored(zone.local(at: floored(moment.nanoseconds, by: 1_000_000_000)), by: 86_400)
        let date = Timestamp.civil(fromDays: days)
        // 1 January 1970 was a Thursday.
        return (date.year, date.month, date.day, ((days + 4) % 7 + 7) % 7)
    }
}

extension TimeExpression {
    /// The moment that it stands for, seen from `now`; for a unit, its first moment.
    package func start(from now: Timestamp) -> Timestamp { start(from: now, count: count) }

    /// The first moment after the unit; nil for `now`, which is an instant. An expression without a count gets another
    /// meaning at this moment.
    package func end(from now: Timestamp) -> Timestamp? {
        unit == .now ? nil : start(from: now, count: count == .max ? count : count + 1)
    }

    private func start(from now: Timestamp, count: Int64) -> Timestamp {
        if unit == .now {
            let (offset, overflow) = count.multipliedReportingOverflow(by: 1_000_000_000)
            let (sum, overflow2) = now.nanoseconds.addingReportingOverflow(offset)
            return Timestamp(nanoseconds: overflow || overflow2 ? (count < 0 ? .min : .max) : sum)
        }
        // Beyond 300,000 units every day lies outside a timestamp's range.
        let count = min(max(count, -300_000), 300_000)
        let calendar = LocalCalendar(zone)
        let date = calendar.date(of: now)
        switch unit {
        case .now: return now
        case .day: return calendar.midnight(year: date.year, month: date.month, day: date.day + count)
        case .week:
            // Weeks begin on Monday (ISO 8601).
            let day = date.day - (date.weekday + 6) % 7 + 7 * count
            return calendar.midnight(year: date.year, month: date.month, day: day)
        case .month: return calendar.midnight(year: date.year, month: date.month + count, day: 1)
        case .year: return calendar.midnight(year: date.year + count, month: 1, day: 1)
        }
    }
}

extension Timestamp {
    /// The local date, as `2026-01-31`.
    func localDay(in zone: LocalZone) -> String {
        let date = LocalCalendar(zone).date(of: self)
        func two(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
        return "\(date.year)-\(two(date.month))-\(two(date.day))"
    }

    /// The current time, for an evaluation without a given moment.
    static var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
    }
}
