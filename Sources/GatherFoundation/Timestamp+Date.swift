// Points in time, as Foundation has them and as Gather does.
// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import GatherKit

extension Timestamp {
    /// A date of Foundation, to the nearest nanosecond that it tells; what is before 1678 or after 2262 is clamped.
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
    /// A point in time of Gather, as precisely as a date of Foundation can be: to a tenth of a microsecond or so.
    public init(_ timestamp: Timestamp) {
        let (seconds, rest) = timestamp.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        self.init(timeIntervalSince1970: Double(seconds) + Double(rest) / 1_000_000_000)
    }
}
