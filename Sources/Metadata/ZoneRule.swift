// The rule of a time zone as text, as tzset(3) and the ends of zone files have it.
// SPDX-License-Identifier: Apache-2.0

/// A rule such as `CET-1CEST,M3.5.0,M10.5.0/3`: an offset, and the yearly days at which another one begins and ends.
struct ZoneRule: Sendable {
    /// The most seconds by which a zone differs from UTC, as tzset(3) reads them: `24:59:59`.
    static let largestOffset = 89_999
    /// The most hours of a day at which the offset changes (RFC 9636).
    private static let largestHour: Int64 = 167

    /// The day of a change, and the seconds after its midnight.
    private struct Change {
        enum Day {
            /// 1 to 365; 29 February is never counted.
            case ofCommonYear(Int64)
            /// 0 to 365.
            case ofYear(Int64)
            /// The month, the week from 1 to 5 (the last), and the day of the week; 0 is Sunday.
            case ofWeek(month: Int64, week: Int64, weekday: Int64)
        }

        let day: Day
        let time: Int64

        /// The local time of the change in a year, in seconds as if it were UTC.
        func local(in year: Int64) -> Int64 {
            let start = Timestamp.days(fromYear: year, month: 1, day: 1)
            let days: Int64
            switch day {
            case .ofYear(let day): days = start + day
            case .ofCommonYear(let day):
                let isLeap = Timestamp.days(inMonth: 2, year: year) == 29
                days = start + day - 1 + (isLeap && day >= 60 ? 1 : 0)
            case .ofWeek(let month, let week, let weekday):
                let first = Timestamp.days(fromYear: year, month: month, day: 1)
                // 1 January 1970 was a Thursday.
                let firstWeekday = ((first + 4) % 7 + 7) % 7
                var day = (weekday - firstWeekday + 7) % 7 + 7 * (week - 1)
                if day >= Timestamp.days(inMonth: month, year: year) { day -= 7 }
                days = first + day
            }
            return days * 86_400 + time
        }
    }

    let text: String
    private let standard: Int64
    private let daylight: (offset: Int64, start: Change, end: Change)?

    /// Reads a rule; nil for another text. Without days, daylight saving time has those of the United States, as in the C
    /// library.
    init?(_ text: String) {
        self.text = text
        var reader = Reader(rest: Array(text.utf8)[...])
        guard reader.name(), let west = reader.time(largestHour: 24) else { return nil }
        standard = -west
        if reader.rest.isEmpty {
            daylight = nil
            return
        }
        guard reader.name() else { return nil }
        var offset = standard + 3_600
        if let first = reader.rest.first, first != UInt8(ascii: ",") {
            guard let west = reader.time(largestHour: 24) else { return nil }
            offset = -west
        }
        if reader.rest.isEmpty { reader.rest = Array(",M3.2.0,M11.1.0".utf8)[...] }
        guard reader.skip(","), let start = reader.change(), reader.skip(","), let end = reader.change(),
            reader.rest.isEmpty
        else { return nil }
        daylight = (offset, start, end)
    }

    /// Returns the seconds by which local time is ahead of UTC.
    func offset(at moment: Int64) -> Int64 {
        guard let daylight else { return standard }
        // Beyond a timestamp's range by far, so that nothing overflows.
        let moment = min(max(moment, -1 << 40), 1 << 40)
        let days = (moment + standard) >= 0 ? (moment + standard) / 86_400 : (moment + standard - 86_399) / 86_400
        let year = Timestamp.civil(fromDays: days).year
        // The last change before the moment. Where one season lasts the whole year, it begins as the other ends.
        var last = (moment: Int64.min, isDaylight: false)
        for year in year - 1...year + 1 {
            let end = daylight.end.local(in: year) - daylight.offset
            let start = daylight.start.local(in: year) - standard
            if end <= moment, end > last.moment { last = (end, false) }
            if start <= moment, start >= last.moment { last = (start, true) }
        }
        return last.isDaylight ? daylight.offset : standard
    }

    /// Reads the parts of a rule.
    private struct Reader {
        var rest: ArraySlice<UInt8>

        private func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

        mutating func skip(_ character: Unicode.Scalar) -> Bool {
            guard rest.first == UInt8(ascii: character) else { return false }
            rest.removeFirst()
            return true
        }

        /// Skips a name: three letters at least, or other characters in `<` and `>`.
        mutating func name() -> Bool {
            func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) }
            let isQuoted = skip("<")
            let name = rest.prefix {
                isLetter($0) || isQuoted && (isDigit($0) || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-"))
            }
            rest = rest.dropFirst(name.count)
            return name.count >= 3 && (!isQuoted || skip(">"))
        }

        mutating func number(_ range: ClosedRange<Int64>) -> Int64? {
            let digits = rest.prefix(while: isDigit)
            guard !digits.isEmpty, digits.count <= 3 else { return nil }
            rest = rest.dropFirst(digits.count)
            let value = digits.reduce(Int64(0)) { $0 * 10 + Int64($1 - 0x30) }
            return range.contains(value) ? value : nil
        }

        /// Reads `[+-]HH[:MM[:SS]]` as seconds.
        mutating func time(largestHour: Int64) -> Int64? {
            let sign: Int64 = skip("-") ? -1 : 1
            if sign > 0 { _ = skip("+") }
            guard var seconds = number(0...largestHour).map({ $0 * 3_600 }) else { return nil }
            if skip(":") {
                guard let minutes = number(0...59) else { return nil }
                seconds += minutes * 60
                if skip(":") {
                    guard let rest = number(0...59) else { return nil }
                    seconds += rest
                }
            }
            return sign * seconds
        }

        mutating func change() -> Change? {
            guard let day = day() else { return nil }
            guard skip("/") else { return Change(day: day, time: 7_200) }
            return time(largestHour: ZoneRule.largestHour).map { Change(day: day, time: $0) }
        }

        private mutating func day() -> Change.Day? {
            if skip("J") { return number(1...365).map { .ofCommonYear($0) } }
            guard skip("M") else { return number(0...365).map { .ofYear($0) } }
            guard let month = number(1...12), skip("."), let week = number(1...5), skip("."),
                let weekday = number(0...6)
            else { return nil }
            return .ofWeek(month: month, week: week, weekday: weekday)
        }
    }
}
