// The clock that clients hold: a point in the history of the daemon's answers. Opaque to clients.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// A point in the history of the daemon's indexes, from which any live query can go on. Its text is numbers in hexadecimal
/// with hyphens between: `RUN-SEQUENCE-QUESTION`, `RUN-SEQUENCE-QUESTION-MOMENT`, or with the surroundings
/// `RUN-SEQUENCE-QUESTION-MOMENT-CALLER-TYPES-ACCOUNTS-RENUMBERINGS`.
///
/// A clock belongs to the daemon: it serves every predicate, scope and list of attributes of the caller that it was given
/// to. Everything needed to check that is in the clock, so the daemon remembers nothing of a client that has gone.
package struct QueryClock: Hashable {
    /// The things beside the items that an answer depends on, each folded to 32 bits.
    struct Surroundings: Hashable {
        /// The user and groups of the caller.
        var caller: UInt32
        /// The database of content types.
        var types: UInt32
        /// The names of accounts by which the answer was made.
        var accounts: UInt32
        /// How many times a device number was replaced in this run.
        var renumberings: UInt32
    }

    /// Which run of the daemon, a random number.
    var run: UInt64
    /// How many changes of the index had been seen.
    var sequence: UInt64
    /// A fingerprint of predicate, scopes, attributes and caller of the answer that carried the clock; 0 for no question.
    var question: UInt64
    /// The time of day of the answer, in nanoseconds since 1970.
    var moment: Int64?
    /// Nil in clocks of earlier versions, which serve their own question alone.
    var surroundings: Surroundings?

    package var text: String {
        var numbers = [run, sequence, question]
        if let moment { numbers.append(UInt64(bitPattern: moment)) }
        if moment != nil, let surroundings {
            numbers += [
                surroundings.caller, surroundings.types, surroundings.accounts, surroundings.renumberings,
            ].map { UInt64($0) }
        }
        return numbers.map { String($0, radix: 16) }.joined(separator: "-")
    }

    init(run: UInt64, sequence: UInt64, question: UInt64) {
        self.run = run
        self.sequence = sequence
        self.question = question
    }

    /// Reads the text back; nil for anything else.
    package init?(text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3 || parts.count == 4 || parts.count == 8, let run = UInt64(parts[0], radix: 16),
            let sequence = UInt64(parts[1], radix: 16), let question = UInt64(parts[2], radix: 16)
        else { return nil }
        self.init(run: run, sequence: sequence, question: question)
        if parts.count > 3 {
            guard let moment = UInt64(parts[3], radix: 16) else { return nil }
            self.moment = Int64(bitPattern: moment)
        }
        if parts.count > 4 {
            let numbers = parts[4...].compactMap { UInt32($0, radix: 16) }
            guard numbers.count == 4 else { return nil }
            surroundings = Surroundings(
                caller: numbers[0], types: numbers[1], accounts: numbers[2], renumberings: numbers[3])
        }
    }
}

/// A 64-bit fingerprint of strings (FNV-1a), the same in every run: Swift's own hashes are seeded anew each time.
struct Fingerprint {
    private var hash = FNV1a()

    var value: UInt64 { hash.value }

    /// A fingerprint in half as many bits.
    static func folded(_ value: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: value ^ value >> 32) }

    mutating func combine(_ text: String) {
        hash.combine(text.utf8)
        // A byte that UTF-8 never has, so that "ab","c" and "a","bc" differ.
        hash.combine(0xFF)
    }
}
