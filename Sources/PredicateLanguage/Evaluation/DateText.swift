// Dates as people and programs write them in a predicate.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Metadata

/// Reads the dates that a predicate may name: RFC 3339 with a zone, or a date alone, which is its midnight here.
enum DateText {
    static func timestamp(_ text: String) -> Timestamp? {
        if let timestamp = Timestamp(rfc3339: text) { return timestamp }
        let bytes = Array(text.utf8)
        guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-") else { return nil }
        func number(_ range: Range<Int>) -> Int64? {
            var value: Int64 = 0
            for byte in bytes[range] {
                guard byte.isDigit else { return nil }
                value = value * 10 + Int64(byte - 0x30)
            }
            return value
        }
        guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10), (1...12).contains(month),
            (1...Timestamp.days(inMonth: month, year: year)).contains(day), (1678...2262).contains(year)
        else { return nil }
        return LocalCalendar.midnight(year: year, month: month, day: day)
    }

    static func error(_ text: String, at position: Int) -> PredicateError {
        let shown = text.utf8.count <= 40 ? "'\(text)'" : "this text"
        return PredicateError(
            "\(shown) is no date; write '2026-01-31T09:00:00Z', with Z or +01:00, or '2026-01-31' for its midnight here",
            at: position)
    }
}
