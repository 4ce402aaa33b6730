// Points in time, as the names of conflict versions have them.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Points in time, as the names of conflict versions have them: `YYYYMMDD-HHMMSS`.
package enum VersionTime {
    /// Seconds since 1970.
    package static var now: Int { time(nil) }

    /// Returns the text of a time in this machine's time zone (localtime_r(3)), as Syncthing does.
    ///
    /// - Parameter seconds: Seconds since 1970.
    package static func local(_ seconds: Int) -> String {
        var (seconds, parts) = (time_t(seconds), tm())
        tzset()
        localtime_r(&seconds, &parts)
        return text(parts)
    }

    /// Returns the text of a time in UTC, which is the same on machines in several time zones.
    ///
    /// - Parameter seconds: Seconds since 1970.
    package static func universal(_ seconds: Int) -> String {
        var (seconds, parts) = (time_t(seconds), tm())
        gmtime_r(&seconds, &parts)
        return text(parts)
    }

    /// A year before 0 or after 9999 gives a text that no name of a version has.
    private static func text(_ parts: tm) -> String {
        func digits(_ value: Int, _ count: Int) -> String {
            let text = String(max(0, value))
            return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
        }
        return digits(Int(parts.tm_year) + 1900, 4) + digits(Int(parts.tm_mon) + 1, 2) + digits(Int(parts.tm_mday), 2)
            + "-" + digits(Int(parts.tm_hour), 2) + digits(Int(parts.tm_min), 2) + digits(Int(parts.tm_sec), 2)
    }
}
