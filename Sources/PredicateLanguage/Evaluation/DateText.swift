// Dates as people and programs write them in a predicate.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Metadata

/// Reads the dates that a predicate may name: RFC 3339, and the output of `gather show` and `gather find`.
///
/// A text without a zone is local time; a date alone is its local midnight. A date that ``Timestamp`` cannot hold is the first or the
/// last one that it can.
enum DateText {
    /// How exact a text is. `==` compares nanoseconds, so that such a text rarely equals a time.
    enum Precision: Int64 {
        case second = 1
        case minute = 60
        case day = 86_400

        /// The first moment after the second, minute or local day that begins at `start`.
        func end(of start: Timestamp, in zone: LocalZone) -> Timestamp {
            if self == .day {
                let calendar = LocalCalendar(zone)
                let date = calendar.date(of: start)
                return calendar.midnight(year: date.year, month: date.month, day: date.day + 1)
            }
            let (sum, overflow) = start.nanoseconds.addingReportingOverflow(rawValue * 1_000_000_000)
            return Timestamp(nanoseconds: overflow ? .max : sum)
        }
    }

    static func timestamp(_ text: String, in zone: LocalZone) -> Timestamp? {
        if let timestamp = Timestamp(rfc3339: text) { return timestamp }
        return parts(text).flatMap { timestamp($0, in: zone) }
    }

    /// Whether a text is a date whose moment depends on the zone.
    static func isLocal(_ text: String) -> Bool {
        Timestamp(rfc3339: text) == nil && parts(text).map { $0.zone == nil } ?? false
    }

    /// The precision of a text; nil for a text with a fraction of a second, and for one that is no date.
    static func precision(of text: String) -> Precision? {
        guard timestamp(text, in: .process) != nil else { return nil }
        if text.utf8.count == 10 { return .day }
        if text.utf8.contains(UInt8(ascii: ".")) { return nil }
        // An RFC 3339 text has seconds.
        return parts(text).map { $0.second == nil ? .minute : .second } ?? .second
    }

    /// The fields of `2026-01-31`, `2026-01-31 09:00`, `2026-01-31 09:00:00.5` and `2026-01-31T09:00:00 +0100`.
    private struct Parts {
        var year: Int64, month: Int64, day: Int64
        var hour: Int64 = 0, minute: Int64 = 0
        var second: Int64?
        var nanoseconds: Int64 = 0
        /// Seconds east of UTC; nil for local time.
        var zone: Int64?
    }

    private static func parts(_ text: String) -> Parts? {
        var rest = Array(text.utf8)[...]
        func number(_ count: Int) -> Int64? {
            guard rest.count >= count else { return nil }
            var value: Int64 = 0
            for byte in rest.prefix(count) {
                guard byte.isDigit else { return nil }
                value = value * 10 + Int64(byte - 0x30)
            }
            rest = rest.dropFirst(count)
            return value
        }
        func skip(_ allowed: String) -> Bool {
            guard let byte = rest.first, allowed.utf8.contains(byte) else { return false }
            rest = rest.dropFirst()
            return true
        }
        guard let year = number(4), skip("-"), let month = number(2), skip("-"), let day = number(2),
            (1...12).contains(month), (1...Timestamp.days(inMonth: month, year: year)).contains(day)
        else { return nil }
        var parts = Parts(year: year, month: month, day: day)
        if rest.isEmpty { return parts }
        guard skip("Tt "), let hour = number(2), skip(":"), let minute = number(2), hour < 24, minute < 60 else {
            return nil
        }
        (parts.hour, parts.minute) = (hour, minute)
        if skip(":") {
            guard let second = number(2), second <= 60 else { return nil }
            parts.second = second
            if skip(".") {
                var scale: Int64 = 100_000_000
                guard let first = rest.first, first.isDigit else { return nil }
                while let digit = number(1) {
                    parts.nanoseconds += digit * scale
                    scale /= 10
                }
            }
        }
        if rest.isEmpty { return parts }
        _ = skip(" ")
        if skip("Zz") {
            parts.zone = 0
        } else {
            let isWest = rest.first == UInt8(ascii: "-")
            guard skip("+-"), let hours = number(2) else { return nil }
            _ = skip(":")
            guard let minutes = number(2), hours < 24, minutes < 60 else { return nil }
            parts.zone = (hours * 60 + minutes) * (isWest ? -60 : 60)
        }
        return rest.isEmpty ? parts : nil
    }

    private static func timestamp(_ parts: Parts, in local: LocalZone) -> Timestamp? {
        guard let zone = parts.zone else {
            let second = LocalCalendar(local).time(
                year: parts.year, month: parts.month, day: parts.day, hour: parts.hour, minute: parts.minute,
                second: parts.second ?? 0)
            return Timestamp(seconds: second, nanoseconds: parts.nanoseconds)
        }
        let days = Timestamp.days(fromYear: parts.year, month: parts.month, day: parts.day)
        let seconds = days * 86_400 + parts.hour * 3_600 + parts.minute * 60 + (parts.second ?? 0) - zone
        return Timestamp(seconds: seconds, nanoseconds: parts.nanoseconds)
    }

    static func error(_ text: String, at position: Int) -> PredicateError {
        let shown = text.utf8.count <= 40 ? "'\(text)'" : "this text"
        return PredicateError(
            "\(shown) is no date; write '2026-01-31', '2026-01-31 09:00', '2026-01-31T09:00:00Z', 'yesterday' or '-7d'",
            at: position)
    }
}
