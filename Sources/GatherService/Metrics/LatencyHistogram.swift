// A histogram of durations.
// SPDX-License-Identifier: Apache-2.0

/// Counts durations in fixed buckets, six to a power of ten, from ten microseconds to ten seconds. Counting takes a few
/// comparisons and no allocation.
struct LatencyHistogram {
    /// The upper bounds of the buckets, in nanoseconds. Longer durations have a bucket of their own.
    static let bounds: [UInt64] =
        (4...9).flatMap { exponent -> [UInt64] in
            let decade = (0..<exponent).reduce(1 as UInt64) { power, _ in power * 10 }
            return [10, 15, 20, 30, 50, 70].map { decade / 10 * $0 }
        } + [10_000_000_000]

    /// The number of durations in each bucket. The last bucket is above all bounds.
    private(set) var counts = [UInt64](repeating: 0, count: bounds.count + 1)
    private(set) var nanoseconds: UInt64 = 0

    /// The number of durations.
    var count: UInt64 { counts.reduce(0, +) }

    /// Counts a duration in nanoseconds.
    mutating func note(_ duration: UInt64) {
        var low = 0
        var high = LatencyHistogram.bounds.count
        while low < high {
            let middle = (low + high) / 2
            if duration <= LatencyHistogram.bounds[middle] { high = middle } else { low = middle + 1 }
        }
        counts[low] &+= 1
        nanoseconds &+= duration
    }
}
