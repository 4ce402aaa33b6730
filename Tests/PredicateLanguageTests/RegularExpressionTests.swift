// MATCHES: whole matches, limits, and text that is none.
// SPDX-License-Identifier: Apache-2.0

import PredicateLanguage
import TestSupport
import Testing

@Suite struct RegularExpressionTests {
    private func matches(_ pattern: String, _ text: String, _ options: TextOptions = []) throws -> Bool {
        try TextPattern(.matches, pattern, options: options).matches(text)
    }

    @Test func theWholeTextHasToMatch() throws {
        #expect(try matches("a|ab", "ab"))
        #expect(try matches("a|ab|abc", "abc"))
        #expect(try !matches("b", "ab"))
        #expect(try !matches("a", "a\n"))
        #expect(try !matches("a$", "a\n"))
        #expect(try matches("", ""))
    }

    @Test func theDotAndNewlines() throws {
        #expect(try !matches("a.b", "a\nb"))
        #expect(try matches("(?s)a.b", "a\nb"))
    }

    @Test func textIsUnicode() throws {
        #expect(try matches(".", "\u{1F389}"))
        #expect(try matches("\\w+", "\u{E9}t\u{E9}"))
        #expect(try matches("\u{C9}T\u{C9}", "\u{E9}t\u{E9}", .caseInsensitive))
        #expect(try !matches("\u{C9}", "\u{E9}"))
        #expect(try matches("caf\u{E9}\\d", "cafe7", .diacriticInsensitive))
        #expect(try matches("cafe.*", "caf\u{E9}s", .diacriticInsensitive))
        #expect(try matches("caf\u{E9}", "cafe\u{301}", .normalized))
        #expect(try !matches("caf\u{E9}", "cafe\u{301}"))
        #expect(try !matches("A", "a", [.normalized, .caseInsensitive]))
    }

    @Test(arguments: ["[a", "*a", "a{2,1}", "(?<n", "\\C", String(repeating: "(", count: 1_000)])
    func aMalformedPatternIsAnError(pattern: String) {
        #expect(throws: EvaluationError.self) { try TextPattern(.matches, pattern) }
    }

    /// In bytes, as written after folding; nothing but a comment is so long and short once it is compiled.
    @Test func theLengthIsBounded() throws {
        func pattern(_ length: Int) -> String { "(?#" + String(repeating: "x", count: length - 5) + ")a" }
        #expect(try matches(pattern(PredicateLimits.regularExpressionLength), "a"))
        #expect {
            try TextPattern(.matches, pattern(PredicateLimits.regularExpressionLength + 1))
        } throws: { error in
            "\(error)".contains("longer than the limit")
        }
    }

    @Test(arguments: ["(a+)+[bc]", "(a|aa)+[^a]", "(.*)*(.*)*(.*)*(.*)*[bc]", "^(([a-z])+.)+[A-Z]([a-z])+$"])
    func workIsBounded(pattern: String) throws {
        let made = try TextPattern(.matches, pattern)
        let text = String(repeating: "a", count: 100)
        #expect(throws: EvaluationError("the regular expression takes too much work on this text")) {
            try made.matches(text)
        }
        // The expression is still good for other texts.
        #expect(try !made.matches(""))
    }

    /// Each level of going back keeps what every group has: with 200 groups that passes ``PredicateLimits/regularExpressionHeap``
    /// long before the steps are too many, which are as many without the groups.
    @Test func memoryIsBounded() throws {
        let loop = "(?:a|x)*"
        let groups = String(repeating: "(b)?", count: 200)
        let text = String(repeating: "a", count: 20_000)
        #expect(try matches(loop + groups, String(repeating: "a", count: 1_000)))
        #expect(try matches(loop + groups.replacing("(b)", with: "b"), text))
        #expect(throws: EvaluationError("the regular expression takes too much work on this text")) {
            try matches(loop + groups, text)
        }
    }

    /// The plain text that an expression cannot match without is looked for first. Nothing is known of one in a group
    /// that begins with a question mark, so that is the judge.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func requiredLiteralsAreLookedForFirst(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let pieces = [
            "a", "b", "K", "s", "ab", ".", ".*", "b*", "a?", "a+", "b{0,1}", "(ab)", "(a)?", "[ab]", "[^a]", "\\.",
            "\\d",
            "e\u{301}?", "\u{E9}", "^", "$", "(b|K)", "{", "a{2}", "\\Qa*\\E", "[]a]", "\\x61",
            "{[}ab]", "[\\c]ab]", "|\u{301}", "{1,2}", "{}", "{,1}", "}", "{(}a)?", "(?i)", "\u{600}(?x)a b",
        ]
        let characters = ["a", "b", "k", "K", "s", "S", ".", "1", "e", "\u{E9}", "\u{301}", "\u{212A}", "{", "]", "}"]
        for _ in 0..<4_000 {
            let pattern = (0..<Int.random(in: 1...4, using: &generator))
                .map { _ in pieces.randomElement(using: &generator)! }.joined()
            let options: TextOptions = [
                [], .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive], .normalized,
            ].randomElement(using: &generator)!
            guard let one = try? TextPattern(.matches, pattern, options: options),
                let other = try? TextPattern(.matches, "(?:\(pattern))", options: options)
            else { continue }
            for _ in 0..<6 {
                let text = (0..<Int.random(in: 0...6, using: &generator))
                    .map { _ in characters.randomElement(using: &generator)! }.joined()
                #expect(
                    try one.matches(text) == other.matches(text),
                    "seed \(seed): \(pattern)\(options.text) on \(text)")
            }
        }
    }

    /// Text that only looks like a part of an expression must not hide a literal.
    @Test func requiredLiteralsAreNotMistaken() throws {
        #expect(try matches("a{[}xyz]b", "a{}b"))
        #expect(try matches("a{[}xyz]b", "a{zb"))
        #expect(try matches("[\\c]xyz]", "x"))
        #expect(try matches("abc|\u{301}x", "abc"))
        #expect(try matches("\u{600}(?x)a b", "\u{600}ab"))
        #expect(try matches("a{1,2}b", "aab"))
    }

    @Test func aTextThatCannotMatchCostsNothing() throws {
        let pattern = try TextPattern(.matches, "(a+)+[bc]x")
        let text = String(repeating: "a", count: 100)
        #expect(try !pattern.matches(text))
        #expect(try !pattern.matches(text + "\u{E9}"))
        #expect(throws: EvaluationError.self) { try pattern.matches(text + "x") }
        #expect(throws: EvaluationError.self) { try pattern.matches(text + "\u{E9}x") }
    }

    @Test func aPatternCannotRaiseItsLimits() throws {
        let made = try TextPattern(.matches, "(*LIMIT_MATCH=4000000000)(a+)+[bc]")
        #expect(throws: EvaluationError.self) { try made.matches(String(repeating: "a", count: 100)) }
    }

    @Test func longTextsNeedNoMachineStack() throws {
        // Too deep for the machine code's stack; the interpreter takes over.
        #expect(try matches("(?:a|b)*c", String(repeating: "ab", count: 5_000) + "c"))
        #expect(try matches("(a|b)*c", String(repeating: "ab", count: 2_000) + "c"))
    }

    /// Each level of backtracking keeps what all groups have matched.
    @Test func memoryOfAMatchIsBounded() throws {
        let text = String(repeating: "ab", count: 5_000) + "c"
        let groups = String(repeating: "()", count: 300)
        let made = try TextPattern(.matches, groups + "(?:a|b)*c")
        #expect(throws: EvaluationError.self) { try made.matches(text) }
        // It is not the number of steps, and the next text is as good as any.
        #expect(try matches("(?:a|b)*c", text))
        #expect(try made.matches("abc"))
    }

    @Test func oneExpressionServesManyThreads() async throws {
        let made = try TextPattern(.matches, "(x+x+)+y|a.*z")
        let answers = await withTaskGroup(of: Bool.self) { group in
            for index in 0..<64 {
                group.addTask {
                    (0..<50).allSatisfy {
                        (try? made.matches("a\(index)\($0)z")) == true && (try? made.matches("b")) == false
                    }
                }
            }
            return await group.reduce(true) { $0 && $1 }
        }
        #expect(answers)
    }
}
