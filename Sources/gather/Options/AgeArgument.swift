// Lengths of time and moments as arguments.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit
internal import Metadata

/// A length of time as `fd` takes it: `10s`, `35min`, `2h30min`, `7d`, `2weeks`. A number alone counts seconds.
struct TimeSpan: Equatable {
    let milliseconds: Int

    private static let units: [(names: [String], milliseconds: Int)] = [
        (["ms", "msec", "millis"], 1), (["", "s", "sec", "secs", "second", "seconds"], 1_000),
        (["m", "min", "mins", "minute", "minutes"], 60_000), (["h", "hr", "hrs", "hour", "hours"], 3_600_000),
        (["d", "day", "days"], 86_400_000), (["w", "week", "weeks"], 604_800_000),
        // fd reads them with humantime: 30.44 and 365.25 days.
        (["M", "month", "months"], 2_630_016_000), (["y", "year", "years"], 31_557_600_000),
    ]

    init?(_ text: String) {
        var total = 0
        var rest = Substring(text)
        guard !rest.isEmpty else { return nil }
        while !rest.isEmpty {
            let number = rest.prefix { $0.isASCII && $0.isNumber || $0 == "." }
            rest = rest.dropFirst(number.count)
            let name = String(rest.prefix { $0.isASCII && $0.isLetter })
            rest = rest.dropFirst(name.count)
            while rest.first == " " { rest = rest.dropFirst() }
            guard let value = Double(number), value.isFinite,
                let unit = TimeSpan.units.first(where: { $0.names.contains(name) }),
                // A number without a unit must be the only part.
                !name.isEmpty || (total == 0 && rest.isEmpty),
                let part = Int(exactly: (value * Double(unit.milliseconds)).rounded())
            else { return nil }
            let (sum, overflow) = total.addingReportingOverflow(part)
            guard !overflow, sum <= TimeSpan.longest else { return nil }
            total = sum
        }
        milliseconds = total
    }

    /// The longest span, a thousand years. A longer one is a mistake.
    private static let longest = 31_557_600_000_000
}

/// The age of a change: a length of time before now, or a date.
struct AgeArgument: Equatable {
    /// The moment in the predicate language. A length of time follows the clock, so that a live query stays right.
    let moment: String
    /// The argument as it was typed.
    let typed: String

    init?(_ text: String) {
        typed = text
        if let date = AgeArgument.date(text) {
            moment = PredicateText.literal(date)
        } else if let span = TimeSpan(text), text.last?.isLetter == true {
            moment = "$time.now(-\((span.milliseconds + 999) / 1_000))"
        } else {
            return nil
        }
    }

    /// Reads `2026-01-31`, `2026-01-31 09:00`, `2026-01-31 09:00:00`, RFC 3339 or `@SECONDS`; nil for anything else.
    private static func date(_ text: String) -> String? {
        if text.hasPrefix("@") {
            return Int64(text.dropFirst()).map { Timestamp(seconds: $0, nanoseconds: 0).rfc3339 }
        }
        let bytes = Array(text.utf8)
        let shape = String(
            decoding: bytes.prefix(19).map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) ? 0x30 : $0 },
            as: UTF8.self)
        switch shape {
        case "0000-00-00": return text
        case "0000-00-00 00:00": return local(text + ":00")
        case "0000-00-00 00:00:00" where bytes.count == 19: return local(text)
        case "0000-00-00T00:00:00": return bytes.count == 19 ? local(text) : text
        default: return nil
        }
    }

    /// Returns a time in this machine's zone as RFC 3339 in UTC; nil if there is no such day.
    private static func local(_ text: String) -> String? {
        let numbers = text.split { !$0.isNumber }.compactMap { Int64($0) }
        guard numbers.count == 6, (1...12).contains(numbers[1]), numbers[3] < 24, numbers[4] < 60, numbers[5] < 60
        else {
            return nil
        }
        let days = Timestamp.days(fromYear: numbers[0], month: numbers[1], day: numbers[2])
        // 31 February would be a day in March.
        guard Timestamp.civil(fromDays: days) == (numbers[0], numbers[1], numbers[2]) else { return nil }
        let seconds = LocalZone.process.seconds(
            ofLocal: days * 86_400 + numbers[3] * 3_600 + numbers[4] * 60 + numbers[5])
        return Timestamp(seconds: seconds, nanoseconds: 0).rfc3339
    }
}
