// The known clocks of earlier runs of the daemon.
// SPDX-License-Identifier: Apache-2.0

/// The known clocks of earlier runs of the daemon. Each run writes the changes that it publishes to the journal. So a
/// clock beyond the journal of its run refers to lost changes.
struct ClockHistory {
    /// The runs in order, with the sequences of each that are on the disk.
    private var spans: [(run: UInt64, sequences: ClosedRange<UInt64>)] = []

    /// Forgets all clocks.
    mutating func cut() { spans = [] }

    /// Adds the clocks of a segment.
    mutating func add(run: UInt64, from start: UInt64, through end: UInt64) {
        if let last = spans.last, last.run == run, last.sequences.upperBound == start {
            spans[spans.count - 1].sequences = last.sequences.lowerBound...end
        } else {
            spans.append((run, start...end))
        }
    }

    /// Whether a clock is known.
    func contains(run: UInt64, sequence: UInt64) -> Bool {
        spans.contains { $0.run == run && $0.sequences.contains(sequence) }
    }
}
