// Whether events come so fast that they are read in lumps.
// SPDX-License-Identifier: Apache-2.0

/// Counts events. Where very many come, each iteration would find but a few of them, and cost more than their processing:
/// the loop's way through its descriptors and timers, a write to the journal, a directory that is opened for one name.
struct ReadPace {
    /// Over how long events are counted, in nanoseconds.
    private static let window: UInt64 = 8_000_000
    /// So many in a window are fast: 32,000 a second, which take some tenth of a processor one by one.
    private static let fast = 256

    private var start: UInt64 = 0
    private var count = 0
    /// Whether they came fast in the last window that is over.
    private(set) var isFast = false

    /// Notes that events were read.
    mutating func note(_ events: Int, now: UInt64) {
        if now &- start >= ReadPace.window {
            isFast = count >= ReadPace.fast && now &- start < 2 &* ReadPace.window
            start = now
            count = 0
        }
        count += events
    }
}
