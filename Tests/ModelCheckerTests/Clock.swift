// The checker's view of a clock, which is opaque to clients: its order, and its time of day.
// SPDX-License-Identifier: Apache-2.0

/// A clock as text: `RUN-SEQUENCE-QUESTION-MOMENT` in hexadecimal, mostly with four more numbers. `MOMENT` may be missing.
struct Clock {
    private let run: UInt64
    private let sequence: UInt64
    /// The time of day at which the answer was so.
    let moment: Int?

    init?(_ text: String) {
        let parts = text.split(separator: "-").compactMap { UInt64($0, radix: 16) }
        guard [3, 4, 8].contains(parts.count) else { return nil }
        (run, sequence) = (parts[0], parts[1])
        moment = parts.count > 3 ? Int(bitPattern: UInt(parts[3])) : nil
    }

    func isAsLate(as other: Clock) -> Bool { run == other.run && sequence >= other.sequence }
}
