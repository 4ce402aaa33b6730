// Folding against Python's Unicode data, and the rules that are ours.
// SPDX-License-Identifier: Apache-2.0

import PredicateLanguage
import Testing

@Suite struct TextFoldingTests {
    static let options: [(String, TextOptions)] = [
        ("", []), ("c", .caseInsensitive), ("d", .diacriticInsensitive),
        ("cd", [.caseInsensitive, .diacriticInsensitive]), ("n", .normalized),
    ]

    @Test func equalityIsWhatPythonSays() throws {
        let pairs = try Fixture.objects("folding.jsonl")
        #expect(pairs.count == 1700)
        for (index, pair) in pairs.enumerated() {
            let a = try #require(pair["a"]?.text)
            let b = try #require(pair["b"]?.text)
            let equal = Set(pair["equal"]?.elements.compactMap(\.text) ?? [])
            for (name, options) in TextFoldingTests.options {
                let scalars = (a.unicodeScalars.map(\.value), b.unicodeScalars.map(\.value))
                #expect(
                    try TextPattern(.equal, a, options: options).matches(b) == equal.contains(name),
                    "line \(index + 1) [\(name)] \(scalars)")
            }
        }
    }

    @Test func normalizedEqualityIsCanonicalEquivalence() throws {
        // Swift's own String equality is the second oracle.
        for pair in try Fixture.objects("folding.jsonl") {
            let a = try #require(pair["a"]?.text)
            let b = try #require(pair["b"]?.text)
            #expect(try TextPattern(.equal, a, options: .normalized).matches(b) == (a == b), "\(a) \(b)")
        }
        #expect(try TextPattern(.equal, "\u{E9}", options: .normalized).matches("e\u{301}"))
        #expect(try !TextPattern(.equal, "\u{E9}").matches("e\u{301}"))
    }

    @Test(
        "A match does not cut a character",
        arguments: [
            // Dotted capital I folds to i and a dot.
            (Comparison.Operator.beginsWith, "c", "i", "\u{130}x", false),
            (.beginsWith, "cd", "i", "\u{130}x", true),
            (.contains, "c", "I", "a\u{130}", false),
            // Composed and decomposed accents alike.
            (.beginsWith, "c", "CAFE", "caf\u{E9}s", false),
            (.beginsWith, "c", "CAFE", "cafe\u{301}s", false),
            (.endsWith, "c", "\u{301}s", "cafe\u{301}s", false),
            (.contains, "c", "FE", "cafe\u{301} fe", true),
            // Half of a sharp s, and all of it.
            (.beginsWith, "c", "stras", "Stra\u{DF}e", false),
            (.beginsWith, "c", "strass", "Stra\u{DF}e", true),
            (.endsWith, "c", "sE", "Stra\u{DF}e", false),
            (.contains, "c", "S", "\u{DF}", false),
            // A Hangul syllable is one character.
            (.beginsWith, "c", "\u{1100}", "\u{AC00}", false),
            (.beginsWith, "c", "\u{1100}", "\u{1100}\u{1161}", false),
            (.beginsWith, "c", "\u{1100}\u{1161}", "\u{AC00}\u{B098}", true),
            // The other way round, with IN.
            (.in, "c", "\u{130}", "i", false),
            (.in, "c", "Stra\u{DF}e", "ss", true),
            // LIKE: `?` takes the character with its marks, and so does `*`.
            (.like, "c", "CAF?", "caf\u{E9}", true),
            (.like, "c", "CAF?", "cafe\u{301}", true),
            (.like, "c", "CAFE*", "cafe\u{301}s", false),
            (.like, "c", "CAFE*", "cafes\u{301}", true),
            (.like, "c", "*E", "caf\u{E9}", false),
            (.like, "d", "*e", "caf\u{E9}", true),
            (.like, "c", "?", "\u{DF}", true),
            (.like, "c", "s?", "\u{DF}", false),
            (.like, "c", "STRA??E", "stra\u{DF}e", false),
            (.like, "c", "*A?E*", "stra\u{DF}en", true),
        ] as [(Comparison.Operator, String, String, String, Bool)])
    func boundaries(operation: Comparison.Operator, options: String, text: String, subject: String, holds: Bool) throws
    {
        let options = try #require(TextFoldingTests.options.first { $0.0 == options }?.1)
        #expect(try TextPattern(operation, text, options: options).matches(subject) == holds)
    }

    @Test func marksSurviveOutsideLatinGreekAndCyrillic() throws {
        let same = [("\u{456}", "\u{457}"), ("\u{3B1}", "\u{3AC}"), ("o", "\u{1ED9}")]
        let different = [("\u{304B}", "\u{304C}"), ("\u{5E9}", "\u{FB2A}"), ("\u{627}", "\u{622}"), ("o", "\u{F8}")]
        for (plain, marked) in same {
            #expect(try TextPattern(.equal, plain, options: .diacriticInsensitive).matches(marked))
        }
        for (plain, marked) in different {
            #expect(try !TextPattern(.equal, plain, options: .diacriticInsensitive).matches(marked))
        }
    }

    @Test func orderIsThatOfFoldedText() throws {
        let options: TextOptions = [.caseInsensitive, .diacriticInsensitive]
        #expect(try TextPattern(.less, "b", options: options).matches("A"))
        #expect(try TextPattern(.less, "B", options: options).matches("\u{E1}"))
        #expect(try !TextPattern(.less, "B").matches("\u{E1}"))
        #expect(try TextPattern(.lessOrEqual, "\u{C4}", options: options).matches("a"))
        #expect(try TextPattern(.greaterOrEqual, "a", options: options).matches("\u{C4}"))
        #expect(try !TextPattern(.greater, "a", options: options).matches("\u{C4}"))
    }
}
