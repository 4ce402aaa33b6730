// The filing of live queries: a change meets every query that it can touch, and few others.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import MetadataIndex
import PredicateLanguage
import Testing

@testable import LiveQueries

@Suite struct QueryFilingTests {
    private static func candidates(
        _ filing: QueryFiling, _ name: String, _ kind: FileKind = .file, _ path: String? = nil
    ) -> [Int] {
        var found: [Int] = []
        Array(name.utf8).withUnsafeBytes {
            filing.appendCandidates(name: $0, kind: kind, path: Array((path ?? name).utf8), to: &found)
        }
        return found
    }

    /// Whatever the query, if an item matches then it is a candidate; filed and taken out at random.
    @Test(arguments: 0..<10 as Range<UInt64>)
    func everyQueryThatMatchesIsACandidate(seed: UInt64) throws {
        var generator = SeededGenerator(state: seed)
        var tree = NaiveTree()
        for _ in 0..<120 { try tree.randomChange(&generator, size: 60) }
        var filing = QueryFiling()
        var plans: [Int: QueryPlan] = [:]
        for number in 0..<300 {
            let naive = generator.pick(NaiveQuery.all)
            let scope = generator.pick(NaiveScope.all)
            let plan = QueryPlan(
                try Predicate(parsing: naive.text, mode: .metadata), scopes: scope.scopes,
                environment: .test(tree.index))
            filing.file(number, plan)
            plans[number] = plan
            if generator.chance(3), let gone = plans.keys.sorted().randomElement(using: &generator) {
                if let plan = plans.removeValue(forKey: gone) { filing.unfile(gone, plan) }
            }
        }
        #expect(filing.count == plans.count)
        for view in tree.views {
            let found = Set(Self.candidates(filing, view.name, view.kind, view.path))
            for (number, plan) in plans where try plan.matches(view.id.row, in: tree.index) {
                #expect(found.contains(number), "seed \(seed): \(plan.explanation) for \(view.path)")
            }
            #expect(found.isSubset(of: plans.keys))
        }
        for (number, plan) in plans { filing.unfile(number, plan) }
        #expect(filing.count == 0 && !filing.needsPath)
        for view in tree.views { #expect(Self.candidates(filing, view.name, view.kind, view.path).isEmpty) }
    }

    /// Ten thousand queries, of which a change meets the one or two that it can touch.
    @Test func aChangeMeetsFewOfMany() throws {
        let index = MetadataIndex(root: NaiveTree.status(.directory))
        var filing = QueryFiling()
        for number in 0..<10_000 {
            let text: String
            var scopes: [QueryScope] = [.whole]
            switch number % 6 {
            case 0: text = "name == 'file_\(number)'"
            case 1: text = "name LIKE 'begin\(number)_*'"
            case 2: text = "name ENDSWITH '_\(number).end'"
            case 3: text = "fileExtension == 'x\(number)'"
            case 4: text = "name IN {'one_\(number)', 'two_\(number)'}"
            default:
                text = ""
                scopes = [.directory(Array("d\(number)/e".utf8))]
            }
            filing.file(
                number,
                QueryPlan(try Predicate(parsing: text, mode: .metadata), scopes: scopes, environment: .test(index)))
        }
        #expect(Self.candidates(filing, "file_6000") == [6_000])
        #expect(Self.candidates(filing, "file_6001") == [])
        #expect(Self.candidates(filing, "begin1_file") == [1])
        #expect(Self.candidates(filing, "x_2.end") == [2])
        #expect(Self.candidates(filing, "a.x3") == [3])
        #expect(Self.candidates(filing, "two_4") == [4])
        #expect(Self.candidates(filing, "any", .file, "d5/e/f/any") == [5])
        #expect(Self.candidates(filing, "any", .file, "d5/any") == [])
        #expect(Self.candidates(filing, "e", .directory, "d5/e") == [])
    }
}
