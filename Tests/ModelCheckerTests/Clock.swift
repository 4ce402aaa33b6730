// What the checker knows of a clock, which is opaque to clients: which of two is later, and its time of day.
// SPDX-License-Identifier: Apache-2.0

/// A clock as text, `RUN-SEQUENCE-QUESTION` in hexadecimal, and `-MOMENT` where the answer follows the time of day.
struct Clock {
    private let run: UInt64
    private let sequence: UInt64
    /// The time of day at which the answer was so.
    let moment: Int?

    init?(_ text: String) {
        let parts = text.split(separator: "-").compactMap { UInt64($0, radix: 16) }
        guard parts.count == 3 || parts.count == 4 else { return nil }
        (run, sequence) = (parts[0], parts[1])
        moment = parts.count == 4 ? Int(bitPattern: UInt(parts[3])) : nil
    }

    func isAsLate(as other: Clock) -> Bool { run == other.run && sequence >= other.sequence }
}
