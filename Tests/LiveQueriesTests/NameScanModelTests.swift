// Scans and the subscription index against the language itself, with names and patterns that try how text is folded.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import MetadataIndex
import PredicateLanguage
import TestSupport
import Testing

@testable import LiveQueries

@Suite struct NameScanModelTests {
    /// Letters of which both cases, marks, ligatures or compositions lead to ASCII or away from it, what regular expressions
    /// and wildcards are made of, and bytes that are not UTF-8.
    private static let pieces: [[UInt8]] =
        [
            "a", "A", "b", "k", "K", "s", "S", "f", "i", "I", "e", ".", ".", "j", "1", "0", "_", "{", "}", "[", "]",
            "@", "`",
            "\u{212A}", "\u{17F}", "\u{DF}", "\u{1E9E}", "\u{FB01}", "\u{130}", "\u{131}", "\u{E9}", "\u{C9}",
            "\u{301}",
            "\u{308}", "\u{345}", "\u{37E}", "\u{1FEF}", "\u{149}", "\u{1F0}", "\u{AC00}", "\u{1161}", "\u{30AB}",
            "\u{3099}",
            "\u{600}", "\u{200D}", "abcdefgh", "jpg",
        ].map { Array($0.utf8) } + [[0xFF], [0xC3], [0x80], [0xE2, 0x84]]

    private static func text(_ generator: inout SeededGenerator, _ lengths: ClosedRange<Int>) -> [UInt8] {
        Array(
            (0..<Int.random(in: lengths, using: &generator)).flatMap { _ in generator.pick(pieces) }.prefix(120))
    }

    private static func name(_ generator: inout SeededGenerator) -> [UInt8] {
        let name = text(&generator, 1...7)
        return name.elementsEqual([0x2E]) || name.elementsEqual([0x2E, 0x2E]) ? [0x61] : name
    }

    private static func expression(_ generator: inout SeededGenerator) -> String {
        let parts = [
            ".*", ".", "a", "A", "ab", "k", "K", "s", "e", "\u{E9}", "e\u{301}", "\u{301}", "\u{301}?", "\u{17F}",
            "[a-k]",
            "[^a]", "[]a]", "[}a]", "[\\c]a]", "{", "}", "{0,}", "{2}", "{0}", "{1,2}", "{[}a]", "*", "+", "?", "(a)",
            "(a)?",
            "(ab){0}", "(a|b)", "|", "|\u{301}", "\\.", "\\d", "\\w*", "\\Qa\\E", "(?i)", "(?=a)", "(?:a)?", "(?x) ",
            "\u{600}(?x)a b", "\\1", "\\x61", "(?!b)", "(*UTF)", "jpg", "\\p{L}", "\\Qa.", "\\E", "^", "$", "\\b",
        ]
        return (0..<Int.random(in: 1...5, using: &generator)).map { _ in generator.pick(parts) }.joined()
    }

    private static func comparison(_ generator: inout SeededGenerator, _ names: [[UInt8]]) -> String {
        let attribute = generator.pick(["name", "name", "fileExtension", "displayName", "path"])
        let options = generator.pick(["", "[c]", "[d]", "[cd]", "[n]", "[cn]", "[l]", "[cdl]"])
        let operation = generator.pick([
            "==", "!=", "<", ">=", "BEGINSWITH", "ENDSWITH", "CONTAINS", "LIKE", "LIKE", "MATCHES", "MATCHES", "IN",
        ])
        // Often a part of a name that is there.
        var bytes = generator.chance(3) ? text(&generator, 0...4) : generator.pick(names)
        if generator.chance(2), bytes.count > 1 {
            let low = Int.random(in: 0..<bytes.count, using: &generator)
            bytes = Array(bytes[low..<Int.random(in: (low + 1)...bytes.count, using: &generator)])
        }
        var text = String(decoding: bytes, as: UTF8.self)
        if generator.chance(4) { text = generator.chance(2) ? text.uppercased() : text.lowercased() }
        if operation == "LIKE" {
            text = generator.pick(["", "*", "?"]) + text + generator.pick(["", "*", "?", "*j*"])
        }
        if operation == "MATCHES" { text = Self.expression(&generator) }
        let quoted = text.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
        let one = "\(attribute) \(operation)\(options) '\(quoted)'"
        return generator.chance(4) ? "NOT \(one)" : one
    }

    @Test(arguments: 0..<24 as Range<UInt64>)
    func scansAndSubscriptionsAnswerAsTheLanguageDoes(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let index = MetadataIndex(root: NaiveTree.status(.directory))
        var rows: [Row] = []
        var names: [[UInt8]] = []
        for number in 0..<160 {
            let name = Self.name(&generator)
            names.append(name)
            let row = name.withUnsafeBytes { name in
                try? index.insert(
                    parent: .root, name: name, status: NaiveTree.status(generator.pick([.file, .directory, .symlink])))
            }
            if let row { rows.append(row) }
            guard number % 2 == 0, !rows.isEmpty, !generator.chance(3) else { continue }
            let place = Int.random(in: rows.indices, using: &generator)
            if generator.chance(2) {
                try index.remove(rows.remove(at: place))
            } else {
                let name = Self.name(&generator)
                names.append(name)
                name.withUnsafeBytes { _ = try? index.move(rows[place], to: .root, name: $0) }
            }
        }
        let environment = PlanEnvironment.test(index)
        let snapshot = index.snapshot()
        for _ in 0..<120 {
            let text = (0..<Int.random(in: 1...2, using: &generator))
                .map { _ in Self.comparison(&generator, names) }.joined(separator: generator.pick([" AND ", " OR "]))
            // An expression may be none.
            guard let predicate = try? Predicate(parsing: text, mode: .metadata) else { continue }
            let plan = QueryPlan(predicate, environment: environment)
            var queries = SubscriptionIndex()
            queries.file(0, plan)
            var expected: [Row] = []
            var failed = 0
            for row in rows.sorted() {
                let answer = try? predicate.evaluate(
                    on: ItemValues(row: row, reader: snapshot, environment: environment))
                #expect((try? plan.matches(row, in: snapshot)) == answer, "seed \(seed): \(text)")
                if answer == nil { failed += 1 }
                guard answer == true else { continue }
                expected.append(row)
                var found: [Int] = []
                var path: [UInt8] = []
                snapshot.appendPath(of: row, to: &path)
                snapshot.withName(of: row) {
                    queries.appendCandidates(
                        row: row, parent: .root, name: $0, kind: snapshot.kind(of: row), path: path, to: &found)
                }
                #expect(found.contains(0), "seed \(seed): \(text)")
            }
            let (selection, errors) = plan.selectTolerantly(in: snapshot)
            #expect(Array(selection) == expected, "seed \(seed): \(text)")
            #expect((errors.count > 0) == (failed > 0), "seed \(seed): \(text)")
        }
    }

    /// A name without the text that an expression needs is not tried, whatever letters it has: a scan would end with an
    /// error where the test of a single row does not.
    @Test(arguments: ["", "\u{E9}"])
    func passedOverNamesDoNotFail(ending: String) throws {
        let index = MetadataIndex(root: NaiveTree.status(.directory))
        let name = Array((String(repeating: "a", count: 100) + ending).utf8)
        let row = try name.withUnsafeBytes {
            try index.insert(parent: .root, name: $0, status: NaiveTree.status(.file))
        }
        let predicate = try Predicate(parsing: "NOT name MATCHES '(a+)+[bc]x'", mode: .metadata)
        let environment = PlanEnvironment.test(index)
        let plan = QueryPlan(predicate, environment: environment)
        let snapshot = index.snapshot()
        #expect(try predicate.evaluate(on: ItemValues(row: row, reader: snapshot, environment: environment)))
        #expect(try plan.matches(row, in: snapshot))
        #expect(try Array(plan.select(in: snapshot)) == [row])
    }
}
