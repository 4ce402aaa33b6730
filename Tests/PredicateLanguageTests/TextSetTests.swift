// Looking among many texts, against looking through them.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import PredicateLanguage
import TestSupport
import Testing

@Suite struct TextSetTests {
    @Test(arguments: [41, 42] as [UInt64])
    func membershipIsThatOfEachText(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let letters = ["a", "A", "b", "\u{E9}", "e\u{301}", "\u{DF}", "ss"]
        func text() -> String {
            (0..<Int.random(in: 0...3, using: &generator)).map { _ in letters.randomElement(using: &generator)! }
                .joined()
        }
        for options in [[], .caseInsensitive, .diacriticInsensitive, .normalized] as [TextOptions] {
            for _ in 0..<200 {
                let texts = (0..<Int.random(in: 0...8, using: &generator)).map { _ in text() }
                let set = TextSet(texts.map { .string($0) } + [.integer(1), .none], options: options)
                for _ in 0..<10 {
                    let subject = text()
                    let expected = try texts.contains { try TextPattern(.equal, $0, options: options).matches(subject) }
                    let found = Array(subject.utf8).withUnsafeBytes { set.contains($0) }
                    #expect(found == expected, "seed \(seed): \(subject) IN\(options.text) \(texts)")
                }
            }
        }
    }

    @Test func aListOfConstantsIsMadeReady() throws {
        func comparison(_ text: String) throws -> Comparison? {
            guard case .comparison(let comparison) = try Predicate(parsing: text).root.kind else { return nil }
            return comparison
        }
        #expect(try comparison("a IN[c] {'B', 'a', 'b', 1}")?.texts?.texts == [Array("a".utf8), Array("b".utf8)])
        #expect(try comparison("a IN {b, 'c'}")?.texts == nil)
        #expect(try comparison("a BETWEEN {'b', 'c'}")?.texts == nil)
        #expect(try comparison("a IN 'b'")?.pattern == TextPattern(.in, "b"))
    }
}
