// Converts points in time between Foundation and Gather.
// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import GatherKit

extension Timestamp {
    /// Makes a timestamp from a Foundation date, to the nearest nanosecond. Dates before 1678 or after 2262 are
    /// clamped.
    public init(_ date: Date) {
        let seconds = date.timeIntervalSince1970
        guard let whole = Int64(exactly: seconds.rounded(.down)) else {
            self.init(nanoseconds: seconds < 0 ? .min : .max)
            return
        }
        let fraction = (seconds - seconds.rounded(.down)) * 1_000_000_000
        self.init(seconds: whole, nanoseconds: Int64(fraction.rounded()))
    }
}

extension Date {
    /// Makes a Foundation date from a timestamp, with a precision of about a tenth of a microsecond.
    public init(_ timestamp: Timestamp) {
        let (seconds, rest) = timestamp.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        self.init(timeIntervalSince1970: Double(seconds) + Double(rest) / 1_000_000_000)
    }
}
