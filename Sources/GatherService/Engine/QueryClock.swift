// The clock that clients hold: opaque to them, a run of the daemon, a moment in it and the question it belongs to for us.
// SPDX-License-Identifier: Apache-2.0

/// A point in the history of the answers to one question. Its text is `RUN-SEQUENCE-QUESTION` in hexadecimal; for a
/// question whose answer follows the time of day, `RUN-SEQUENCE-QUESTION-MOMENT`.
///
/// The question's fingerprint is in it so that a clock used with another predicate, scope, attribute list or caller is
/// found out without the daemon remembering anything of a client that has gone.
struct QueryClock: Hashable {
    /// Which run of the daemon, a random number.
    var run: UInt64
    /// How many changes of the index had been seen.
    var sequence: UInt64
    /// A fingerprint of predicate, scopes, attributes and caller; 0 where the clock belongs to no question.
    var question: UInt64
    /// The time of day at which the answer was so, in nanoseconds since 1970, where it follows that.
    var moment: Int64?

    var text: String {
        let text = "\(String(run, radix: 16))-\(String(sequence, radix: 16))-\(String(question, radix: 16))"
        return moment.map { text + "-" + String(UInt64(bitPattern: $0), radix: 16) } ?? text
    }

    init(run: UInt64, sequence: UInt64, question: UInt64) {
        self.run = run
        self.sequence = sequence
        self.question = question
    }

    /// Reads the text back; nil for anything else.
    init?(text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3 || parts.count == 4, let run = UInt64(parts[0], radix: 16),
            let sequence = UInt64(parts[1], radix: 16), let question = UInt64(parts[2], radix: 16)
        else { return nil }
        self.init(run: run, sequence: sequence, question: question)
        if parts.count == 4 {
            guard let moment = UInt64(parts[3], radix: 16) else { return nil }
            self.moment = Int64(bitPattern: moment)
        }
    }
}

/// A 64-bit fingerprint of strings (FNV-1a), the same in every run: Swift's own hashes are seeded anew each time.
struct Fingerprint {
    private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    mutating func combine(_ text: String) {
        for byte in text.utf8 { combine(byte) }
        // A byte that UTF-8 never has, so that "ab","c" and "a","bc" differ.
        combine(0xFF)
    }

    private mutating func combine(_ byte: UInt8) {
        value ^= UInt64(byte)
        value &*= 0x100_0000_01b3
    }
}
