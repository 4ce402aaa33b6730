// A time as a person reads it.
// SPDX-License-Identifier: Apache-2.0

package import GatherDocuments
internal import Metadata

extension Timestamp {
    /// The date and the time of day in the time zone of the process, to the minute.
    package var localText: String {
        LocalTime(nanoseconds / 1_000_000_000).map { "\($0.date) \($0.hourAndMinute)" } ?? rfc3339
    }
}
