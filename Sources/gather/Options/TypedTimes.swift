// Times of a predicate as they were typed.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit
internal import PredicateLanguage

/// Times of a predicate as they were typed. The daemon prints `$time.now(-604800)` for `7d`.
struct TypedTimes {
    /// Each moment as the language prints it, with the text that was typed. Both mean the same in a predicate.
    private var texts: [(moment: String, typed: String)] = []
    /// The most literals of a predicate that are looked at.
    private static let mostLiterals = 64

    /// The times in a predicate, and the ages of options.
    init(in predicate: String, _ ages: [AgeArgument]) {
        for age in ages { add("-" + age.typed) }
        for quote in ["'", "\""] as [Character] {
            let parts = predicate.split(separator: quote, omittingEmptySubsequences: false)
            for literal in parts.dropFirst().prefix(TypedTimes.mostLiterals) { add(String(literal)) }
        }
    }

    private mutating func add(_ literal: String) {
        let (start, typed) = ("modified >= ", PredicateText.literal(literal))
        guard let printed = try? Predicate(parsing: start + typed, mode: .metadata).canonical,
            printed.hasPrefix(start + "$time.now("), !texts.contains(where: { start + $0.moment == printed })
        else { return }
        texts.append((String(printed.dropFirst(start.count)), typed))
    }

    /// Returns a text of the daemon with the times as they were typed.
    func restored(_ text: String) -> String {
        texts.reduce(text) { text, time in
            text.split(separator: time.moment, omittingEmptySubsequences: false).joined(separator: time.typed)
        }
    }
}
