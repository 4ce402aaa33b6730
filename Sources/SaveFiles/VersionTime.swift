// Points in time, as the names of conflict versions have them.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Metadata

/// Points in time, as the names of conflict versions have them: `YYYYMMDD-HHMMSS`.
package enum VersionTime {
    /// Seconds since 1970.
    package static var now: Int { time(nil) }

    /// Returns the text of a time in this machine's time zone, as Syncthing does.
    ///
    /// - Parameter seconds: Seconds since 1970.
    package static func local(_ seconds: Int) -> String { text(LocalTime(Int64(seconds))) }

    /// Returns the text of a time in UTC, which is the same on machines in several time zones.
    ///
    /// - Parameter seconds: Seconds since 1970.
    package static func universal(_ seconds: Int) -> String { text(LocalTime(universal: Int64(seconds))) }

    /// A year before 0 or after 9999 gives a text that no name of a version has.
    private static func text(_ time: LocalTime?) -> String {
        guard let time else { return "" }
        let date = [(time.year, 4), (time.month, 2), (time.day, 2)].map(LocalTime.digits).joined()
        return date + "-" + [time.hour, time.minute, time.second].map { LocalTime.digits($0, 2) }.joined()
    }
}
