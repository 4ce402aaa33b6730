// A point in time, and its RFC 3339 text.
// SPDX-License-Identifier: Apache-2.0

/// A point in time: nanoseconds since 1970-01-01T00:00:00Z, from the year 1677 to 2262. Earlier times count as the
/// first of this range and later ones as the last.
public struct Timestamp: Sendable, Hashable, Comparable {
    /// Nanoseconds since 1970-01-01T00:00:00Z.
    public var nanoseconds: Int64

    /// Makes a time from nanoseconds since the epoch.
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// Makes a time from the parts that statx(2) returns. A time out of range is clamped.
    public init(seconds: Int64, nanoseconds: Int64) {
        // Only the sum tells whether a time is in range, since the range begins within a second.
        let sum = Int128(seconds) * Int128(Timestamp.perSecond) + Int128(nanoseconds)
        self.nanoseconds = Int64(clamping: sum)
    }

    /// The earlier time comes first.
    public static func < (a: Timestamp, b: Timestamp) -> Bool { a.nanoseconds < b.nanoseconds }

    static let perSecond: Int64 = 1_000_000_000
}

extension Timestamp {
    /// Appends the RFC 3339 text in UTC with nine fractional digits: `2026-01-31T09:00:00.000000000Z`.
    public func appendRFC3339(to bytes: inout [UInt8]) {
        var seconds = nanoseconds / Timestamp.perSecond
        var fraction = nanoseconds % Timestamp.perSecond
        if fraction < 0 {
            fraction += Timestamp.perSecond
            seconds -= 1
        }
        var days = seconds / 86_400
        var rest = seconds % 86_400
        if rest < 0 {
            rest += 86_400
            days -= 1
        }
        let (year, month, day) = Timestamp.civil(fromDays: days)
        func append(_ value: Int64, digits: Int) {
            var divisor: Int64 = 1
            for _ in 1..<digits { divisor *= 10 }
            for _ in 0..<digits {
                bytes.append(UInt8(48 + (value / divisor) % 10))
                divisor /= 10
            }
        }
        append(year, digits: 4)
        bytes.append(UInt8(ascii: "-"))
        append(month, digits: 2)
        bytes.append(UInt8(ascii: "-"))
        append(day, digits: 2)
        bytes.append(UInt8(ascii: "T"))
        append(rest / 3600, digits: 2)
        bytes.append(UInt8(ascii: ":"))
        append(rest / 60 % 60, digits: 2)
        bytes.append(UInt8(ascii: ":"))
        append(rest % 60, digits: 2)
        bytes.append(UInt8(ascii: "."))
        append(fraction, digits: 9)
        bytes.append(UInt8(ascii: "Z"))
    }

    /// The RFC 3339 text in UTC with nanoseconds.
    public var rfc3339: String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(30)
        appendRFC3339(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads an RFC 3339 date and time with a zone (`Z` or `+hh:mm`). A fraction is kept to nanoseconds. A blank or a
    /// lower-case `t` may replace the `T`. A time out of range is clamped. Nil for any other text.
    public init?(rfc3339 text: some StringProtocol) {
        let bytes = Array(text.utf8)
        var index = 0
        func digits(_ count: Int) -> Int64? {
            guard index + count <= bytes.count else { return nil }
            var value: Int64 = 0
            for byte in bytes[index..<index + count] {
                guard byte >= 48, byte <= 57 else { return nil }
                value = value * 10 + Int64(byte - 48)
            }
            index += count
            return value
        }
        func skip(_ allowed: StaticString) -> Bool {
            guard index < bytes.count, allowed.withUTF8Buffer({ $0.contains(bytes[index]) }) else { return false }
            index += 1
            return true
        }
        guard let year = digits(4), skip("-"), let month = digits(2), skip("-"), let day = digits(2), skip("Tt "),
            let hour = digits(2), skip(":"), let minute = digits(2), skip(":"), let second = digits(2),
            (1...12).contains(month), day >= 1, day <= Timestamp.days(inMonth: month, year: year), hour < 24,
            minute < 60,
            second <= 60
        else { return nil }
        var fraction: Int64 = 0
        if skip(".") {
            var scale = Timestamp.perSecond / 10
            let start = index
            while let digit = digits(1) {
                fraction += digit * scale
                scale /= 10
            }
            guard index > start else { return nil }
        }
        var offset: Int64 = 0
        if !skip("Zz") {
            let negative: Bool
            if skip("+") { negative = false } else if skip("-") { negative = true } else { return nil }
            guard let hours = digits(2), skip(":"), let minutes = digits(2), hours < 24, minutes < 60 else {
                return nil
            }
            offset = (hours * 60 + minutes) * (negative ? -60 : 60)
        }
        guard index == bytes.count else { return nil }
        let days = Timestamp.days(fromYear: year, month: month, day: day)
        let seconds = days * 86_400 + hour * 3600 + minute * 60 + second - offset
        self.init(seconds: seconds, nanoseconds: fraction)
    }

    /// Days in a month of the Gregorian calendar.
    public static func days(inMonth month: Int64, year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    // Days since the epoch and back, after Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms". The year
    // begins in March, so that the leap day is its last.

    /// Returns the days from 1970-01-01 to a date of the proleptic Gregorian calendar.
    public static func days(fromYear year: Int64, month: Int64, day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// Returns the date this many days after 1970-01-01.
    public static func civil(fromDays days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (
            yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        )
    }
}
