// A time as a person reads it.
// SPDX-License-Identifier: Apache-2.0

package import GatherDocuments
internal import Glibc

extension Timestamp {
    /// The date and the time of day in the time zone of the process, to the minute.
    package var localText: String {
        var seconds = time_t(nanoseconds / 1_000_000_000)
        var parts = tm()
        tzset()
        guard localtime_r(&seconds, &parts) != nil else { return rfc3339 }
        func two(_ number: CInt) -> String { (number < 10 ? "0" : "") + "\(number)" }
        return "\(Int(parts.tm_year) + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday)) "
            + "\(two(parts.tm_hour)):\(two(parts.tm_min))"
    }
}
