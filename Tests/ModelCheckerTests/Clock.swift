// The one thing that the checker knows of a clock, which is opaque to clients: which of two is later.
// SPDX-License-Identifier: Apache-2.0

/// A clock as text, `RUN-SEQUENCE-QUESTION` in hexadecimal.
struct Clock {
    private let run: UInt64
    private let sequence: UInt64

    init?(_ text: String) {
        let parts = text.split(separator: "-").compactMap { UInt64($0, radix: 16) }
        guard parts.count == 3 else { return nil }
        (run, sequence) = (parts[0], parts[1])
    }

    func isAsLate(as other: Clock) -> Bool { run == other.run && sequence >= other.sequence }
}
