// Text operators against plain models, on text and on bytes that are none.
// SPDX-License-Identifier: Apache-2.0

import PredicateLanguage
import TestSupport
import Testing

@Suite struct TextPatternTests {
    // MARK: LIKE against a model

    /// LIKE by definition, exponential: over scalars, with escapes already resolved.
    private static func isLike(_ text: ArraySlice<Unicode.Scalar>, _ pattern: ArraySlice<Unicode.Scalar>) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        switch first {
        case "*": return (text.startIndex...text.endIndex).contains { isLike(text[$0...], pattern.dropFirst()) }
        case "?": return !text.isEmpty && isLike(text.dropFirst(), pattern.dropFirst())
        default: return text.first == first && isLike(text.dropFirst(), pattern.dropFirst())
        }
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func likeFollowsItsDefinition(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let letters: [Unicode.Scalar] = ["a", "b", "\u{E9}", "\u{1F389}"]
        let wildcards: [Unicode.Scalar] = letters + ["*", "?", "*"]
        for _ in 0..<4_000 {
            let text = (0..<Int.random(in: 0...7, using: &generator)).map { _ in
                letters.randomElement(using: &generator)!
            }
            let pattern = (0..<Int.random(in: 0...6, using: &generator)).map { _ in
                wildcards.randomElement(using: &generator)!
            }
            let expected = TextPatternTests.isLike(text[...], pattern[...])
            let (subject, like) = (string(text), string(pattern))
            let made = try TextPattern(.like, like)
            #expect(try made.matches(subject) == expected, "seed \(seed): \(subject) LIKE \(like)")
            // None of these letters folds to another, so the folded way has to agree.
            #expect(
                try TextPattern(.like, like, options: .caseInsensitive).matches(subject) == expected,
                "seed \(seed): \(subject) LIKE[c] \(like)")
            if let literal = made.requiredLiteral {
                let has = has(Array(subject.utf8), literal)
                #expect(
                    literal.isSufficient ? has == expected : has || !expected, "seed \(seed): \(subject) LIKE \(like)")
            }
        }
    }

    private func string(_ scalars: [Unicode.Scalar]) -> String {
        var text = ""
        text.unicodeScalars.append(contentsOf: scalars)
        return text
    }

    private func has(_ text: [UInt8], _ literal: RequiredLiteral) -> Bool {
        switch literal.place {
        case .whole: return text == literal.bytes
        case .prefix: return text.starts(with: literal.bytes)
        case .suffix: return text.reversed().starts(with: literal.bytes.reversed())
        case .infix:
            guard literal.bytes.count <= text.count else { return false }
            return (0...(text.count - literal.bytes.count)).contains {
                text[$0...].starts(with: literal.bytes)
            }
        }
    }

    // MARK: Literals that a plan can use

    @Test func requiredLiterals() throws {
        func literal(
            _ operation: Comparison.Operator, _ text: String, _ options: TextOptions = []
        ) throws -> String? {
            guard let literal = try TextPattern(operation, text, options: options).requiredLiteral else { return nil }
            let text = String(decoding: literal.bytes, as: UTF8.self)
            return "\(literal.place) \(text)\(literal.isSufficient ? " sufficient" : "")"
        }
        #expect(try literal(.equal, "a*") == "whole a* sufficient")
        #expect(try literal(.like, "abc") == "whole abc sufficient")
        #expect(try literal(.like, "") == "whole  sufficient")
        #expect(try literal(.like, "Item_*") == "prefix Item_ sufficient")
        #expect(try literal(.like, "Item_**") == "prefix Item_ sufficient")
        #expect(try literal(.like, "Item_?") == "prefix Item_")
        #expect(try literal(.like, "*.pdf") == "suffix .pdf sufficient")
        #expect(try literal(.like, "?.pdf") == "suffix .pdf")
        #expect(try literal(.like, "*mid*") == "infix mid sufficient")
        #expect(try literal(.like, "*a*longest*b*") == "infix longest")
        #expect(try literal(.like, "a*b") == "prefix a")
        #expect(try literal(.like, "\\*x*") == "prefix *x sufficient")
        #expect(try literal(.beginsWith, "a") == "prefix a sufficient")
        #expect(try literal(.endsWith, "a") == "suffix a sufficient")
        #expect(try literal(.contains, "a") == "infix a sufficient")
        #expect(try literal(.like, "?*") == nil)
        #expect(try literal(.like, "*") == nil)
        #expect(try literal(.notEqual, "a") == nil)
        #expect(try literal(.matches, "a") == nil)
        #expect(try literal(.equal, "a", .caseInsensitive) == nil)
        #expect(try literal(.equal, "a", .diacriticInsensitive) == nil)
        #expect(try literal(.equal, "a", .normalized) == nil)
        #expect(try TextPattern(.like, "**").matchesEverything)
        #expect(try !TextPattern(.like, "").matchesEverything)
        for operation in [Comparison.Operator.beginsWith, .endsWith, .contains] {
            #expect(try TextPattern(operation, "").matchesNothing)
            #expect(try !TextPattern(operation, "").matches(""))
        }
    }

    // MARK: Bytes that are not UTF-8

    @Test func bytesThatAreNotUTF8() throws {
        let name: [UInt8] = [0x61, 0xFF, 0xC3, 0x62]  // a, a stray byte, half a character, b
        func matches(
            _ operation: Comparison.Operator, _ text: String, _ options: TextOptions = []
        ) throws -> Bool {
            let pattern = try TextPattern(operation, text, options: options)
            return try name.withUnsafeBytes { try pattern.matches($0) }
        }
        for options in [[], .caseInsensitive, .diacriticInsensitive, .normalized] as [TextOptions] {
            #expect(try matches(.like, "a??b", options))
            #expect(try matches(.like, "a*b", options))
            #expect(try !matches(.like, "a?b", options))
            #expect(try matches(.beginsWith, "a", options))
            #expect(try matches(.endsWith, "b", options))
            #expect(try !matches(.equal, "ab", options))
            #expect(try matches(.notEqual, "ab", options))
            #expect(try !matches(.contains, "\u{FFFD}", options))
            for text in [".*", "a..b", "a[^a]{2}b", "a\\W+b", "(?!.*(.)\\1).*", "A??a.*?b"] {
                #expect(try matches(.matches, text, options), "\(text)")
            }
            for text in ["a.b", "a...b", "ab", "a.*a", "a\u{FFFD}.b", "a(.)\\1b", "a\\w.b", "[[:ascii:]]*"] {
                #expect(try !matches(.matches, text, options), "\(text)")
            }
        }
        #expect(try matches(.matches, "A..B", .caseInsensitive))
        #expect(try matches(.like, "A??B", .caseInsensitive))
    }

    @Test(arguments: [11, 12, 13] as [UInt64])
    func noBytesTrap(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let patterns = try Comparison.Operator.allCases.filter { $0 != .between && !$0.isOverTypes }.flatMap {
            operation in
            try ["", "a", "\u{E9}*?", "*\u{300}a"].flatMap { text in
                try (UInt8(0)..<16).compactMap { options in
                    if operation == .matches, text.utf8.first == UInt8(ascii: "*") { return nil as TextPattern? }
                    return try TextPattern(operation, text, options: TextOptions(rawValue: options))
                }
            }
        }
        for pattern in patterns {
            #expect(try pattern.matches(UnsafeRawBufferPointer(start: nil, count: 0)) == pattern.matches(""))
        }
        let alphabet: [UInt8] = [0x61, 0xCC, 0x80, 0xC3, 0xA9, 0xEA, 0xB0, 0x80, 0xFF, 0xF0, 0x00]
        for _ in 0..<300 {
            let bytes = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
                alphabet.randomElement(using: &generator)!
            }
            for pattern in patterns { _ = try bytes.withUnsafeBytes { try pattern.matches($0) } }
        }
    }

    // MARK: Cost

    @Test func likeDoesNotBlowUp() throws {
        let text = String(repeating: "a", count: 20_000)
        let pattern = try TextPattern(.like, String(repeating: "*a", count: 200) + "*c")
        #expect(try !pattern.matches(text))
        #expect(try pattern.matches(text + "c"))
    }

    @Test func betweenIsNoTextPattern() {
        #expect(throws: EvaluationError.self) { try TextPattern(.between, "a") }
    }
}
