// The daemon's one clock against the clock of each index.
// SPDX-License-Identifier: Apache-2.0

/// Maps the daemon's sequence to an index's own clock at that time. Each tick of the index, one change set, is noted
/// with the daemon's sequence from then on.
struct ClockMap {
    /// The index's clock before the first noted tick.
    private var base: UInt64
    /// The daemon's sequence at each tick since `base`, ascending.
    private var sequences: [UInt64] = []
    /// Ticks at or before this sequence are no longer told apart.
    private var floor: UInt64 = 0

    /// More ticks than the index's change log can hold, at one change each, are of no use.
    static let maximumTicks = 262_144

    /// A map that knows nothing before a sequence of the daemon.
    init(indexClock: UInt64, floor: UInt64 = 0) {
        base = indexClock
        self.floor = floor
    }

    /// A map with known ticks: the daemon's sequence at each tick since the clock `base`.
    init(base: UInt64, floor: UInt64, sequences: [UInt64]) {
        self.base = base
        self.floor = floor
        self.sequences = sequences
    }

    /// Notes one tick of the index.
    mutating func note(_ sequence: UInt64) {
        sequences.append(sequence)
        // Dropped by halves, so that the cost of moving the rest is spread.
        if sequences.count > 2 * ClockMap.maximumTicks {
            floor = sequences[ClockMap.maximumTicks - 1]
            sequences.removeFirst(ClockMap.maximumTicks)
            base += UInt64(ClockMap.maximumTicks)
        }
    }

    /// The index's clock at a sequence of the daemon; nil where that was too long ago. Complexity: O(log n).
    func indexClock(at sequence: UInt64) -> UInt64? {
        guard sequence >= floor else { return nil }
        var low = 0
        var high = sequences.count
        while low < high {
            let middle = (low + high) / 2
            if sequences[middle] <= sequence { low = middle + 1 } else { high = middle }
        }
        return base + UInt64(low)
    }
}
