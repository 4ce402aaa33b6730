// The order in which a plan takes its tests.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import MetadataIndex
import PredicateLanguage
import TestSupport
import Testing

@testable import LiveQueries

@Suite struct PlanOrderTests {
    private let index: MetadataIndex

    /// 40 files `f0.log` to `f39.log` of 0 to 39 bytes, and 10 directories `d0.log` to `d9.log`.
    init() throws {
        index = MetadataIndex(root: NaiveTree.status(.directory))
        func insert(_ name: String, _ status: FileStatus) throws {
            _ = try Array(name.utf8).withUnsafeBytes { try index.insert(parent: .root, name: $0, status: status) }
        }
        for number in 0..<40 { try insert("f\(number).log", NaiveTree.status(.file, size: Int64(number))) }
        for number in 0..<10 { try insert("d\(number).log", NaiveTree.status(.directory)) }
    }

    private func plan(_ text: String) throws -> QueryPlan {
        QueryPlan(try Predicate(parsing: text, mode: .metadata), environment: .test(index))
    }

    private static func orders(_ parts: [String]) -> [[String]] {
        guard let first = parts.first else { return [[]] }
        return orders(Array(parts.dropFirst())).flatMap { rest in
            (0...rest.count).map { place in
                var order = rest
                order.insert(first, at: place)
                return order
            }
        }
    }

    @Test(arguments: [
        ["name MATCHES '.*[0-9].log'", "kind == 'file'", "size > 36"],
        ["path MATCHES '.*/f.*'", "name ENDSWITH '.log'", "size == 3", "NOT kind == 'directory'"],
        ["length(name) > 6", "kind == 'file'", "size > 36"],
        ["created < modified", "name LIKE[c] 'F*'", "kind == 'file'"],
        ["(name MATCHES 'f.*' OR path MATCHES '.*9.*')", "kind == 'file'", "depth == 1"],
        ["NOT name MATCHES 'd.*'", "kind == 'file'", "comment == nil"],
    ])
    func everyWrittenOrderHasThePlanOfTheOthers(parts: [String]) throws {
        for connective in [" AND ", " OR "] {
            let texts = Self.orders(parts).map { $0.joined(separator: connective) }
            let first = try plan(texts[0])
            for text in texts {
                let plan = try plan(text)
                #expect(plan.explanation == first.explanation, "\(text)")
                #expect(
                    Array(try plan.select(in: index.snapshot())) == Array(try first.select(in: index.snapshot())),
                    "\(text)")
            }
        }
    }

    /// The rows that are left before a step are those that it tests.
    @Test func aRegularExpressionTestsOnlyTheItemsThatTheCheapTestsLeave() throws {
        for order in Self.orders(["name MATCHES '.*[0-9]+.*'", "kind == 'file'", "size > 36"]) {
            let analysis = try plan(order.joined(separator: " AND ")).analyze(in: index.snapshot())
            let place = try #require(analysis.steps.firstIndex { $0.text.contains("MATCHES") })
            #expect(place == analysis.steps.count - 1)
            #expect(analysis.steps[place - 1].rows == 3, "\(order): \(analysis.steps)")
            #expect(analysis.matches == 3)
        }
    }

    @Test func aComparisonThatCannotFailIsTestedAfterCheaperOnes() throws {
        let analysis = try plan("length(name) == 7 AND created < modified AND size > 38").analyze(in: index.snapshot())
        #expect(analysis.steps.first?.text == "scan: size > 38")
        #expect(analysis.steps.first?.rows == 1)
    }

    /// A guard stays before the part that it guards, and a part whose values fail ends the answer as it is written.
    @Test func aPartWhoseValuesCanFailKeepsItsPlace() throws {
        #expect(try plan("size > 0 AND 100 / size > 30 AND kind == 'file'").select(in: index.snapshot()).count == 3)
        #expect(throws: EvaluationError.self) {
            try plan("100 / size > 30 AND size > 0").select(in: index.snapshot())
        }
        // Not moved before the division, whose error it would hide.
        #expect(throws: EvaluationError.self) {
            try plan("kind == 'file' AND 100 / size > 30 AND name == 'none'").select(in: index.snapshot())
        }
        // The regular expression does not move behind the division, whose error it hides.
        #expect(
            try plan("name MATCHES 'none[0-9]' AND 100 / size > 30 AND kind == 'file'").select(in: index.snapshot())
                .isEmpty)
    }

    /// A regular expression that fails for a name is not asked about an item that another part rules out.
    @Test func aCheapTestSparesAnItemTheErrorOfARegularExpression() throws {
        let name = Array(String(repeating: "a", count: 60).utf8)
        _ = try name.withUnsafeBytes {
            try index.insert(parent: .root, name: $0, status: NaiveTree.status(.file, size: 1))
        }
        #expect(throws: EvaluationError.self) { try plan("name MATCHES '(a+)+[bc]'").select(in: index.snapshot()) }
        for text in [
            "name MATCHES '(a+)+[bc]' AND size > 5", "size > 5 AND name MATCHES '(a+)+[bc]'",
            "NOT (name MATCHES '(a+)+[bc]' AND size > 5) AND size == 77",
        ] {
            #expect(try plan(text).select(in: index.snapshot()).isEmpty, "\(text)")
        }
    }
}
