// Local times, as the names of conflict versions have them.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Metadata

/// Local times, as the names of conflict versions have them: `YYYYMMDD-HHMMSS`.
enum LocalTime {
    /// Seconds since 1970.
    static var now: Int { time(nil) }

    /// The time with nanoseconds (`CLOCK_REALTIME`).
    static var timestamp: Timestamp {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return Timestamp(seconds: Int64(now.tv_sec), nanoseconds: Int64(now.tv_nsec))
    }

    /// Returns the text of a time in this machine's time zone (localtime_r(3)).
    static func text(_ seconds: Int) -> String {
        var (seconds, parts) = (time_t(seconds), tm())
        tzset()
        localtime_r(&seconds, &parts)
        func digits(_ value: Int32, _ count: Int) -> String {
            let text = String(max(0, value))
            return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
        }
        return digits(parts.tm_year + 1900, 4) + digits(parts.tm_mon + 1, 2) + digits(parts.tm_mday, 2) + "-"
            + digits(parts.tm_hour, 2) + digits(parts.tm_min, 2) + digits(parts.tm_sec, 2)
    }
}
