// Which clocks of earlier incarnations of the daemon are known.
// SPDX-License-Identifier: Apache-2.0

/// Which clocks of earlier incarnations of the daemon are known: each wrote what it told into the journal, so a clock
/// beyond what is there of its incarnation tells of something that was lost.
struct ClockHistory {
    /// Incarnations, and the sequences that are on disk of each, in order.
    private var spans: [(run: UInt64, sequences: ClosedRange<UInt64>)] = []

    /// Forgets everything.
    mutating func cut() { spans = [] }

    /// Adds what a segment holds.
    mutating func add(run: UInt64, from start: UInt64, through end: UInt64) {
        if let last = spans.last, last.run == run, last.sequences.upperBound == start {
            spans[spans.count - 1].sequences = last.sequences.lowerBound...end
        } else {
            spans.append((run, start...end))
        }
    }

    /// Whether a clock is one of these.
    func contains(run: UInt64, sequence: UInt64) -> Bool {
        spans.contains { $0.run == run && $0.sequences.contains(sequence) }
    }
}
