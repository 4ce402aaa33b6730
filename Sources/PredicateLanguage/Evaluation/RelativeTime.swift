// Times relative to now, as text: '-7d', '2h 30min ago', 'yesterday'.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// Reads times relative to now as systemd.time(7) writes them: a signed span of time, or the name of a day.
enum RelativeTime {
    /// The names of days and of the moment, which may also stand without quotes beside a date.
    static func named(_ word: String, in zone: LocalZone) -> TimeExpression? {
        switch word.lowercased() {
        case "now": TimeExpression(.now)
        case "today": TimeExpression(.day, in: zone)
        case "yesterday": TimeExpression(.day, -1, in: zone)
        case "tomorrow": TimeExpression(.day, 1, in: zone)
        default: nil
        }
    }

    /// The time that a text names; nil where it names none.
    static func time(_ text: String, in zone: LocalZone) -> TimeExpression? {
        named(text, in: zone) ?? seconds(text).map { TimeExpression(.now, $0) }
    }

    /// The furthest time, in seconds: a million years, as for `$time.now(n)`.
    private static let furthest: Int64 = 1 << 45

    /// The seconds from now of `-7d`, `+1h30min` or `2 weeks ago`; nil for anything else, and beyond ``furthest``.
    static func seconds(_ text: String) -> Int64? {
        var rest = Substring(text)
        var sign: Int64?
        if let first = rest.first, first == "-" || first == "+" {
            sign = first == "-" ? -1 : 1
            rest.removeFirst()
        } else if rest.lowercased().hasSuffix(" ago") {
            sign = -1
            rest.removeLast(4)
        }
        guard let sign, !rest.isEmpty else { return nil }
        var sum: Int64 = 0
        while !rest.isEmpty {
            let digits = rest.prefix { ("0"..."9").contains($0) }
            rest = rest.dropFirst(digits.count).drop { $0 == " " }
            let letters = rest.prefix(while: \.isLetter)
            rest = rest.dropFirst(letters.count).drop { $0 == " " }
            guard let count = Int64(digits), let unit = unit(letters) else { return nil }
            let (product, overflow) = count.multipliedReportingOverflow(by: unit)
            let (total, overflow2) = sum.addingReportingOverflow(product)
            guard !overflow, !overflow2, total < furthest else { return nil }
            sum = total
        }
        return sign * sum
    }

    /// The seconds of a unit. Months and years have their mean length; `m` is a minute and `M` a month.
    private static func unit(_ name: Substring) -> Int64? {
        if name == "M" { return 2_629_800 }
        return switch name.lowercased() {
        case "s", "sec", "second", "seconds": 1
        case "m", "min", "mins", "minute", "minutes": 60
        case "h", "hr", "hour", "hours": 3_600
        case "d", "day", "days": 86_400
        case "w", "week", "weeks": 604_800
        case "month", "months": 2_629_800
        case "y", "year", "years": 31_557_600
        default: nil
        }
    }
}
