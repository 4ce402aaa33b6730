// The ignore patterns of evicted files.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import SyncService

struct EvictedPatternsTests {
    /// Characters that patterns give a meaning, and others.
    private static let characters = Array("ab/ *?[]{}\\,!#.(?i)ü\t\u{2028}\u{301}")

    private static func path(_ random: inout SeededGenerator) -> String {
        String(
            (0..<Int.random(in: 1...12, using: &random)).map { _ in characters.randomElement(using: &random) ?? "a" })
    }

    @Test(arguments: UInt64(1)...20) func pathsComeBackFromTheirPatterns(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let path = Self.path(&random)
            let pattern = EvictedPatterns.pattern(path)
            #expect(pattern.flatMap(EvictedPatterns.path) == path, "seed \(seed): \(path.debugDescription)")
            // Blanks at both ends of a line are taken away, and a comment begins with two slashes.
            #expect(
                pattern?.unicodeScalars.first == "/" && pattern?.unicodeScalars.last?.properties.isWhitespace == false)
        }
    }

    @Test(arguments: UInt64(1)...20) func otherPatternsKeepTheirLinesAndOrder(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let others = (0..<Int.random(in: 0...5, using: &random)).map { "*.\($0)" } + ["// a comment", "", "!/kept"]
        var patterns = EvictedPatterns(lines: others)
        #expect(patterns.paths.isEmpty && patterns.lines == others)
        let paths = Set((0..<Int.random(in: 1...9, using: &random)).map { _ in Self.path(&random) })
        patterns.paths = paths
        #expect(patterns.lines.suffix(others.count) == others[...])
        #expect(EvictedPatterns(lines: patterns.lines) == patterns, "seed \(seed)")
        // A person's own patterns may stand before.
        let moved = EvictedPatterns(lines: ["/mine"] + patterns.lines)
        #expect(moved.paths == paths && moved.others == ["/mine"] + others)
        patterns.paths = []
        #expect(patterns.lines == others)
    }

    @Test(arguments: ["a\nb", "a\rb", "a\0b", ""]) func aNameThatNoLineCanHaveHasNoPattern(path: String) {
        #expect(EvictedPatterns.pattern(path) == nil)
    }
}
