// Arithmetic on numbers from outside, which cannot trap.
// SPDX-License-Identifier: Apache-2.0

extension Int64 {
    /// Returns the sum, or the nearest number if that is out of range.
    func clampedAdding(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other > 0 ? .max : .min) : sum
    }

    /// Returns the difference, or the nearest number if that is out of range.
    func clampedSubtracting(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }

    /// Returns this many in so many seconds, for each second.
    func perSecond(_ seconds: Double) -> Int64 { Int64(exactly: (Double(self) / seconds).rounded()) ?? .max }
}
