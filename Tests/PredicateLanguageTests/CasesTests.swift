// The shared conformance cases: each line a predicate, an object, and the expected result.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import PredicateLanguage
import Testing

/// One line of `Fixtures/cases.jsonl`.
struct ConformanceCase: Sendable {
    let line: Int
    let predicate: String
    let item: MetadataValue
    /// "true", "false" or "error".
    let expected: String
    let reason: String

    /// Whether the predicate has to be refused when it is read, rather than fail when it is evaluated.
    var isParseError: Bool { reason.hasPrefix("[parse]") }
}

@Suite struct CasesTests {
    static func cases() throws -> [ConformanceCase] {
        var cases: [ConformanceCase] = []
        for (index, members) in try Fixture.objects("cases.jsonl").enumerated() {
            guard let predicate = members["predicate"]?.text, let reason = members["why"]?.text,
                let item = members["item"], let expect = members["expect"]
            else {
                Issue.record("line \(index + 1) is no case")
                continue
            }
            let expected =
                switch expect {
                case .boolean(let value): "\(value)"
                case .string(let text): text
                default: "?"
                }
            cases.append(
                ConformanceCase(
                    line: index + 1, predicate: predicate, item: item, expected: expected, reason: reason))
        }
        return cases
    }

    @Test func everyCaseIsAnsweredAsExpected() throws {
        let cases = try CasesTests.cases()
        #expect(cases.count == 471)
        for item in cases {
            let (answer, phase, message) = CasesTests.answer(item)
            var passes = answer == item.expected
            if item.expected == "error" { passes = passes && (phase == "parse") == item.isParseError }
            #expect(
                passes,
                """
                line \(item.line): \(item.predicate.prefix(200)) expected \(item.expected), was \(answer) \
                \(phase) \(message) (\(item.reason))
                """)
        }
    }

    /// The answer, which step failed where one did, and the message.
    static func answer(_ item: ConformanceCase) -> (answer: String, phase: String, message: String) {
        let predicate: Predicate
        do throws(PredicateError) { predicate = try Predicate(parsing: item.predicate) } catch {
            return ("error", "parse", error.message)
        }
        do throws(EvaluationError) { return ("\(try predicate.evaluate(on: item.item))", "", "") } catch {
            return ("error", "eval", error.message)
        }
    }

    /// A predicate that is read and printed reads back as the same tree, with the same text.
    @Test func everyCasePrintsAndReadsBack() throws {
        for item in try CasesTests.cases() {
            guard let predicate = try? Predicate(parsing: item.predicate) else { continue }
            let again = try Predicate(parsing: predicate.canonical)
            #expect(again.root == predicate.root, "line \(item.line): \(predicate.canonical)")
            #expect(again.canonical == predicate.canonical, "line \(item.line)")
        }
    }
}
