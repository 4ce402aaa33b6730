// Values as text for people and for programs.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit
internal import Metadata

/// Values as text: short for terminals, exact for pipes.
enum Readable {
    /// `1.2k`, `34M`, as `ls --si` prints sizes: the units are those of `-S` and of a predicate's `KB` and `MB`.
    static func size(_ bytes: Int64) -> String {
        guard bytes >= 1000 else { return "\(bytes)" }
        var value = Double(bytes)
        var unit = 0
        let units = ["", "k", "M", "G", "T", "P", "E"]
        // A value that rounds to 1000 is printed in the next unit.
        while value >= 999.5, unit < units.count - 1 {
            value /= 1000
            unit += 1
        }
        let rounded = (value * 10).rounded(.up) / 10
        return rounded < 10 ? "\(rounded)\(units[unit])" : "\(Int(value.rounded()))\(units[unit])"
    }

    /// `1,234,567`
    static func count(_ number: Int) -> String {
        var digits = String(number.magnitude)
        var groups: [String] = []
        while digits.count > 3 {
            groups.insert(String(digits.suffix(3)), at: 0)
            digits.removeLast(3)
        }
        return (number < 0 ? "-" : "") + ([digits] + groups).joined(separator: ",")
    }

    /// `1 item`, `1,234 items`
    static func count(_ number: Int, _ one: String, _ many: String) -> String {
        "\(count(number)) \(number == 1 ? one : many)"
    }

    /// `12.345`: microseconds as milliseconds.
    static func milliseconds(_ microseconds: Int) -> String {
        let rest = String(microseconds % 1_000)
        return "\(microseconds / 1_000)." + String(repeating: "0", count: 3 - rest.count) + rest
    }

    /// `2026-01-31 09:00`, in the zone of this machine.
    static func time(_ time: Timestamp) -> String {
        LocalTime(time.nanoseconds / 1_000_000_000).map { "\($0.date) \($0.hourAndMinute)" } ?? time.rfc3339
    }

    /// Returns the whole seconds between two times; 0 if the second is earlier or the span overflows.
    static func seconds(from start: Timestamp, to end: Timestamp) -> Int64 {
        let (span, overflow) = end.nanoseconds.subtractingReportingOverflow(start.nanoseconds)
        return overflow ? 0 : max(0, span / 1_000_000_000)
    }

    /// `45 s`, `12 min`, `3 h 12 min`, `8 d 3 h`.
    static func span(from start: Timestamp, to end: Timestamp) -> String {
        let seconds = seconds(from: start, to: end)
        let (minutes, hours) = (seconds / 60, seconds / 3_600)
        if seconds < 60 { return "\(seconds) s" }
        if minutes < 60 { return "\(minutes) min" }
        if hours < 24 { return "\(hours) h \(minutes % 60) min" }
        return "\(hours / 24) d \(hours % 24) h"
    }

    /// Returns an attribute's value for a terminal.
    static func value(_ attribute: Attribute, of item: MetadataItem) -> String {
        switch (attribute, item.value(forAttribute: attribute)) {
        case (_, .none): ""
        case (.path, _): DisplayText.escaped(item.pathBytes ?? [])
        case (.name, _): DisplayText.escaped(item.nameBytes ?? [])
        case (.size, .integer(let bytes)): size(bytes)
        case (.mode, .integer(let mode)): mode8(mode)
        case (_, .date(let date)): time(date)
        case (_, let value): DisplayText.escaped(plain(value))
        }
    }

    /// Returns an attribute's value for a pipe: its own bytes, dates as RFC 3339, several values with commas.
    static func bytes(_ attribute: Attribute, of item: MetadataItem) -> [UInt8] {
        switch (attribute, item.value(forAttribute: attribute)) {
        case (.path, _): item.pathBytes ?? []
        case (.name, _): item.nameBytes ?? []
        case (.mode, .integer(let mode)): Array(mode8(mode).utf8)
        case (_, let value): Array(plain(value).utf8)
        }
    }

    /// Returns a value for a program, exact.
    static func exact(_ value: MetadataValue, of attribute: Attribute? = nil) -> String {
        if attribute == .mode, case .integer(let mode) = value { return mode8(mode) }
        return plain(value)
    }

    private static func mode8(_ mode: Int64) -> String {
        let text = String(mode, radix: 8)
        return String(repeating: "0", count: max(0, 4 - text.count)) + text
    }

    private static func plain(_ value: MetadataValue) -> String {
        switch value {
        case .none: ""
        case .boolean(let value): value ? "true" : "false"
        case .integer(let value): String(value)
        case .unsigned(let value): String(value)
        case .number(let value): String(value)
        case .string(let value): value
        case .date(let value): value.rfc3339
        case .array(let values): values.map(plain).joined(separator: ",")
        case .dictionary(let values):
            values.sorted { $0.key < $1.key }.map { "\($0.key)=\(plain($0.value))" }.joined(separator: ",")
        }
    }
}
