// The items that the steps of a plan leave, against testing item by item.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import MetadataIndex
import PredicateLanguage
import TestSupport
import Testing

@testable import LiveQueries

@Suite struct PlanAnalysisTests {
    private static let root = FileAccess(mode: 0o777, owner: 0, group: 0, accessList: .none)

    @Test(arguments: 0..<4 as Range<UInt64>)
    func theLastStepLeavesWhatMatches(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var tree = NaiveTree()
        for _ in 0..<400 { try tree.randomChange(&generator, size: 120) }
        let snapshot = tree.index.snapshot()
        let views = tree.views
        for query in NaiveQuery.all {
            for scope in NaiveScope.all {
                for user in [nil] + NaiveTree.viewers.map(Optional.some) {
                    let viewer = user.map {
                        Viewer(Credentials(user: $0, groups: [100]), above: [], root: Self.root)
                    }
                    let plan = QueryPlan(
                        try query.predicate(), scopes: scope.scopes,
                        environment: .test(tree.index, viewer: viewer))
                    let analysis = try plan.analyze(in: snapshot)
                    let what = "seed \(seed): \(query.text) for \(user ?? 0)"
                    #expect(analysis.matches == (try plan.select(in: snapshot).count), "\(what)")
                    let counts = [analysis.rows] + analysis.steps.map(\.rows)
                    #expect(zip(counts, counts.dropFirst()).allSatisfy { $0 >= $1 }, "\(what): \(counts)")
                    // Nothing is told of what the viewer does not see.
                    let seen = views.count { view in user.map { view.seers.contains($0) } ?? true }
                    #expect(analysis.rows == seen || viewer != nil && analysis.rows == 0, "\(what)")
                    #expect(analysis.matches == 0 || analysis.rows == seen, "\(what)")
                }
            }
        }
    }

    @Test func eachStepIsCountedByItself() throws {
        let index = MetadataIndex(root: NaiveTree.status(.directory))
        for (name, size) in [("a.txt", 1), ("b.txt", 20), ("c.jpg", 30), ("d.txt", 40)] as [(String, Int64)] {
            _ = try Array(name.utf8).withUnsafeBytes {
                try index.insert(parent: .root, name: $0, status: NaiveTree.status(.file, size: size))
            }
        }
        func analysis(_ text: String, _ scopes: [QueryScope] = [.whole]) throws -> PlanAnalysis {
            let predicate = try Predicate(parsing: text, mode: .metadata)
            return try QueryPlan(predicate, scopes: scopes, environment: .test(index)).analyze(in: index.snapshot())
        }
        let both = try analysis("size > 10 AND name ENDSWITH '.txt' AND name MATCHES '[ab].*'")
        #expect(both.rows == 4)
        #expect(both.steps.map(\.rows) == [3, 2, 2, 1])
        #expect(both.steps.map { String($0.text.prefix(4)) } == ["scan", "scan", "test", "test"])
        #expect(try analysis("").steps.map(\.rows) == [4])
        #expect(try analysis("").matches == 4)
        #expect(try analysis("FALSEPREDICATE").matches == 0)

        // A container that is spared a step keeps its items in it.
        var sum = PlanAnalysis()
        sum.add(try analysis("size > 10"))
        sum.add(try analysis("size > 10", [.data]))
        sum.add(try analysis("FALSEPREDICATE"))
        #expect(sum.rows == 12)
        #expect(sum.matches == 6)
        let counts = [sum.rows] + sum.steps.map(\.rows)
        #expect(zip(counts, counts.dropFirst()).allSatisfy { $0 >= $1 }, "\(counts)")
    }
}
